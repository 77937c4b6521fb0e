// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/planning/cost/vae_work.h"
#include "engine/sampling/random/noise.h"
#include "engine/studies/rates/rate_samples.h"

namespace meshreel {
namespace {

struct VaeProbe {
    std::int64_t latentFrames;
    std::int64_t side;  // of the latents
    DType type;
};

constexpr std::array probes{
    VaeProbe{2, 8, DType::F32},
    VaeProbe{2, 8, DType::BF16},
};

RateSample sampleOf(const WanVaeConfig& config, const VaeProbe& probe, int cpus) {
    const bool half = probe.type == DType::BF16;
    const std::int64_t frames = 1 + (probe.latentFrames - 1) * config.temporalFactor();
    const std::int64_t pixels = probe.side * config.spatialFactor();
    RateSample sample{.name = fmt::format("VAE, {0}x{0}x{1}, {2}", pixels, frames, half ? "bf16" : "f32"),
                      .work = {},
                      .arrangement = {.devices = 1, .workersPerDevice = cpus}};
    const VaeWork work = vaeDecodeWork(config, {1, config.zDim, probe.latentFrames, probe.side, probe.side});
    sample.work[half ? WorkClass::ConvolutionBf16 : WorkClass::ConvolutionF32] = work.computedFlops;
    sample.work[WorkClass::Features] = work.values;
    sample.work[WorkClass::VaeLayers] = work.layers;
    return sample;
}

}  // namespace

void sampleVae(RateSamples& samples) {
    const Architecture& architecture = requireArchitecture("wan2.1-vae");
    const int cpus = availableCpus();
    WorkerPool workers({.workers = cpus});
    const Execution execution{workers, samples.stop()};
    const RandomCheckpoint random(execution, tensorsOf(architecture, {}, DType::BF16));
    const WanVaeConfig config = WanVaeConfig::fromJson(configOf(architecture), "rates");
    for (const VaeProbe& probe : probes) {
        const WanVae vae(config, random.checkpoint(), {.activations = probe.type, .weights = probe.type});
        const Tensor latents = counterNormal(1, {1, config.zDim, probe.latentFrames, probe.side, probe.side});
        samples.time(sampleOf(config, probe, cpus), false,
                     [&] { return secondsOf([&] { static_cast<void>(vae.decode(execution, latents)); }); });
    }
}

}  // namespace meshreel
