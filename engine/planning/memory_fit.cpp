// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/memory_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/placement.h"
#include "engine/estimates/run_work.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/planning/step_passes.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

bool fits(const MemoryEstimate& memory) {
    return memory.peak() <= memory.limit();
}

/// Another way to make the same video.
struct OtherSetting {
    Sentence (*text)();
    void (*apply)(Project& project);
};
constexpr std::array otherSettings = {
    OtherSetting{[]() -> Sentence { return "activations_dtype bfloat16"; },
                 [](Project& project) {
                     project.activationsDtype = "bfloat16";
                     project.weightsDtype = "bfloat16";
                 }},
    OtherSetting{[] { return sentence("weights_dtype int8 with activations_dtype bfloat16"); },
                 [](Project& project) {
                     project.activationsDtype = "bfloat16";
                     project.weightsDtype = "int8";
                 }},
    OtherSetting{[]() -> Sentence { return "vae_dtype bfloat16"; },
                 [](Project& project) { project.vaeDtype = "bfloat16"; }},
    OtherSetting{[]() -> Sentence { return "vae_decode_chunk 1"; },
                 [](Project& project) { project.vaeDecodeChunk = 1; }},
    OtherSetting{[]() -> Sentence { return "driving_keys recomputed"; },
                 [](Project& project) { project.drivingKeys = rowOf(DrivingKeysUse::Recomputed).name; }},
    OtherSetting{[]() -> Sentence { return "replicate_vae false"; },
                 [](Project& project) { project.replicateVae = false; }},
};

/// Settings that fit, in words and as changes of the project.
struct Found {
    Sentence text;
    KeyChanges changes;
};

/// The largest memory_budget in GiB, to a thousandth, that stays within `available` bytes.
double budgetWithin(std::uint64_t available) {
    constexpr double steps = 1000;
    return std::floor(static_cast<double>(available) / gibibyte * steps) / steps;
}

}  // namespace

KeyChanges changesBetween(const Project& before, const Project& after) {
    KeyChanges changes;
    for (const ProjectKey& key : projectKeys())
        if (valueText(before, key) != valueText(after, key))
            changes.push_back({.key = std::string(key.name), .value = valueText(after, key)});
    return changes;
}

namespace {

std::int64_t countLayers(const RunTask& task) {
    return task.model.transformerLayers ? std::ssize(*task.model.transformerLayers) : 0;
}

/// Looks for settings with which a run fits whose parts are where the placement has them.
class Search {
  public:
    Search(const RunTask& task, const Placed& placed) : m_task(task), m_placed(placed) {}

    /// Returns the nearest settings, each by itself: other types and chunks, layers that are read for each
    /// use; if none of these is enough, several of them together; fewer frames, a smaller size of about the
    /// same form, devices that divide the weights.
    [[nodiscard]] std::vector<Found> settings() {
        for (const OtherSetting& other : otherSettings)
            tryOther(other);
        tryBudget();
        if (m_found.empty())
            tryTogether();
        tryFewerFrames();
        trySmallerSize();
        trySharedWeights();
        return std::move(m_found);
    }

  private:
    [[nodiscard]] bool fitsAs(const Project& changed) const {
        return fits(memoryOf(withProject(m_task, changed), m_placed.placement));
    }

    [[nodiscard]] bool fitsStreamed(const Project& changed) const {
        return fits(memoryOf(withProject(m_task, changed), m_placed.placement.withResidentLayers(0)));
    }

    void add(Sentence text, const Project& changed) {
        m_found.push_back({std::move(text), changesBetween(m_task.project, changed)});
    }

    void tryOther(const OtherSetting& other) {
        Project changed = m_task.project;
        other.apply(changed);
        if (changed != m_task.project && fitsAs(changed))
            add(other.text(), changed);
    }

    void tryBudget() {
        if (m_task.project.memoryBudget > 0)
            return;
        const double budget = budgetWithin(m_task.hostMemory);
        Project changed = m_task.project;
        changed.memoryBudget = budget;
        if (fitsStreamed(changed))
            add(sentence("memory_budget {:g} (layers are read from the checkpoint when they are used)",
                         budget),
                changed);
    }

    void tryTogether() {
        for (const Project& leaner : leanerProjects(m_task.project, m_task.hostMemory))
            if (leaner.memoryBudget > 0 ? fitsStreamed(leaner) : fitsAs(leaner)) {
                Sentence text;
                for (const KeyChange& change : changesBetween(m_task.project, leaner)) {
                    const std::string one = fmt::format("{} {}", change.key, change.value);
                    text = text.empty() ? Sentence(one) : sentence("{} with {}", text, one);
                }
                return add(std::move(text), leaner);
            }
    }

