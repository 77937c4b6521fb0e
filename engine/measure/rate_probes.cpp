// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/rate_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/worker_pool.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/measure/probed_models.h"
#include "engine/measure/run_samples.h"
#include "engine/measure/scratch_run.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/project/attention_check.h"
#include "engine/sampling/noise.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

// Forward passes of one block of Wan 2.1 1.3B and of a small transformer: sizes, types, kernels,
// arrangements.

/// How the machine is divided, as far as its CPUs are many.
enum class Sharing : std::uint8_t { AllWorkers, OneWorker, Devices, Crowded };

struct ForwardProbe {
    std::int64_t latentFrames;
    std::int64_t latentHeight;
    std::int64_t latentWidth;
    std::string_view attention = "flash";
    WanPrecision precision = f32Precision;
    Sharing sharing = Sharing::AllWorkers;
};

// One block of Wan 2.1 1.3B: 256, 1024 and 1920 tokens.
constexpr std::array largeProbes{
    ForwardProbe{1, 32, 32},
    ForwardProbe{4, 32, 32},
    ForwardProbe{5, 32, 48},
    ForwardProbe{2, 32, 32, "dot_product"},
    ForwardProbe{1, 32, 32, "flash", bf16Precision},
    ForwardProbe{4, 32, 32, "flash", bf16Precision},
    ForwardProbe{5, 32, 48, "flash", bf16Precision},
    ForwardProbe{1, 32, 32, "flash", int8Precision},
    ForwardProbe{4, 32, 32, "flash", int8Precision},
    ForwardProbe{2, 32, 32, "flash", f32Precision, Sharing::OneWorker},
    ForwardProbe{2, 32, 32, "flash", f32Precision, Sharing::Devices},
    ForwardProbe{4, 32, 32, "tokamax_ring", f32Precision, Sharing::Devices},
    ForwardProbe{2, 32, 32, "tokamax_ring", f32Precision, Sharing::Crowded},
};

// A transformer of the embedded model's width: 64 to 4096 tokens.
constexpr std::array smallProbes{
    ForwardProbe{1, 16, 16},
    ForwardProbe{4, 32, 32},
    ForwardProbe{4, 64, 64},
    ForwardProbe{4, 32, 32, "dot_product"},
    ForwardProbe{4, 32, 32, "flash", bf16Precision},
    ForwardProbe{4, 64, 64, "flash", bf16Precision},
    ForwardProbe{4, 32, 32, "flash", int8Precision},
    ForwardProbe{4, 32, 32, "flash", f32Precision, Sharing::OneWorker},
    ForwardProbe{1, 16, 16, "tokamax_ring", f32Precision, Sharing::Devices},
    ForwardProbe{4, 32, 32, "tokamax_ring", f32Precision, Sharing::Devices},
    ForwardProbe{4, 64, 64, "flash", f32Precision, Sharing::Devices},
    ForwardProbe{4, 32, 32, "tokamax_ring", f32Precision, Sharing::Crowded},
};

