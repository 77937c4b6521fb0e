// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/rate_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/context_split.h"
#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/numbers.h"
#include "engine/base/system.h"
#include "engine/base/version.h"
#include "engine/base/worker_pool.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/events/run_event.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/open_devices.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/families/architecture.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/models/vae/vae_options.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/planning/plan_work.h"
#include "engine/project/attention_check.h"
#include "engine/project/gpu_choice.h"
#include "engine/runs/run_session.h"
#include "engine/sampling/noise.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/step_record.h"
#include "engine/timing/timing_summary.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

double stepSeconds(const std::vector<StepRecord>& steps) {
    std::vector<double> seconds;
    for (std::size_t step = steps.size() > 1 ? 1 : 0; step < steps.size(); ++step)
        seconds.push_back(steps[step].seconds);
    return seconds.empty() ? 0 : computeMedian(std::move(seconds));
}

double allSteps(const std::vector<StepRecord>& steps) {
    return std::transform_reduce(steps.begin(), steps.end(), 0.0, std::plus<>(),
                                 [](const StepRecord& step) { return step.seconds; });
}

}  // namespace

double ScratchRun::total() const {
    return std::accumulate(stages.begin(), stages.end(), 0.0);
}

ScratchRun runInScratch(const Project& project, const StopToken& stop) {
    const ScratchFolder folder;
    RunWork work;
    const auto keepWork = [&work](const RunEvent& event) {
        handle(event, [&](const Planned& planned) { work = measureWork(*planned.plan); });
    };
    const RunOutcome outcome =
        runProject({.project = project, .outFolder = folder.path() / "run", .options = {}}, keepWork, stop);
    const TimingSummary& timings = outcome.timings.value();
    return {.work = work,
            .stepSeconds = stepSeconds(outcome.steps),
            .aroundStepsSeconds = timings.denoiseTotal - allSteps(outcome.steps),
            .stages = {timings.load + timings.compile, timings.conditioning, timings.denoiseTotal,
                       timings.vaeDecode}};
}

bool RateSamples::takeEarlier(const std::string& name) {
    const auto earlier = std::ranges::find(m_earlier, name, &RateSample::name);
    if (earlier == m_earlier.end())
        return false;
    m_samples.push_back(std::move(*earlier));
    m_earlier.erase(earlier);
    return true;
}

std::vector<RateSample> RateSamples::all() const {
    std::vector<RateSample> all = m_samples;
    std::ranges::copy(m_earlier, std::back_inserter(all));
    return all;
}

void RateSamples::add(RateSample sample) {
    std::erase_if(m_earlier, [&](const RateSample& earlier) { return earlier.name == sample.name; });
    if (m_onSample)
        m_onSample(sample);
    m_samples.push_back(std::move(sample));
}

void RateSamples::time(RateSample sample, bool firstStep, const std::function<double()>& pass) {
    constexpr std::size_t mostPasses = 3;
    constexpr double enoughSeconds = 0.1;
    if (takeEarlier(sample.name))
        return;
    throwIfStopped(m_stop);
    const double first = pass();
    std::vector<double> passes;
    double spent = 0;
    while (passes.size() < mostPasses && spent < enoughSeconds) {
        throwIfStopped(m_stop);
        passes.push_back(pass());
        spent += passes.back();
    }
    throwIfStopped(m_stop);
    sample.seconds = computeMedian(std::move(passes));
    if (firstStep)
        m_firstStepFactors.push_back(first / sample.seconds);
    add(std::move(sample));
}