    void tryFewerFrames() {
        const std::int64_t group = m_task.model.vae.temporalFactor();
        Project shorter = m_task.project;
        for (shorter.numFrames -= group; shorter.numFrames > 0; shorter.numFrames -= group)
            if (fitsAs(shorter))
                return add(fmt::format("num_frames {}", shorter.numFrames), shorter);
    }

    void trySmallerSize() {
        const Project& project = m_task.project;
        const auto& patch = m_task.model.transformer.patch;
        const std::int64_t step = m_task.model.vae.spatialFactor() * std::max(patch[1], patch[2]);
        Project smaller = project;
        for (smaller.width -= step; smaller.width > 0; smaller.width -= step) {
            smaller.height = std::max(step, smaller.width * project.height / project.width / step * step);
            if (fitsAs(smaller))
                return add(sentence("width {} and height {}", smaller.width, smaller.height), smaller);
        }
    }

    /// Only processes that have memory of their own gain by it.
    void trySharedWeights() {
        const int devices = m_task.layout.devices();
        const MeshLayout shared(MeshShape{.fsdp = devices});
        if (m_task.ranks > 1 && m_task.layout.shape().fsdp < devices &&
            fits(memoryOf(withLayout(m_task, shared), m_placed.placement))) {
            Project changed = m_task.project;
            changed.iciFsdpParallelism = devices;
            changed.iciContextParallelism = changed.dcnContextParallelism = 1;
            add(sentence("ici_fsdp_parallelism {} with ici_context_parallelism and dcn_context_parallelism 1",
                         devices),
                changed);
        }
    }

    const RunTask& m_task;
    const Placed& m_placed;
    std::vector<Found> m_found;
};

}  // namespace

Sentence hungriestStage(const MemoryEstimate& memory) {
    const std::uint64_t peak = memory.peak();
    if (memory.decoding.total() == peak)
        return sentence("decoding");
    if (memory.denoising.total() == peak)
        return sentence("denoising");
    return memory.conditioning.total() == peak ? sentence("encoding the prompt") : sentence("loading");
}

namespace {

/// Keeps both of two experts in memory, with the pages of their files, if there is room.
Placed withBothExperts(const RunTask& task, const Placed& placed) {
    if (task.model.experts() == 1)
        return placed;
    Placed both = placedAs(
        task, placed.placement.with(transformerParts, [](PartPlan& part) { part.takesTurns = false; }));
    const MemoryEstimate& memory = both.memory;
    const std::uint64_t needed = memory.peak() + memory.denoising.mapped;
    const bool fitsGpus = !placed.placement.hasGpus() || memory.devicePeak() <= memory.deviceAvailable;
    if (needed <= placed.memory.limit() && fitsGpus)
        return both;
    const PassedOver inTurn{
        .place = placed.placement.find(PlacedPart::Transformer)->place,
        .reason = PlaceReason::HeldInTurn,
        .why = fitsGpus ? sentence("both experts need {}, and {} are available", formatBytes(needed),
                                   formatBytes(placed.memory.limit()))
                        : sentence("with both experts the GPU would hold {}, and {} are free",
                                   formatBytes(memory.devicePeak()), formatBytes(memory.deviceAvailable))};
    return {.placement = placed.placement.with(transformerParts,
                                               [&](PartPlan& part) { part.passedOver.push_back(inTurn); }),
            .memory = placed.memory};
}

/// Keeps as many layers as memory_budget holds, or none.
Placed withinBudget(const RunTask& task, const Placed& placed) {
    std::int64_t beyond = placed.placement.residentLayers().value_or(countLayers(task));
    if (beyond == 0 || fits(placed.memory))
        return placed;
    const PassedOver allLayers{
        .place = placed.placement.find(PlacedPart::Transformer)->place,
        .reason = PlaceReason::BudgetShort,
        .why = sentence("with all layers the run needs {}, and memory_budget allows {}",
                        formatBytes(placed.memory.peak()), formatBytes(placed.memory.budget))};
    const Placement left = placed.placement.with(
        transformerParts, [&](PartPlan& part) { part.passedOver.push_back(allLayers); });
    const auto keeping = [&](std::int64_t resident) {
        return placedAs(task, left.withResidentLayers(resident));
    };
    Placed best = keeping(0);
    std::int64_t fitting = 0;
    while (fits(best.memory) && beyond - fitting > 1) {
        const std::int64_t middle = (fitting + beyond) / 2;
        Placed tried = keeping(middle);
        if (fits(tried.memory)) {
            fitting = middle;
            best = std::move(tried);
        } else {
            beyond = middle;
        }
    }
    return best;
}

/// Returns whether the project sets the limit, rather than the machine.
bool limitedByBudget(const MemoryEstimate& memory) {
    return memory.budget > 0 && memory.available >= memory.budget;
}

Sentence refusal(const MemoryEstimate& memory) {
    const std::string peak = formatBytes(memory.peak());
    const Sentence stage = hungriestStage(memory);
    if (!limitedByBudget(memory))
        return sentence("the run needs about {} of memory for {}, and {} are available", peak, stage,
                        formatBytes(memory.available));
    return sentence(
        "the run needs about {} of memory for {} with no layer kept in memory, and memory_budget "
        "allows {}",
        peak, stage, formatBytes(memory.budget));
}

/// What the user can do.
Sentence adviceFor(const MemoryEstimate& memory, const std::vector<Found>& settings) {
    const bool budget = limitedByBudget(memory);
    if (settings.empty())
        return budget
                   ? sentence("No smaller video fits either: raise memory_budget, or use a smaller model")
                   : sentence("No smaller video fits either: use a smaller model, or close other programs");
    Sentence choices = settings.front().text;
    for (const Found& setting : std::span(settings).subspan(1))
        choices = sentence("{}, or {}", choices, setting.text);
    return budget ? sentence("This fits: {}; or raise memory_budget", choices)
                  : sentence("This fits: {}; or close other programs", choices);
}

[[noreturn]] void refuseForMemory(const MemoryEstimate& memory, std::vector<Found> settings) {
    std::vector<Fix> fixes = byHand(adviceFor(memory, settings));
    fixes.resize(std::max<std::size_t>(1, settings.size()));
    for (std::size_t i = 0; i < settings.size(); ++i)
        fixes[i].changes = std::move(settings[i].changes);
    throw Error(ErrorKind::Resources, Problem{.id = "memory-short",
                                              .key = memory.budget > 0 ? "memory_budget" : "",
                                              .message = refusal(memory),
                                              .fixes = std::move(fixes)});
}

}  // namespace