Arrangement arrange(Sharing sharing, int cpus) {
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

ForwardWorkload makeWorkload(const WanTransformerConfig& config, const ForwardProbe& probe) {
    return {.config = config,
            .latents = {1, config.inChannels, probe.latentFrames, probe.latentHeight, probe.latentWidth},
            .precision = probe.precision};
}

std::string nameOf(const ForwardWorkload& workload, const ForwardProbe& probe,
                   const Arrangement& arrangement) {
    return fmt::format("{} wide, {} tokens, {} {}, {} x {}", workload.config.innerDim(),
                       tokenCount(workload.latents, workload.config), probe.attention,
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
        const Arrangement arrangement = arrange(probe.sharing, m_cpus);
        if (m_cpus == 1 && probe.sharing == Sharing::OneWorker)
            return;  // equal to all workers
        const ForwardWorkload workload = makeWorkload(m_config, probe);
        const ForwardMesh mesh{.layout = MeshLayout(MeshShape{.context = arrangement.devices}),
                               .workersPerDevice = arrangement.workersPerDevice};
        std::string name = nameOf(workload, probe, arrangement);
        if (m_samples.takeEarlier(name))
            return;  // making it ready takes long, too
        const AttentionPlans attention =
            planAttentions({.mode = &requireAttentionMode(probe.attention)}, workload, mesh.layout);
        RateSample sample{.name = std::move(name),
                          .work = forwardWork(workload, mesh, attention),
                          .arrangement = arrangement};
        TimedForward forward(workload, mesh, attention, m_random.checkpoint());
        m_samples.time(std::move(sample), probe.sharing == Sharing::AllWorkers,
                       [&] { return forward.run(m_samples.stop()).seconds; });
    }

    /// What a run does with weights before its first step.
    void timePacking() {
        RateSample sample = wholeMachine(fmt::format("{} wide, packing", m_config.innerDim()), m_cpus);
        for (const TensorSpec& tensor : wanTensors(m_config, DType::F32))
            sample.work[WorkClass::Packing] += static_cast<double>(tensor.shape.elements());
        m_samples.time(std::move(sample), false, [&] {
            return secondsOf([&] {
                const ForwardWorkload smallest{.config = m_config,
                                               .latents = {1, m_config.inChannels, 1, 2, 2}};
                const TimedForward packed(smallest, {.layout = {}, .workersPerDevice = m_cpus},
                                          planAttentions({}, smallest, {}), m_random.checkpoint());
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

void sampleTransformers(RateSamples& samples) {
    TransformerProbes small(samples, smallTransformer());
    for (const ForwardProbe& probe : smallProbes)
        small.time(probe);
    TransformerProbes large(samples, largeTransformer());
    large.timePacking();
    for (const ForwardProbe& probe : largeProbes)
        large.time(probe);
}

// Decoding by a Wan 2.1 VAE.

constexpr std::array vaeProbes{
    VaeProbe{2, 8, DType::F32},
    VaeProbe{2, 8, DType::BF16},
};

void sampleVae(RateSamples& samples) {
    const Architecture& architecture = requireArchitecture("wan2.1-vae");
    const int cpus = availableCpus();
    WorkerPool workers({.workers = cpus});
    const Execution execution{workers, samples.stop()};
    const RandomCheckpoint random(execution, tensorsOf(architecture, {}, DType::BF16));
    const WanVaeConfig config = WanVaeConfig::fromJson(configOf(architecture), "rates");
    for (const VaeProbe& probe : vaeProbes) {
        const WanVae vae(config, random.checkpoint(), {.activations = probe.type, .weights = probe.type});
        const Tensor latents = counterNormal(1, {1, config.zDim, probe.latentFrames, probe.side, probe.side});
        samples.time(sampleOf(config, probe, cpus), false,
                     [&] { return secondsOf([&] { static_cast<void>(vae.decode(execution, latents)); }); });
    }
}

// A text encoder of two layers.

constexpr std::array<std::int64_t, 2> textLengths{16, 256};

/// UMT5 of a quarter of UMT5-XXL's width and two layers.
nlohmann::json smallTextEncoder(const ArchitectureFamily& family) {
    nlohmann::json json = nlohmann::json::parse(family.config);
    json.update(
        {{"d_model", 1024}, {"d_ff", 2560}, {"num_heads", 16}, {"num_layers", 2}, {"vocab_size", 512}});
    return json;
}

void sampleTextEncoder(RateSamples& samples) {
    const ArchitectureFamily& family = requireArchitecture("umt5-xxl").family;
    const nlohmann::json json = smallTextEncoder(family);
    const std::vector<TensorSpec> tensors = family.tensors(json);
    const int cpus = availableCpus();
    WorkerPool workers({.workers = cpus});
    const Execution execution{workers, samples.stop()};
    const RandomCheckpoint random(execution, tensors);
    const Umt5Config config = Umt5Config::fromJson(json, "rates");
    const Umt5Encoder encoder(config, random.checkpoint(), Arithmetic::F32);
    for (const std::int64_t length : textLengths) {
        RateSample sample = wholeMachine(fmt::format("text encoder, {} tokens", length), cpus);
        sample.work[WorkClass::Prompts] = 1;
        sample.work[WorkClass::LinearF32] = textEncodeFlops(config, length);
        for (const TensorSpec& tensor : tensors)
            sample.work[WorkClass::TextWeights] += static_cast<double>(tensor.shape.elements());
        Tensor ids = Tensor::empty({1, length}, DType::I64);
        std::iota(ids.data<std::int64_t>().begin(), ids.data<std::int64_t>().end(), 0);
        samples.time(std::move(sample), false, [&] {
            return secondsOf([&] { static_cast<void>(encoder.encode(execution, ids, Tensor())); });
        });
    }
}

// Whole runs of the embedded model in a scratch folder.

constexpr std::array runProbes{RunProbe{64}, RunProbe{160}, RunProbe{.side = 64, .onDevices = true},
                               RunProbe{.side = 128, .inBf16 = true}};

void sampleRuns(RateSamples& samples) {
    for (const RunProbe& probe : runProbes) {
        const std::string name =
            fmt::format("embedded model, {0}x{0}x17{1}{2}", probe.side,
                        probe.onDevices ? ", a ring of devices" : "", probe.inBf16 ? ", bf16" : "");
        if (takeEarlierRun(samples, name))
            continue;
        for (RateSample& sample : takeSamples(name, runInScratch(probeProject(probe), samples.stop())))
            samples.add(std::move(sample));
    }
}

}  // namespace

int samplesOfRound() {
    const auto ofTransformer = [](const auto& probes) {
        const bool alone = availableCpus() == 1;  // one worker is all workers
        return std::ranges::count_if(probes, [alone](const ForwardProbe& probe) {
            return !(alone && probe.sharing == Sharing::OneWorker);
        });
    };
    constexpr std::size_t packing = 1;
    constexpr std::size_t ofRun = runStages.size() + 1;
    return static_cast<int>(runProbes.size() * ofRun + packing + vaeProbes.size() + textLengths.size()) +
           static_cast<int>(ofTransformer(smallProbes) + ofTransformer(largeProbes));
}

void timeRound(RateSamples& samples) {
    sampleRuns(samples);
    sampleTransformers(samples);
    sampleVae(samples);
    sampleTextEncoder(samples);
}

}  // namespace meshreel
