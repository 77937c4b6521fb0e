// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/probed_models.h"

#include <fmt/format.h>

#include <cstdint>

#include "engine/estimates/work.h"
#include "engine/measure/rate_samples.h"
#include "engine/models/families/architecture.h"

namespace meshreel {

WanTransformerConfig largeTransformer() {
    return WanTransformerConfig::fromJson(configOf(requireArchitecture("wan2.1-t2v-1.3b"), 1), "rates");
}

WanTransformerConfig smallTransformer() {
    WanTransformerConfig config;
    config.heads = 8;
    config.headDim = 32;
    config.textDim = 96;
    config.ffnDim = 768;
    config.layers = 4;
    return config;
}

RateSample sampleOf(const WanVaeConfig& config, const VaeProbe& probe, int cpus) {
    const bool half = probe.type == DType::BF16;
    const std::int64_t frames = 1 + (probe.latentFrames - 1) * config.temporalFactor();
    const std::int64_t pixels = probe.side * config.spatialFactor();
    RateSample sample =
        wholeMachine(fmt::format("VAE, {0}x{0}x{1}, {2}", pixels, frames, half ? "bf16" : "f32"), cpus);
    const VaeWork work = vaeDecodeWork(config, {1, config.zDim, probe.latentFrames, probe.side, probe.side});
    sample.work[half ? WorkClass::ConvolutionBf16 : WorkClass::ConvolutionF32] = work.computedFlops;
    sample.work[WorkClass::Features] = work.values;
    sample.work[WorkClass::VaeLayers] = work.layers;
    return sample;
}

}  // namespace meshreel