std::vector<Project> leanerProjects(const Project& project, std::uint64_t available) {
    using Change = void (*)(Project&);
    constexpr std::array<Change, 3> types = {
        [](Project&) {},
        [](Project& leaner) {
            leaner.activationsDtype = "bfloat16";
            if (leaner.weightsDtype == "float32")
                leaner.weightsDtype = "bfloat16";
        },
        [](Project& leaner) {
            leaner.activationsDtype = "bfloat16";
            leaner.weightsDtype = "int8";
        },
    };
    constexpr std::array<Change, 2> decoders = {[](Project&) {},
                                                [](Project& leaner) { leaner.vaeDtype = "bfloat16"; }};
    std::vector<Project> leaner;
    for (const Change decoder : decoders)
        for (const bool streams : {false, true})
            for (const Change type : types) {
                Project changed = project;
                decoder(changed);
                type(changed);
                if (streams && project.memoryBudget == 0)
                    changed.memoryBudget = budgetWithin(available);
                if (changed != project && std::ranges::find(leaner, changed) == leaner.end())
                    leaner.push_back(std::move(changed));
            }
    return leaner;
}

Placed keepWhatFits(const RunTask& task, const Placed& placed) {
    const Placed kept = withBothExperts(task, placed);
    return kept.memory.budget > 0 ? withinBudget(task, kept) : kept;
}

Placed fitIntoMemory(const RunTask& task, const Placed& placed) {
    Placed kept = keepWhatFits(task, placed);
    if (!fits(kept.memory))
        refuseForMemory(kept.memory, Search(task, kept).settings());
    return kept;
}

namespace {

/// Returns the bytes of the checkpoint that a pass of one transformer reads.
std::uint64_t readInPass(const RunPlan& plan, const StoredLayers& layers) {
    std::uint64_t bytes = 0;
    for (std::size_t index = 0; layers && index < layers->size(); ++index) {
        const std::int64_t all = std::ssize(*layers);
        const bool streams = !staysResident(static_cast<std::int64_t>(index), all,
                                            plan.placement.residentLayers().value_or(all));
        const LayerMemory read = layerMemory((*layers)[index], {}, plan.precision.transformer, streams);
        // What a GPU keeps is read once.
        bytes += read.mappedUse + (plan.placement.isOnGpu(PlacedPart::Transformer) ? 0 : read.mapped);
    }
    return bytes;
}

}  // namespace

std::uint64_t diskBytesPerStep(const RunPlan& plan) {
    const std::uint64_t read =
        std::max(readInPass(plan, plan.model.transformerLayers), readInPass(plan, plan.model.secondLayers));
    const std::uint64_t held = plan.memory.denoising.total();
    const std::uint64_t kept = plan.memory.available - std::min(plan.memory.available, held);
    return read <= kept ? 0 : read * static_cast<std::uint64_t>(passesPerStep(plan));
}

}  // namespace meshreel
