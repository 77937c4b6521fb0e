// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/gpu_rate_probes.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/base/numbers.h"
#include "engine/base/worker_pool.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/run_work.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/open_devices.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/measure/probed_models.h"
#include "engine/measure/run_samples.h"
#include "engine/measure/scratch_run.h"
#include "engine/measure/timed_forward.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/project/project.h"
#include "engine/sampling/noise.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

struct GpuForwardProbe {
    std::int64_t latentFrames;
    std::int64_t side;  // of the latents
};
constexpr std::array smallGpuProbes{GpuForwardProbe{1, 8}, GpuForwardProbe{1, 16}, GpuForwardProbe{1, 32},
                                    GpuForwardProbe{4, 32}, GpuForwardProbe{4, 64}};
constexpr std::array largeGpuProbes{GpuForwardProbe{1, 32}, GpuForwardProbe{4, 32}, GpuForwardProbe{4, 64},
                                    GpuForwardProbe{16, 64}};
constexpr std::array smallGpuVaeProbes{GpuForwardProbe{1, 4}, GpuForwardProbe{1, 8}, GpuForwardProbe{2, 8}};
constexpr std::array largeGpuVaeProbes{GpuForwardProbe{1, 8}, GpuForwardProbe{2, 16}, GpuForwardProbe{3, 32}};
constexpr std::array<std::int64_t, 3> gpuMebibytes{1, 16, 128};
constexpr std::array gpuPrecisions{f32Precision, bf16Precision, int8Precision};

struct GpuRunProbe {
    std::int64_t side;
    std::string_view type;
};
constexpr std::array gpuRunProbes{GpuRunProbe{32, "float32"}, GpuRunProbe{64, "bfloat16"}};

/// Passes of rising size: none is timed that would take too long by the rate of the one before.
class PassLadder {
  public:
    explicit PassLadder(double mostSeconds) : m_mostSeconds(mostSeconds) {}

    /// As RateSamples::time(), for so many operations or bytes; always times the first one.
    void time(RateSamples& samples, RateSample sample, double size, const std::function<double()>& pass,
              bool firstStep = false) {
        samples.time(std::move(sample), firstStep, pass);
        m_secondsOfOne = samples.samples().back().seconds / size;
    }
    [[nodiscard]] bool admits(double size) const { return m_secondsOfOne * size <= m_mostSeconds; }

  private:
    double m_mostSeconds;
    double m_secondsOfOne = 0;
};

class GpuProbes {
  public:
    GpuProbes(RateSamples& samples, const ChosenGpu& chosen, const GpuRoundLimits& limits)
        : m_samples(samples),
          m_limits(limits),
          m_number(chosen.number),
          m_cpus(availableCpus()),
          m_workers({.workers = m_cpus}),
          m_gpu(openDevice(chosen)) {}

    void timeAll() {
        timeCopies();
        timeSums();
        for (const WanPrecision& precision : gpuPrecisions) {
            PassLadder ladder(m_limits.passSeconds);
            WanTransformerConfig small = smallTransformer();
            small.layers = 1;
            timeTransformer(small, smallGpuProbes, precision, ladder);
            timeTransformer(largeTransformer(), largeGpuProbes, precision, ladder);
        }
        const nlohmann::json wide = configOf(requireArchitecture("wan2.1-vae"));
        nlohmann::json narrow = wide;
        narrow["base_dim"] = 16;
        for (const DType type : {DType::F32, DType::BF16}) {
            PassLadder ladder(m_limits.passSeconds);
            timeVae(narrow, smallGpuVaeProbes, type, ladder);
            timeVae(wide, largeGpuVaeProbes, type, ladder);
        }
        if (m_limits.runs)
            for (const GpuRunProbe& probe : gpuRunProbes)
                timeRun(probe);
    }

  private:
    [[nodiscard]] Execution execution() { return {m_workers, m_samples.stop(), nullptr, m_gpu.get()}; }

    [[nodiscard]] RateSample sampleOf(std::string name) const {
        return {.name = std::move(name),
                .work = {},
                .arrangement = {.devices = 1, .workersPerDevice = m_cpus, .gpus = 1}};
    }

    void timeCopies() {
        PassLadder ladder(m_limits.passSeconds);
        for (const std::int64_t size : gpuMebibytes) {
            const Tensor here = Tensor::zeros({(size << 20U) / std::int64_t{sizeof(float)}});
            const auto bytes = static_cast<double>(here.bytes());
            if (!ladder.admits(2 * bytes))
                return;
            RateSample sample = sampleOf(fmt::format("GPU, {} MiB there and back", size));
            sample.work[WorkClass::GpuTransfers] = 2 * bytes;
            ladder.time(m_samples, std::move(sample), 2 * bytes, [&] {
                return secondsOf([&] { static_cast<void>(here.in(&m_gpu->memory()).host()); });
            });
        }
    }

    /// Two numbers are read and one is written.
    void timeSums() {
        constexpr std::int64_t width = 1024;
        constexpr double touched = 3;
        PassLadder ladder(m_limits.passSeconds);
        for (const std::int64_t size : gpuMebibytes) {
            const std::int64_t rows = (size << 20U) / (width * std::int64_t{sizeof(float)});
            const double bytes = touched * real(size << 20U);
            if (!ladder.admits(bytes))
                return;
            Tensor into = Tensor::zeros({rows, width}).in(&m_gpu->memory());
            const Tensor values = Tensor::zeros({rows, width}).in(&m_gpu->memory());
            RateSample sample = sampleOf(fmt::format("GPU, sums of {} MiB", size));
            sample.work[WorkClass::GpuMemory] = bytes;
            ladder.time(m_samples, std::move(sample), bytes, [&] {
                return secondsOf([&] {
                    addRows(execution(), MatrixSpan(into), MatrixView(values));
                    m_gpu->finish(m_samples.stop());
                });
            });
        }
    }

