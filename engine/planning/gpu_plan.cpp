// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/gpu_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/forecast.h"
#include "engine/project/project_settings.h"

namespace meshreel {
namespace {

const std::string gpuKey{GpuChoice::key};
const std::string noGpu{GpuChoice::noneName};

GpuChoice choiceOf(const Project& project) {
    return GpuChoice::parse(project.gpus).value_or(GpuChoice{});
}

Fix useCpu() {
    return {.words = {}, .changes = {{.key = gpuKey, .value = noGpu}}};
}

Problem unable(std::string other, Sentence message, Sentence words, const std::string& value) {
    return {.id = "gpu-cannot-compute",
            .key = gpuKey,
            .involved = {other},
            .message = std::move(message),
            .fixes = {{.words = std::move(words), .changes = {{.key = std::move(other), .value = value}}},
                      useCpu()}};
}

/// A list of so many GPUs, those that are named one after the other.
std::string listOfGpus(const std::vector<int>& named, int devices) {
    std::vector<int> each;
    for (int device = 0; device < devices; ++device)
        each.push_back(named[static_cast<std::size_t>(device) % named.size()]);
    return fmt::format("{}", fmt::join(each, ","));
}

/// Each device of a mesh has a GPU: a list names one for each of all devices, or of those of a process. Where
/// nobody knows yet how many processes there are, some number of them has to fit.
std::optional<Problem> countProblem(const GpuChoice& choice, const MeshLayout& layout,
                                    std::optional<int> ranks) {
    const auto named = static_cast<int>(choice.automatic ? 1 : choice.numbers.size());
    const int devices = layout.devices();
    const bool fitsEach = ranks ? named == devices / *ranks : devices % named == 0;
    if (named == devices || (!choice.automatic && fitsEach))
        return std::nullopt;
    Problem problem{
        .id = "gpus-for-one-device",
        .key = gpuKey,
        .involved = {"devices"},
        .message = choice.automatic
                       ? sentence("auto takes one GPU, and the mesh has {} devices", devices)
                       : sentence("gpus names {} GPUs, and the mesh has {} devices", named, devices),
        .fixes = {}};
    const std::string list =
        listOfGpus(choice.automatic ? std::vector{0} : choice.numbers, devices / ranks.value_or(1));
    problem.fixes = {
        {.words = sentence("Name a GPU for each device (gpus: {}), change the number of devices, "
                           "or use the CPU (gpus: none)",
                           list),
         .changes = {{.key = gpuKey, .value = list}}},
        {.words = {}, .changes = {{.key = "devices", .value = fmt::to_string(named)}}},
        useCpu()};
    return problem;
}

/// GPUs share out the videos and the tokens, not the weights.
std::optional<Problem> axisProblem(const MeshLayout& layout) {
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : {MeshAxis::Fsdp, MeshAxis::Tensor})
            if ((level == MeshLevel::Ici ? layout.ici() : layout.dcn()).extent(axis) > 1)
                return unable(axisKey(level, axis),
                              sentence("GPUs share out videos and tokens (the axes data and context), not {}",
                                       nameOf(axis)),
                              sentence("Use the context axis, or the CPU (gpus: none)"), "1");
    return std::nullopt;
}

/// What no key of the project says whether a GPU can do it, at this stage of the engine.
std::vector<Problem> unableProblems(const Project& project, const ModelFacts& model,
                                    std::optional<int> ranks) {
    std::vector<Problem> problems;
    const auto resolved = resolveMesh(meshRequest(project, ranks.value_or(1)));
    if (const auto* layout = std::get_if<MeshLayout>(&resolved))
        for (std::optional<Problem>& problem :
             std::array{countProblem(choiceOf(project), *layout, ranks), axisProblem(*layout)})
            if (problem)
                problems.push_back(*std::move(problem));
    if (project.vaeSpatial > 1)
        problems.push_back(
            unable("vae_spatial", sentence("a GPU decodes whole frames, or its own strips in turn"),
                   sentence("Write -1, which leaves it to the plan, or use the CPU (gpus: none)"), "-1"));
    const AttentionMode& mode = *attentionSettings(project).mode;
    if (!rowOf(mode.kernel).runsOn.gpu)
        problems.push_back(unable(
            "attention", sentence("a GPU has no {} kernel, which {} needs", nameOf(mode.kernel), mode.name),
            sentence("Use flash, or the CPU (gpus: none)"), "flash"));
    const std::int64_t headDim = model.transformer.headDim;
    if (headDim > HeadsOnGpu::widest || headDim % HeadsOnGpu::step != 0)
        problems.push_back({.id = "gpu-cannot-compute",
                            .key = gpuKey,
                            .message = sentence("the model's heads have {} numbers; a GPU takes multiples of "
                                                "{} up to {}",
                                                headDim, HeadsOnGpu::step, HeadsOnGpu::widest),
                            .fixes = setKey(sentence("Use the CPU"), gpuKey, {noGpu})});
    return problems;
}

bool fitsGpu(const RunPlan& plan) {
    return plan.memory.devicePeak() <= plan.memory.deviceAvailable;
}

/// What the VAE needs by itself.
std::uint64_t vaeOnGpuBytes(const MemoryEstimate& memory) {
    return memory.deviceVae.weights + std::max(memory.deviceVae.encoding, memory.deviceVae.decoding);
}

Problem shortMemory(const RunPlan& plan) {
    const DeviceMemory& device = plan.memory.device;
    return {.id = "memory-short",
            .key = gpuKey,
            .involved = {"num_frames", "width", "height"},
            .message = sentence("the GPU {} needs {} of its memory for activations and {} for the layers in "
                                "use, and {} are free",
                                plan.gpus.front().facts.name, formatBytes(device.activations),
                                formatBytes(device.used), formatBytes(plan.memory.deviceAvailable)),
            .fixes = {{.words = sentence("Make a smaller or shorter video, or use the CPU (gpus: none)"),
                       .changes = {{.key = gpuKey, .value = noGpu}}}}};
}

void useCpuInstead(RunPlan& plan, Sentence why) {
    plan.gpus.clear();
    plan.vaeOnGpu = false;
    plan.encodersOnGpu = false;
    plan.vaeStripsInTurn = 1;
    plan.whyNoGpu = std::move(why);
}

using Replan = std::function<void(RunPlan& plan)>;

/// Cuts decoded frames into as few strips as fit.
void cutVaeUntilFit(RunPlan& plan, const Replan& replan) {
    if (plan.model.vae.tiny ||
        plan.memory.deviceVae.weights + plan.memory.deviceVae.encoding > plan.memory.deviceAvailable)
        return;
    while (vaeOnGpuBytes(plan.memory) > plan.memory.deviceAvailable &&
           plan.vaeStripsInTurn < plan.latentShape[4]) {
        plan.vaeStripsInTurn *= 2;
        replan(plan);
    }
}

void keepVaeOnCpu(RunPlan& plan, const Replan& replan) {
    plan.whyVaeOnCpu =
        sentence("the VAE needs {} of the GPU's memory beside the transformer, and {} are free",
                 formatBytes(vaeOnGpuBytes(plan.memory)), formatBytes(plan.memory.deviceAvailable));
    plan.vaeOnGpu = false;
    plan.vaeStripsInTurn = 1;
    replan(plan);
}

/// What a GPU cannot do of the encoders, if anything.
std::optional<Sentence> whyEncodersNeedCpu(const ModelFacts& model) {
    const auto isFit = [](std::int64_t headDim) {
        return headDim <= HeadsOnGpu::widest && headDim % HeadsOnGpu::step == 0;
    };
    std::int64_t headDim = model.textEncoder.dKv;
    if (isFit(headDim) && model.imageEncoder)
        headDim = model.imageEncoder->hiddenSize / model.imageEncoder->heads;
    if (isFit(headDim))
        return std::nullopt;
    return sentence("an encoder's heads have {} numbers; a GPU takes multiples of {} up to {}", headDim,
                    HeadsOnGpu::step, HeadsOnGpu::widest);
}

/// Puts the encoders on the GPU where what the plan has there leaves room for a layer and its activations.
void placeEncoders(RunPlan& plan, const Replan& replan) {
    std::optional<Sentence> why = whyEncodersNeedCpu(plan.model);
    if (!why) {
        plan.encodersOnGpu = true;
        replan(plan);
        if (fitsGpu(plan))
            return;
        why = sentence("with the encoders the GPU would hold {}, and {} are free",
                       formatBytes(plan.memory.deviceEncoding()), formatBytes(plan.memory.deviceAvailable));
    }
    plan.encodersOnGpu = false;
    plan.whyEncodersOnCpu = *std::move(why);
    replan(plan);
}

/// Streams layers until the plan fits, or none is left to stream.
void streamUntilFit(RunPlan& plan, const Replan& replan) {
    const std::int64_t layers = plan.model.transformerLayers ? std::ssize(*plan.model.transformerLayers) : 0;
    for (std::int64_t resident = plan.residentLayers.value_or(layers) - 1; resident >= 0 && !fitsGpu(plan);
         --resident) {
        plan.residentLayers = resident;
        replan(plan);
    }
}

}  // namespace

