// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/gpu_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "engine/attention/attention_plan.h"
#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/gpu_check.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/estimates/prediction.h"
#include "engine/estimates/transformer_memory.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/planning/forecast.h"
#include "engine/planning/gpu_selection.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/project_settings.h"
#include "engine/project/project_validation.h"

namespace meshreel {
namespace {

const std::string gpuKey{GpuChoice::key};
const std::string noGpu{GpuChoice::noneName};

bool fitsGpu(const Placed& placed) {
    return placed.memory.devicePeak() <= placed.memory.deviceAvailable;
}

/// What the VAE needs by itself.
std::uint64_t vaeOnGpuBytes(const MemoryEstimate& memory) {
    return memory.deviceVae.weights + std::max(memory.deviceVae.encoding, memory.deviceVae.decoding);
}

bool vaeFits(const MemoryEstimate& memory) {
    return vaeOnGpuBytes(memory) <= memory.deviceAvailable;
}

Problem shortMemory(const Placed& placed) {
    const DeviceMemory& device = placed.memory.device;
    return {.id = "memory-short",
            .key = gpuKey,
            .involved = {"num_frames", "width", "height"},
            .message = sentence("the GPU {} needs {} of its memory for activations and {} for the layers in "
                                "use, and {} are free",
                                placed.placement.gpus.front().facts.name, formatBytes(device.activations),
                                formatBytes(device.used), formatBytes(placed.memory.deviceAvailable)),
            .fixes = {{.words = sentence("Make a smaller or shorter video, or use the CPU (gpus: none)"),
                       .changes = {{.key = gpuKey, .value = noGpu}}}}};
}

constexpr std::array decoderPart{PlacedPart::VaeDecoder};
constexpr std::array vaeEncoderPart{PlacedPart::VaeEncoder};

PassedOver shortOnGpu(PartPlace place, Sentence why) {
    return {.place = place, .reason = PlaceReason::MemoryShort, .why = std::move(why)};
}

/// The VAE's encoder on the CPU where the GPU has no room for what it computes, which nothing cuts.
Placed withVaeEncoderFitted(const RunTask& task, const Placed& placed) {
    const std::uint64_t needed = placed.memory.deviceVae.weights + placed.memory.deviceVae.encoding;
    if (!placed.placement.isOnGpu(PlacedPart::VaeEncoder) || needed <= placed.memory.deviceAvailable)
        return placed;
    const PassedOver onGpu = shortOnGpu(
        PartPlace::EveryGpu, sentence("encoding needs {} of the GPU's memory, and {} are free",
                                      formatBytes(needed), formatBytes(placed.memory.deviceAvailable)));
    return placedAs(task, placed.placement.with(vaeEncoderPart, [&](PartPlan& part) {
        part.place = PartPlace::Cpu;
        part.passedOver.push_back(onGpu);
    }));
}

/// Decoded frames in as few strips as fit.
Placed withVaeCut(const RunTask& task, Placed placed) {
    if (task.model.vae.tiny || placed.memory.deviceVae.weights > placed.memory.deviceAvailable ||
        vaeFits(placed.memory))
        return placed;
    const PassedOver wholeFrames = shortOnGpu(
        PartPlace::EveryGpu,
        sentence("decoding whole frames needs {} of the GPU's memory, and {} are free",
                 formatBytes(vaeOnGpuBytes(placed.memory)), formatBytes(placed.memory.deviceAvailable)));
    placed.placement =
        placed.placement.with(decoderPart, [&](PartPlan& part) { part.passedOver.push_back(wholeFrames); });
    while (!vaeFits(placed.memory) && placed.placement.vaeStripsInTurn() < task.latentShape[4])
        placed = placedAs(task,
                          placed.placement.with(decoderPart, [](PartPlan& part) { part.stripsInTurn *= 2; }));
    return placed;
}

Placed withVaeOnCpu(const RunTask& task, const Placed& placed) {
    const PassedOver onGpu = shortOnGpu(
        PartPlace::EveryGpu,
        sentence("the VAE needs {} of the GPU's memory beside the transformer, and {} are free",
                 formatBytes(vaeOnGpuBytes(placed.memory)), formatBytes(placed.memory.deviceAvailable)));
    return placedAs(task, placed.placement.with(vaeParts, [&](PartPlan& part) {
        if (!part.isOnGpu())
            return;
        part.place = PartPlace::Cpu;
        part.stripsInTurn = 1;
        part.passedOver.push_back(onGpu);
    }));
}

/// Keeps as many layers in the GPU's memory as fit, or none.
Placed withLayersStreamed(const RunTask& task, Placed placed) {
    if (fitsGpu(placed))
        return placed;
    const PassedOver allLayers =
        shortOnGpu(PartPlace::EveryGpu, sentence("with all layers the GPU would hold {}, and {} are free",
                                                 formatBytes(placed.memory.devicePeak()),
                                                 formatBytes(placed.memory.deviceAvailable)));
    placed.placement = placed.placement.with(transformerParts,
                                             [&](PartPlan& part) { part.passedOver.push_back(allLayers); });
    const StoredLayers& layers = task.model.transformerLayers;
    for (std::int64_t resident = layers ? std::ssize(*layers) - 1 : -1; resident >= 0 && !fitsGpu(placed);
         --resident)
        placed = placedAs(task, placed.placement.withResidentLayers(resident));
    return placed;
}

/// What a GPU cannot do of an encoder, if anything.
std::optional<Sentence> whyEncoderNeedsCpu(const ModelFacts& model, PlacedPart part) {
    const std::int64_t headDim = part == PlacedPart::TextEncoder
                                     ? model.textEncoder.dKv
                                     : model.imageEncoder->hiddenSize / model.imageEncoder->heads;
    if (headDim <= HeadsOnGpu::widest && headDim % HeadsOnGpu::step == 0)
        return std::nullopt;
    return sentence("an encoder's heads have {} numbers; a GPU takes multiples of {} up to {}", headDim,
                    HeadsOnGpu::step, HeadsOnGpu::widest);
}

/// An encoder on the GPU where what is there leaves room for a layer and its activations.
Placed withEncoder(const RunTask& task, const Placed& placed, PlacedPart encoder) {
    const std::array only{encoder};
    PassedOver onGpu{.place = PartPlace::FirstGpu, .reason = PlaceReason::GpuCannot, .why = {}};
    if (const std::optional<Sentence> why = whyEncoderNeedsCpu(task.model, encoder)) {
        onGpu.why = *why;
    } else {
        const Placed tried = placedAs(
            task, placed.placement.with(only, [](PartPlan& part) { part.place = PartPlace::FirstGpu; }));
        if (fitsGpu(tried))
            return tried;
        onGpu =
            shortOnGpu(PartPlace::FirstGpu, sentence("encoding there, the GPU would hold {}, and {} are free",
                                                     formatBytes(tried.memory.deviceEncoding()),
                                                     formatBytes(tried.memory.deviceAvailable)));
    }
    return placedAs(task,
                    placed.placement.with(only, [&](PartPlan& part) { part.passedOver.push_back(onGpu); }));
}

/// The encoders come one after the other: each by itself is on the GPU or not.
Placed withEncoders(const RunTask& task, Placed placed) {
    for (const PlacedPart encoder : encoderParts)
        if (placed.placement.find(encoder) != nullptr)
            placed = withEncoder(task, placed, encoder);
    return placed;
}

/// Every part of the run on the CPU. Of two experts one is in memory at a time, which the memory may change.
std::vector<PartPlan> partsOf(const RunTask& task) {
    std::vector<PartPlan> parts{{.part = PlacedPart::Transformer}};
    const bool hasExperts = task.model.experts() > 1;
    if (hasExperts)
        parts.push_back({.part = PlacedPart::SecondTransformer});
    for (PartPlan& transformer : parts)
        transformer.takesTurns = hasExperts;
    parts.push_back({.part = PlacedPart::TextEncoder});
    if (task.model.imageEncoder)
        parts.push_back({.part = PlacedPart::ImageEncoder});
    if (task.encodesVideo())
        parts.push_back({.part = PlacedPart::VaeEncoder});
    parts.push_back({.part = PlacedPart::VaeDecoder});
    if (previewDecoder(task.model) != nullptr)
        parts.push_back({.part = PlacedPart::PreviewDecoder});
    return parts;
}

}  // namespace

Placed placeOnCpu(const RunTask& task, const std::vector<PassedOver>& passedOver) {
    Placement placement{.parts = partsOf(task)};
    const int strips = vaeStrips(task.project, task.layout.devices());
    for (PartPlan& part : placement.parts) {
        part.passedOver = passedOver;
        if (part.part == PlacedPart::VaeEncoder || part.part == PlacedPart::VaeDecoder)
            part.strips = strips;
    }
    return placedAs(task, std::move(placement));
}

std::vector<PassedOver> whyOnCpu(const Placement& placement) {
    std::vector<PassedOver> all;
    if (const PartPlan* transformer = placement.find(PlacedPart::Transformer);
        transformer != nullptr && !placement.hasGpus())
        std::ranges::copy_if(transformer->passedOver, std::back_inserter(all),
                             [](const PassedOver& each) { return each.place != PartPlace::Cpu; });
    return all;
}

namespace {

/// Only keys that pass by in a ring, between devices of one process, take another way than through the host's
/// memory.
GpuExchange exchangeOf(const RunTask& task, const std::vector<ChosenGpu>& gpus) {
    const AttentionPlan& self = task.attentions.self;
    const bool isRing = self.rotations() > 0 && self.split.ulysses == 1;
    return isRing && std::ssize(gpus) == task.layout.devices() ? exchangeBetween(gpus) : GpuExchange::Staged;
}

}  // namespace

GpuPlacement placeOnGpus(const RunTask& task, const std::vector<ChosenGpu>& gpus,
                         const std::vector<PassedOver>& left) {
    // Each device decodes its own videos; a preview shows the first one.
    Placement placement{
        .gpus = gpus, .exchange = exchangeOf(task, gpus), .parts = partsOf(task), .gpusLeft = left};
    placement.parts.push_back({.part = PlacedPart::Embeddings});
    placement = placement.with(transformerParts, [](PartPlan& part) { part.place = PartPlace::EveryGpu; });
    placement = placement.with(vaeParts, [](PartPlan& part) {
        part.place = part.part == PlacedPart::PreviewDecoder ? PartPlace::FirstGpu : PartPlace::EveryGpu;
    });
    // Streamed layers cost less time than a VAE on the CPU, which is the last resort.
    Placed whole = withVaeCut(task, withVaeEncoderFitted(task, placedAs(task, std::move(placement))));
    if (!vaeFits(whole.memory))
        whole = withVaeOnCpu(task, whole);
    Placed placed = withLayersStreamed(task, whole);
    if (!fitsGpu(placed) && placed.placement.isOnGpu(PlacedPart::VaeDecoder))
        placed = withLayersStreamed(
            task, withVaeOnCpu(task, {.placement = whole.placement, .memory = placed.memory}));
    if (!fitsGpu(placed))
        return {.placed = placed, .shortage = shortMemory(placed)};
    return {.placed = withEncoders(task, std::move(placed)), .shortage = {}};
}

namespace {

/// A run with a GPU, or on the CPU.
struct TimedRun {
    const ChosenGpu* gpu = nullptr;        ///< null: the CPU
    bool isMeasured = false;               ///< whatever the run is made of
    std::optional<double> seconds = {};    ///< predicted; absent also when it does not fit
    std::optional<Problem> shortage = {};  ///< the GPU's memory does not hold it
};

/// Times the run with this GPU, or null: on the CPU.
TimedRun timedRun(const ChosenGpu* gpu, const RunTask& task, const PredictionBasis& basis) {
    const std::vector<std::string> ids =
        gpu == nullptr ? std::vector<std::string>() : std::vector{gpu->facts.id};
    if (!ratesFor(ids, basis))
        return {.gpu = gpu};
    const GpuPlacement trial = gpu == nullptr ? GpuPlacement{.placed = placeOnCpu(task, {}), .shortage = {}}
                                              : placeOnGpus(task, {*gpu});
    if (trial.shortage)
        return {.gpu = gpu, .isMeasured = true, .shortage = trial.shortage};
    const std::optional<Prediction> prediction = predictPlan(*withPlacement(task, trial.placed), basis);
    if (!prediction)
        return {.gpu = gpu};
    return {.gpu = gpu, .isMeasured = true, .seconds = prediction->total.seconds};
}

/// The GPU that `auto` takes, or none, and why not another one: each of those that were looked at. The last
/// of the reasons decides where the CPU is left.
struct FoundGpu {
    std::optional<ChosenGpu> gpu = {};
    std::vector<PassedOver> left = {};
};

/// Why a run on this GPU was left for one on the other.
PassedOver leftFor(const TimedRun& left, const TimedRun& taken) {
    const std::string& name = left.gpu->facts.name;
    const std::string& other = taken.gpu->facts.name;
    if (left.shortage)
        return shortOnGpu(PartPlace::EveryGpu, left.shortage->message);
    if (left.seconds && taken.seconds)
        return {.reason = PlaceReason::OtherGpu,
                .why = sentence("{} is predicted to take {:.3g} s, and {} {:.3g} s", name, *left.seconds,
                                other, *taken.seconds)};
    return {.reason = PlaceReason::NotMeasured,
            .why = sentence("nothing has measured whether {} is faster than {}", name, other)};
}

FoundGpu takenOf(const std::vector<TimedRun>& runs, const TimedRun& taken) {
    FoundGpu found{.gpu = *taken.gpu};
    for (const TimedRun& run : runs)
        if (run.gpu != taken.gpu)
            found.left.push_back(leftFor(run, taken));
    return found;
}

/// Why a run on this GPU was left for one on the CPU, which takes so many seconds; nothing: nobody knows.
PassedOver leftForCpu(const TimedRun& left, std::optional<double> onCpu) {
    const std::string& name = left.gpu->facts.name;
    if (left.shortage)
        return shortOnGpu(PartPlace::EveryGpu, left.shortage->message);
    if (left.seconds && onCpu)
        return {.reason = PlaceReason::GpuIsSlower,
                .why = sentence("{} is predicted to take {:.3g} s, and the CPU {:.3g} s", name, *left.seconds,
                                *onCpu)};
    return {.reason = PlaceReason::NotMeasured,
            .why = sentence("nothing has measured whether {} is faster than the CPU; gpus: {} takes it all "
                            "the same",
                            name, left.gpu->number)};
}

/// Returns the fastest of these real GPUs, the best first, or why none. Unmeasured ones are ranked by their
/// kind.
FoundGpu findFastest(const RunTask& task, const std::vector<ChosenGpu>& real) {
    const MachineIdentity machine = MachineIdentity::ofThis();
    const PredictionBasis basis{
        .rates = readRates(ratesFile(machine), machine), .past = {}, .gpuRates = readGpuRates(machine)};
    const std::optional<double> onCpu = timedRun(nullptr, task, basis).seconds;
    std::vector<TimedRun> runs;
    for (const ChosenGpu& gpu : real)
        runs.push_back(timedRun(&gpu, task, basis));
    const TimedRun& best = runs.front();
    const bool isMeasured = onCpu && best.isMeasured;
    if (best.gpu->facts.kind == GpuKind::Discrete && !isMeasured)
        return takenOf(runs, best);
    const auto seconds = [](const TimedRun& run) {
        return run.seconds.value_or(std::numeric_limits<double>::infinity());
    };
    const TimedRun& fastest = *std::ranges::min_element(runs, {}, seconds);
    if (onCpu && fastest.seconds && *fastest.seconds < *onCpu)
        return takenOf(runs, fastest);
    if (isMeasured && !fastest.seconds)  // it is too small: taken, it shows what is short
        return takenOf(runs, best);
    FoundGpu none;
    const TimedRun& decisive = onCpu && fastest.seconds ? fastest : best;
    for (const TimedRun& run : runs)
        if (&run != &decisive)
            none.left.push_back(leftForCpu(run, onCpu));
    none.left.push_back(leftForCpu(decisive, onCpu));
    return none;
}

/// The list is for all devices of the mesh, or for those of each process.
std::vector<int> numbersOf(const GpuChoice& choice, const RunTask& task, int rank) {
    const auto own = static_cast<std::size_t>(task.devicesPerRank());
    if (choice.numbers.size() <= own)
        return choice.numbers;
    const auto first = choice.numbers.begin() + static_cast<std::ptrdiff_t>(own) * rank;
    return {first, first + static_cast<std::ptrdiff_t>(own)};
}

/// What `auto` means for the task.
FoundGpu findGpu(const RunTask& task, const PlanOptions& options) {
    const auto none = [](PlaceReason reason, Sentence why) {
        return FoundGpu{.left = {{.reason = reason, .why = std::move(why)}}};
    };
    if (const std::vector<Problem> unfit = gpuObstacles(task.project, task.model, task.ranks); !unfit.empty())
        return none(PlaceReason::GpuCannot, unfit.front().message);
    std::vector<GpuDriver> asked;
    try {
        asked = options.drivers ? *options.drivers : recentDrivers();
    } catch (const Error& failure) {  // no program that could ask
        return none(PlaceReason::NoGpu, failure.asSentence());
    }
    const std::vector<ChosenGpu> real = realGpus(asked);
    if (!real.empty())
        return findFastest(task, real);
    const Sentence why = whyNoGpu(asked);
    return none(PlaceReason::NoGpu,
                why.empty() ? sentence("there is a software driver only, which auto does not take") : why);
}

Placed placeAutomatically(const RunTask& task, const PlanOptions& options) {
    FoundGpu found = findGpu(task, options);
    if (!found.gpu)
        return placeOnCpu(task, found.left);
    GpuPlacement onGpu = placeOnGpus(task, {*found.gpu}, found.left);
    if (!onGpu.shortage)
        return std::move(onGpu.placed);
    found.left.push_back(shortOnGpu(PartPlace::EveryGpu, onGpu.shortage->message));
    return placeOnCpu(task, found.left);
}

}  // namespace

std::vector<int> gpuNumbers(const RunPlan& plan) {
    if (!plan.placement.hasGpus())
        return {};
    const GpuChoice& choice = plan.project.gpus;
    if (choice.automatic)  // for a mesh of one device
        return {plan.placement.gpus.front().number};
    std::vector<int> numbers;
    for (int rank = 0; rank < plan.ranks; ++rank)
        std::ranges::copy(numbersOf(choice, plan, rank), std::back_inserter(numbers));
    return numbers;
}

Placed placeRun(const RunTask& task, const PlanOptions& options) {
    const GpuChoice& choice = task.project.gpus;
    if (choice.isNone())
        return placeOnCpu(task, {});
    if (choice.automatic)
        return placeAutomatically(task, options);
    const std::vector<ChosenGpu> gpus = chooseGpus({.numbers = numbersOf(choice, task, options.rank)},
                                                   options.drivers ? *options.drivers : recentDrivers());
    GpuPlacement onGpus = placeOnGpus(task, gpus);
    if (onGpus.shortage)
        throw Error(ErrorKind::Resources, *onGpus.shortage);
    return std::move(onGpus.placed);
}

}  // namespace meshreel