    void timeTransformer(const WanTransformerConfig& config, std::span<const GpuForwardProbe> probes,
                         const WanPrecision& precision, PassLadder& ladder) {
        std::optional<RandomCheckpoint> random;
        const ForwardMesh mesh{.layout = {}, .workersPerDevice = m_cpus, .gpus = {m_gpu}};
        for (const GpuForwardProbe& probe : probes) {
            const ForwardWorkload workload{
                .config = config,
                .latents = {1, config.inChannels, probe.latentFrames, probe.side, probe.side},
                .precision = precision};
            const std::int64_t tokens = tokenCount(workload.latents, config);
            const double flops = linearFlops(config, tokens) + selfAttentionFlops(config, tokens);
            if (!ladder.admits(flops))
                return;
            if (!random)
                random.emplace(execution(), wanTensors(config, DType::F32));
            const AttentionPlans attention = planAttentions({}, workload, mesh.layout);
            TimedForward forward(workload, mesh, attention, random->checkpoint());
            RateSample sample = sampleOf(fmt::format("GPU, {} wide, {} tokens, {}", config.innerDim(), tokens,
                                                     nameOf(precision.linears())));
            sample.work = forwardWork(workload, mesh, attention);
            ladder.time(
                m_samples, std::move(sample), flops, [&] { return forward.run(m_samples.stop()).seconds; },
                true);
        }
    }

    void timeVae(const nlohmann::json& json, std::span<const GpuForwardProbe> probes, DType type,
                 PassLadder& ladder) {
        const WanVaeConfig config = WanVaeConfig::fromJson(json, "rates");
        std::optional<RandomCheckpoint> random;
        std::optional<WanVae> vae;
        for (const GpuForwardProbe& probe : probes) {
            const VaeProbe decoded{probe.latentFrames, probe.side, type};
            RateSample sample = meshreel::sampleOf(config, decoded, m_cpus);
            const double flops = sample.work[convolutionOf(type)];
            if (!ladder.admits(flops))
                return;
            if (!vae) {
                const std::vector<TensorSpec> tensors =
                    requireArchitecture("wan2.1-vae").family.tensors(json);
                random.emplace(execution(), tensors);
                vae.emplace(config, random->checkpoint(), VaePrecision{.activations = type, .weights = type},
                            VaeChunks{}, &m_gpu->memory());
            }
            sample.name += fmt::format(", {} wide", config.decoderBaseDim);
            sample.name = "GPU, " + sample.name;
            sample.work = movedToGpu(sample.work);
            sample.arrangement.gpus = 1;
            const Tensor latents =
                counterNormal(1, {1, config.zDim, probe.latentFrames, probe.side, probe.side});
            ladder.time(m_samples, std::move(sample), flops, [&] {
                return secondsOf([&] { static_cast<void>(vae->decode(execution(), latents)); });
            });
        }
    }

    void timeRun(const GpuRunProbe& probe) {
        Project project = probeProject({.side = probe.side});
        project.gpus = {.numbers = {m_number}};
        project.numFrames = 5;
        project.numInferenceSteps = 3;
        project.weightsDtype = project.activationsDtype = project.vaeDtype = probe.type;
        const std::string name =
            fmt::format("GPU, embedded model, {0}x{0}x{1}, {2}", probe.side, project.numFrames, probe.type);
        if (takeEarlierRun(m_samples, name))
            return;
        for (RateSample& sample : takeSamples(name, runInScratch(project, m_samples.stop())))
            if (sample.work != withoutGpu(sample.work))
                m_samples.add(std::move(sample));
    }

    static WorkClass convolutionOf(DType type) {
        return type == DType::BF16 ? WorkClass::ConvolutionBf16 : WorkClass::ConvolutionF32;
    }

    static Work withoutGpu(Work work) {
        for (const WorkClassRow& row : workClassRows())
            if (row.processor == Processor::Gpu)
                work[row.kind] = 0;
        return work;
    }

    RateSamples& m_samples;
    GpuRoundLimits m_limits;
    int m_number;
    int m_cpus;
    WorkerPool m_workers;
    std::shared_ptr<ComputeDevice> m_gpu;
};

}  // namespace

int mostSamplesOfGpuRound() {
    constexpr std::size_t vaeTypes = 2;
    constexpr std::size_t copiesAndSums = 2 * gpuMebibytes.size();
    constexpr std::size_t ofRun = runStages.size();  // without conditioning, with what is around the steps
    return static_cast<int>(
        copiesAndSums + gpuPrecisions.size() * (smallGpuProbes.size() + largeGpuProbes.size()) +
        vaeTypes * (smallGpuVaeProbes.size() + largeGpuVaeProbes.size()) + gpuRunProbes.size() * ofRun);
}

void timeGpuRound(RateSamples& samples, const ChosenGpu& gpu, const GpuRoundLimits& limits) {
    GpuProbes(samples, gpu, limits).timeAll();
}

}  // namespace meshreel