std::vector<Problem> gpuProblems(const Project& project, const ModelFacts& model, std::optional<int> ranks) {
    return choiceOf(project).numbers.empty() ? std::vector<Problem>() : unableProblems(project, model, ranks);
}

namespace {

/// A run with a GPU, or on the CPU.
struct TimedRun {
    bool isMeasured = false;        ///< whatever the run is made of
    std::optional<double> seconds;  ///< predicted; nothing also where it does not fit
};

/// With this GPU, or null: on the CPU.
TimedRun timedRun(const ChosenGpu* gpu, const RunPlan& plan, const PredictionBasis& basis,
                  const Replan& replan) {
    const std::vector<std::string> ids =
        gpu == nullptr ? std::vector<std::string>() : std::vector{gpu->facts.id};
    if (!ratesFor(ids, basis))
        return {};
    RunPlan trial = plan;
    if (gpu != nullptr) {
        trial.gpus = {*gpu};
        trial.vaeOnGpu = true;
        trial.vaeStrips = 1;
    }
    replan(trial);
    fitIntoGpu(trial, replan);
    if (gpu != nullptr && trial.gpus.empty())
        return {.isMeasured = true, .seconds = {}};
    const std::optional<Prediction> prediction = predictPlan(trial, basis);
    if (!prediction)
        return {};
    return {.isMeasured = true, .seconds = prediction->total.seconds};
}

/// A GPU with the seconds that a run is predicted to take on it.
struct TimedGpu {
    const ChosenGpu* gpu = nullptr;
    double seconds = std::numeric_limits<double>::infinity();
};

/// Takes the fastest of these real GPUs, the best first, or none and says why. Those that were not measured
/// are told by their kind.
void takeFastest(RunPlan& plan, const std::vector<ChosenGpu>& real, const Replan& replan) {
    const MachineIdentity machine = MachineIdentity::ofThis();
    const PredictionBasis basis{
        .rates = readRates(ratesFile(machine), machine), .past = {}, .gpuRates = readGpuRates(machine)};
    const std::optional<double> onCpu = timedRun(nullptr, plan, basis, replan).seconds;
    const ChosenGpu& best = real.front();
    bool isMeasured = false;
    TimedGpu fastest;
    for (const ChosenGpu& gpu : real) {
        const TimedRun timed = timedRun(&gpu, plan, basis, replan);
        if (&gpu == &best)
            isMeasured = onCpu && timed.isMeasured;
        if (timed.seconds && *timed.seconds < fastest.seconds)
            fastest = {.gpu = &gpu, .seconds = *timed.seconds};
    }
    if (best.facts.kind == GpuKind::Discrete && !isMeasured) {
        plan.gpus = {best};
    } else if (!onCpu || fastest.gpu == nullptr) {
        // Where it was measured, it is too small: taken, it shows what is short.
        if (isMeasured)
            plan.gpus = {best};
        else
            useCpuInstead(plan, sentence("nothing has measured whether {} is faster than the CPU; gpus: 0 "
                                         "takes the first GPU all the same",
                                         best.facts.name));
    } else if (fastest.seconds < *onCpu) {
        plan.gpus = {*fastest.gpu};
    } else {
        useCpuInstead(plan, sentence("{} is predicted to take {:.3g} s, and the CPU {:.3g} s",
                                     fastest.gpu->facts.name, fastest.seconds, *onCpu));
    }
}

/// The list is for all devices of the mesh, or for those of each process.
std::vector<int> numbersOf(const GpuChoice& choice, const RunPlan& plan, int rank) {
    const auto own = static_cast<std::size_t>(plan.devicesPerRank());
    if (choice.numbers.size() <= own)
        return choice.numbers;
    const auto first = choice.numbers.begin() + static_cast<std::ptrdiff_t>(own) * rank;
    return {first, first + static_cast<std::ptrdiff_t>(own)};
}

void chooseAutomatically(RunPlan& plan, const PlanOptions& options, const Replan& replan) {
    if (const std::vector<Problem> unfit = unableProblems(plan.project, plan.model, plan.ranks);
        !unfit.empty())
        return useCpuInstead(plan, unfit.front().message);
    std::vector<GpuDriver> asked;
    try {
        asked = options.drivers ? *options.drivers : recentDrivers();
    } catch (const Error& failure) {  // no program that could ask
        return useCpuInstead(plan, failure.asSentence());
    }
    const std::vector<ChosenGpu> real = realGpus(asked);
    if (real.empty()) {
        const Sentence none = whyNoGpu(asked);
        return useCpuInstead(plan, none.empty()
                                       ? sentence("there is a software driver only, which auto does not take")
                                       : none);
    }
    takeFastest(plan, real, replan);
}

}  // namespace

