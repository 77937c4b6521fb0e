// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <memory>

#include "engine/attention/context_split.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/transformer/wan_tensor_specs.h"
#include "engine/planning/video_shape.h"
#include "engine/studies/rates/forward_work.h"
#include "engine/studies/rates/rate_samples.h"
#include "engine/studies/timed_forward.h"

namespace meshreel {
namespace {

/// How the machine is shared out, as far as its CPUs are many.
enum class Sharing : std::uint8_t { AllWorkers, OneWorker, Devices, Crowded };

constexpr WanPrecision f32{};
constexpr WanPrecision bf16{.weights = Arithmetic::BF16, .activations = DType::BF16};
constexpr WanPrecision int8{.weights = Arithmetic::Int8, .activations = DType::BF16};

struct ForwardProbe {
    std::int64_t latentFrames;
    std::int64_t latentHeight;
    std::int64_t latentWidth;
    std::string_view attention = "flash";
    WanPrecision precision = f32;
    Sharing sharing = Sharing::AllWorkers;
};

// One block of Wan 2.1 1.3B: 256, 1024 and 1920 tokens.
constexpr std::array largeProbes{
    ForwardProbe{1, 32, 32},
    ForwardProbe{4, 32, 32},
    ForwardProbe{5, 32, 48},
    ForwardProbe{2, 32, 32, "dot_product"},
    ForwardProbe{1, 32, 32, "flash", bf16},
    ForwardProbe{4, 32, 32, "flash", bf16},
    ForwardProbe{5, 32, 48, "flash", bf16},
    ForwardProbe{1, 32, 32, "flash", int8},
    ForwardProbe{4, 32, 32, "flash", int8},
    ForwardProbe{2, 32, 32, "flash", f32, Sharing::OneWorker},
    ForwardProbe{2, 32, 32, "flash", f32, Sharing::Devices},
    ForwardProbe{4, 32, 32, "tokamax_ring", f32, Sharing::Devices},
    ForwardProbe{2, 32, 32, "tokamax_ring", f32, Sharing::Crowded},
};

// A transformer of the embedded model's width: 64 to 4096 tokens.
constexpr std::array smallProbes{
    ForwardProbe{1, 16, 16},
    ForwardProbe{4, 32, 32},
    ForwardProbe{4, 64, 64},
    ForwardProbe{4, 32, 32, "dot_product"},
    ForwardProbe{4, 32, 32, "flash", bf16},
    ForwardProbe{4, 64, 64, "flash", bf16},
    ForwardProbe{4, 32, 32, "flash", int8},
    ForwardProbe{4, 32, 32, "flash", f32, Sharing::OneWorker},
    ForwardProbe{1, 16, 16, "tokamax_ring", f32, Sharing::Devices},
    ForwardProbe{4, 32, 32, "tokamax_ring", f32, Sharing::Devices},
    ForwardProbe{4, 64, 64, "flash", f32, Sharing::Devices},
    ForwardProbe{4, 32, 32, "tokamax_ring", f32, Sharing::Crowded},
};

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

Arrangement arrangementOf(Sharing sharing, int cpus) {
    const int shared = std::max(2, cpus);
    switch (sharing) {
        case Sharing::AllWorkers:
            return {.devices = 1, .workersPerDevice = cpus};
        case Sharing::OneWorker:
            break;
        case Sharing::Devices:
            return {.devices = shared, .workersPerDevice = 1};
        case Sharing::Crowded:
            return {.devices = 2 * shared, .workersPerDevice = 1};
    }
    return {};
}

ForwardWorkload workloadOf(const WanTransformerConfig& config, const ForwardProbe& probe) {
    return {.config = config,
            .latents = {1, config.inChannels, probe.latentFrames, probe.latentHeight, probe.latentWidth},
            .precision = probe.precision};
}

AttentionSettings attentionOf(const ForwardProbe& probe) {
    AttentionSettings attention;
    attention.mode = &requireAttentionMode(probe.attention);
    return attention;
}

std::string nameOf(const ForwardWorkload& workload, const ForwardProbe& probe,
                   const Arrangement& arrangement) {
    return fmt::format("{} wide, {} tokens, {} {}, {} x {}", workload.config.innerDim(),
                       tokensOf(workload.latents, workload.config), probe.attention,
                       nameOf(probe.precision.linears()), arrangement.devices, arrangement.workersPerDevice);
}

/// Times the probes on a transformer of random weights.
class TransformerProbes {
  public:
    TransformerProbes(RateSamples& samples, const WanTransformerConfig& config)
        : m_samples(samples),
          m_config(config),
          m_cpus(availableCpus()),
          m_writers({.workers = m_cpus}),
          m_random({m_writers, samples.stop()}, wanTensors(config, DType::F32)) {}

    void time(const ForwardProbe& probe) {
        const Arrangement arrangement = arrangementOf(probe.sharing, m_cpus);
        if (m_cpus == 1 && probe.sharing == Sharing::OneWorker)
            return;  // the same as all workers
        const ForwardWorkload workload = workloadOf(m_config, probe);
        const AttentionSettings attention = attentionOf(probe);
        const ForwardMesh mesh{.layout = MeshLayout(MeshShape{.context = arrangement.devices}),
                               .workersPerDevice = arrangement.workersPerDevice};
        RateSample sample{.name = nameOf(workload, probe, arrangement),
                          .work = forwardWork(workload, mesh, attention),
                          .arrangement = arrangement};
        TimedForward forward(workload, mesh, attention, m_random.checkpoint());
        m_samples.time(std::move(sample), probe.sharing == Sharing::AllWorkers,
                       [&] { return forward.run(m_samples.stop()).seconds; });
    }

    /// What a run does with weights before its first step.
    void timePacking() {
        RateSample sample{.name = fmt::format("{} wide, packing", m_config.innerDim()),
                          .work = {},
                          .arrangement = {.devices = 1, .workersPerDevice = m_cpus}};
        for (const TensorSpec& tensor : wanTensors(m_config, DType::F32))
            sample.work[WorkClass::Packing] += static_cast<double>(tensor.shape.elements());
        m_samples.time(std::move(sample), false, [&] {
            return secondsOf([&] {
                const TimedForward packed({.config = m_config, .latents = {1, m_config.inChannels, 1, 2, 2}},
                                          {.layout = {}, .workersPerDevice = m_cpus}, {},
                                          m_random.checkpoint());
            });
        });
    }

  private:
    RateSamples& m_samples;
    WanTransformerConfig m_config;
    int m_cpus;
    WorkerPool m_writers;
    RandomCheckpoint m_random;
};

}  // namespace

void sampleTransformers(RateSamples& samples) {
    TransformerProbes small(samples, smallTransformer());
    for (const ForwardProbe& probe : smallProbes)
        small.time(probe);
    TransformerProbes large(samples, largeTransformer());
    large.timePacking();
    for (const ForwardProbe& probe : largeProbes)
        large.time(probe);
}

}  // namespace meshreel