namespace {

/// What `work` takes.
double secondsOf(const std::function<void()>& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    work();
    return secondsSince(start);
}

/// A sample that all CPUs of this process share, without its work and seconds.
RateSample wholeMachine(std::string name, int cpus) {
    return {.name = std::move(name), .work = {}, .arrangement = {.devices = 1, .workersPerDevice = cpus}};
}

// Forward passes of one block of Wan 2.1 1.3B and of a small transformer: sizes, types, kernels,
// arrangements.

/// How the machine is divided, as far as its CPUs are many.
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

struct VaeProbe {
    std::int64_t latentFrames;
    std::int64_t side;  // of the latents
    DType type;
};

constexpr std::array vaeProbes{
    VaeProbe{2, 8, DType::F32},
    VaeProbe{2, 8, DType::BF16},
};

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

struct RunProbe {
    std::int64_t side;
    bool onDevices = false;  ///< as many as CPUs, in a ring
    bool inBf16 = false;     ///< the transformer
};

constexpr std::array runProbes{RunProbe{64}, RunProbe{160}, RunProbe{.side = 64, .onDevices = true},
                               RunProbe{.side = 128, .inBf16 = true}};

Project probeProject(const RunProbe& probe) {
    Project project;
    project.name = "rates";
    project.prompt = "a red ball moving right on a black background";
    project.width = probe.side;
    project.height = probe.side;
    project.numFrames = 17;
    project.numInferenceSteps = 4;
    project.gpus = GpuChoice::none();
    if (probe.onDevices) {
        project.devices = std::max(2, availableCpus());
        project.attention = "tokamax_ring";
    }
    if (probe.inBf16)
        project.weightsDtype = project.activationsDtype = "bfloat16";
    return project;
}

std::string nameOfStage(const std::string& run, RunStage stage) {
    return fmt::format("{}, {}", run, stage == RunStage::Denoising ? "step" : nameOf(stage));
}

std::string nameOfRest(const std::string& run) {
    return fmt::format("{}, around the steps", run);
}

/// Whether the run was timed before the round was stopped; its samples, which came together, are taken then.
bool takeEarlierRun(RateSamples& samples, const std::string& name) {
    bool any = false;
    for (const RunStage stage : runStages)
        any = samples.takeEarlier(nameOfStage(name, stage)) || any;
    return samples.takeEarlier(nameOfRest(name)) || any;
}

/// Takes the stages of a run as samples; denoising becomes one step after the first, and the rest of it.
std::vector<RateSample> takeSamples(const std::string& name, const ScratchRun& run) {
    std::vector<RateSample> samples;
    for (const RunStage stage : runStages) {
        const bool steps = stage == RunStage::Denoising;
        samples.push_back({.name = nameOfStage(name, stage),
                           .work = 1.0 / (steps ? run.work.steps : 1) * run.work[stage],
                           .arrangement = run.work.arrangement(),
                           .seconds = steps ? run.stepSeconds : run.stages[static_cast<std::size_t>(stage)]});
    }
    samples.push_back({.name = nameOfRest(name),
                       .work = run.work.aroundSteps,
                       .arrangement = run.work.arrangement(),
                       .seconds = run.aroundStepsSeconds});
    return samples;
}

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

// What a GPU computes.

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
constexpr std::array gpuPrecisions{f32, bf16, int8};

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

RateMeasurement::RateMeasurement(StopToken stop, OnRateSample onSample, const MachineRates* earlier,
                                 TimeRound timeRound, MachineIdentity machine)
    : m_stop(std::move(stop)),
      m_onSample(std::move(onSample)),
      m_timeRound(std::move(timeRound)),
      m_machine(std::move(machine)) {
    if (earlier == nullptr || !earlier->areOfThisBuild())
        return;
    m_samples = earlier->samples;
    m_firstSteps = earlier->firstSteps;
}

void RateMeasurement::round() {
    RateSamples timed(m_stop, m_onSample, std::exchange(m_begun, {}), std::exchange(m_begunFactors, {}));
    try {
        m_timeRound(timed);
    } catch (...) {
        m_begun = timed.all();
        m_begunFactors = timed.firstStepFactors();
        throw;
    }
    std::vector<RateSample> samples = timed.samples();
    for (RateSample& sample : samples) {
        const auto before = std::ranges::find(m_samples, sample.name, &RateSample::name);
        if (before != m_samples.end())
            sample.rounds = before->rounds;
        sample.rounds.push_back(sample.seconds);
        sample.seconds = computeMedian(sample.rounds);
    }
    m_samples = std::move(samples);
    const std::vector<double>& factors = timed.firstStepFactors();
    m_firstSteps.push_back(factors.empty() ? 1 : computeMedian(factors));
}

UnfinishedRates RateMeasurement::unfinished() const {
    MachineRates rounds;
    rounds.machine = m_machine;
    rounds.measured = localTimeNow("%Y-%m-%d %H:%M");
    rounds.commit = versionCommit();
    MachineRates round = rounds;
    rounds.samples = m_samples;
    rounds.firstSteps = m_firstSteps;
    round.samples = m_begun;
    round.firstSteps = m_begunFactors;
    return {.rounds = std::move(rounds), .round = std::move(round)};
}

void RateMeasurement::takeUp(const UnfinishedRates& unfinished) {
    if (unfinished.rounds.machine != m_machine || !unfinished.rounds.areOfThisBuild())
        return;
    m_samples = unfinished.rounds.samples;
    m_firstSteps = unfinished.rounds.firstSteps;
    m_begun = unfinished.round.samples;
    m_begunFactors = unfinished.round.firstSteps;
}

MachineRates RateMeasurement::rates() const {
    MachineRates rates = fitRates(m_machine, m_samples);
    rates.firstStep = std::max(1.0, computeMedian(m_firstSteps));
    rates.firstSteps = m_firstSteps;
    rates.measured = localTimeNow("%Y-%m-%d %H:%M");
    rates.commit = versionCommit();
    return rates;
}

namespace {

/// Keeping may fail as writing does: the next measurement begins anew then.
void keepUnfinished(const RateMeasurement& measurement) {
    try {
        writeUnfinishedRates(measurement.unfinished());
    } catch (const Error&) {
        return;
    }
}

}  // namespace

MachineRates goOnMeasuring(RateMeasurement& measurement, const MachineIdentity& machine, int rounds) {
    if (const std::optional<UnfinishedRates> unfinished = readUnfinishedRates(machine))
        measurement.takeUp(*unfinished);
    try {
        while (measurement.taken() < rounds)
            measurement.round();
    } catch (...) {
        keepUnfinished(measurement);
        throw;
    }
    forgetUnfinishedRates(machine);
    return measurement.rates();
}

MachineRates measureRates(const StopToken& stop, const OnRateSample& onSample, const MachineRates* earlier) {
    RateMeasurement measurement(stop, onSample, earlier);
    if (measurement.taken() == 0)
        return goOnMeasuring(measurement, MachineIdentity::ofThis(), RateMeasurement::rounds);
    measurement.round();
    return measurement.rates();
}

MachineRates measureGpuRates(const ChosenGpu& gpu, const StopToken& stop, const OnRateSample& onSample) {
    const MachineIdentity machine = MachineIdentity::ofGpu(gpu.facts);
    RateMeasurement measurement(
        stop, onSample, nullptr, [&gpu](RateSamples& samples) { timeGpuRound(samples, gpu); }, machine);
    return goOnMeasuring(measurement, machine, RateMeasurement::rounds);
}

}  // namespace meshreel