std::vector<int> gpuNumbers(const RunPlan& plan) {
    if (plan.gpus.empty())
        return {};
    const GpuChoice choice = choiceOf(plan.project);
    if (choice.automatic)  // of a mesh of one device
        return {plan.gpus.front().number};
    std::vector<int> numbers;
    for (int rank = 0; rank < plan.ranks; ++rank)
        std::ranges::copy(numbersOf(choice, plan, rank), std::back_inserter(numbers));
    return numbers;
}

std::uint64_t freeOfEach(std::span<const ChosenGpu> gpus) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const ChosenGpu& gpu : gpus) {
        const auto devices =
            static_cast<std::uint64_t>(std::ranges::count(gpus, gpu.number, &ChosenGpu::number));
        const double free = gpu.facts.memoryFree.value_or(gpu.facts.memoryTotal);
        least = std::min(least, static_cast<std::uint64_t>(free) / devices);
    }
    return gpus.empty() ? 0 : least;
}

void planGpus(RunPlan& plan, const PlanOptions& options, const Replan& replan) {
    GpuChoice choice = choiceOf(plan.project);
    if (choice.isNone())
        return;
    if (choice.automatic) {
        chooseAutomatically(plan, options, replan);
    } else {
        choice.numbers = numbersOf(choice, plan, options.rank);
        plan.gpus = chooseGpus(choice, options.drivers ? *options.drivers : askDrivers(usualQuestion()));
    }
    plan.vaeOnGpu = !plan.gpus.empty();
    if (plan.vaeOnGpu)
        plan.vaeStrips = 1;  // each device decodes videos of its own
}

void fitIntoGpu(RunPlan& plan, const Replan& replan) {
    if (plan.gpus.empty())
        return;
    // Streamed layers cost less time than a VAE on the CPU, which is the last resort.
    cutVaeUntilFit(plan, replan);
    if (vaeOnGpuBytes(plan.memory) > plan.memory.deviceAvailable)
        keepVaeOnCpu(plan, replan);
    const std::optional<std::int64_t> asked = plan.residentLayers;
    streamUntilFit(plan, replan);
    if (!fitsGpu(plan) && plan.vaeOnGpu) {
        plan.residentLayers = asked;
        keepVaeOnCpu(plan, replan);
        streamUntilFit(plan, replan);
    }
    if (fitsGpu(plan))
        return placeEncoders(plan, replan);
    const Problem problem = shortMemory(plan);
    if (!choiceOf(plan.project).automatic)
        throw Error(ErrorKind::Resources, problem);
    plan.residentLayers.reset();
    useCpuInstead(plan, problem.message);
    replan(plan);
}

}  // namespace meshreel
