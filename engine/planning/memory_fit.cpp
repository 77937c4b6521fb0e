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
#include "engine/models/layers/layer_memory.h"
#include "engine/planning/run_work.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

std::uint64_t bytesOf(double gibibytes) {
    return static_cast<std::uint64_t>(gibibytes * gibibyte);
}

bool fits(const RunPlan& plan) {
    return plan.memory.peak() <= plan.memory.limit();
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

/// Looks for plans that fit.
class Search {
  public:
    Search(const RunPlan& plan, const Replan& replan) : m_plan(plan), m_replan(replan) {}

    /// The nearest settings, each by itself: other types and chunks, layers that are read for each use; where
    /// none of these does, several of them together; fewer frames, a smaller size of about the same form,
    /// devices that share the weights out.
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

    [[nodiscard]] static std::int64_t countLayers(const RunPlan& plan) {
        return plan.model.transformerLayers ? std::ssize(*plan.model.transformerLayers) : 0;
    }

  private:
    template <typename Change>
    [[nodiscard]] bool fitsWith(const Change& change) const {
        RunPlan other = m_plan;
        change(other);
        other.precision = readPrecision(other.project);
        m_replan(other);
        return fits(other);
    }

    [[nodiscard]] bool fitsAs(const Project& changed) const {
        return fitsWith([&](RunPlan& plan) { plan.project = changed; });
    }

    void add(Sentence text, const Project& changed) {
        m_found.push_back({std::move(text), changesBetween(m_plan.project, changed)});
    }

    void tryOther(const OtherSetting& other) {
        Project changed = m_plan.project;
        other.apply(changed);
        if (changed != m_plan.project && fitsAs(changed))
            add(other.text(), changed);
    }

    void tryBudget() {
        if (m_plan.memory.budget > 0)
            return;
        const double budget = budgetWithin(m_plan.memory.available);
        if (fitsWith([&](RunPlan& plan) {
                plan.memory.budget = bytesOf(budget);
                plan.residentLayers = 0;
            })) {
            Project changed = m_plan.project;
            changed.memoryBudget = budget;
            add(sentence("memory_budget {:g} (layers are read from the checkpoint when they are used)",
                         budget),
                changed);
        }
    }

    void tryTogether() {
        for (const Project& leaner : leanerProjects(m_plan.project, m_plan.memory.available))
            if (fitsWith([&](RunPlan& plan) {
                    plan.project = leaner;
                    plan.memory.budget = bytesOf(leaner.memoryBudget);
                    if (leaner.memoryBudget > 0)
                        plan.residentLayers = 0;
                })) {
                Sentence text;
                for (const KeyChange& change : changesBetween(m_plan.project, leaner)) {
                    const std::string one = fmt::format("{} {}", change.key, change.value);
                    text = text.empty() ? Sentence(one) : sentence("{} with {}", text, one);
                }
                return add(std::move(text), leaner);
            }
    }

    void tryFewerFrames() {
        const std::int64_t group = m_plan.model.vae.temporalFactor();
        Project shorter = m_plan.project;
        for (shorter.numFrames -= group; shorter.numFrames > 0; shorter.numFrames -= group)
            if (fitsAs(shorter))
                return add(fmt::format("num_frames {}", shorter.numFrames), shorter);
    }

    void trySmallerSize() {
        const Project& project = m_plan.project;
        const auto& patch = m_plan.model.transformer.patch;
        const std::int64_t step = m_plan.model.vae.spatialFactor() * std::max(patch[1], patch[2]);
        Project smaller = project;
        for (smaller.width -= step; smaller.width > 0; smaller.width -= step) {
            smaller.height = std::max(step, smaller.width * project.height / project.width / step * step);
            if (fitsAs(smaller))
                return add(sentence("width {} and height {}", smaller.width, smaller.height), smaller);
        }
    }

    /// Only processes that have memory of their own gain by it.
    void trySharedWeights() {
        const int devices = m_plan.layout.devices();
        const MeshLayout shared(MeshShape{.fsdp = devices});
        if (m_plan.ranks > 1 && m_plan.layout.shape().fsdp < devices &&
            fitsWith([&](RunPlan& plan) { plan.layout = shared; })) {
            Project changed = m_plan.project;
            changed.iciFsdpParallelism = devices;
            changed.iciContextParallelism = changed.dcnContextParallelism = 1;
            add(sentence("ici_fsdp_parallelism {} with ici_context_parallelism and dcn_context_parallelism 1",
                         devices),
                changed);
        }
    }

    const RunPlan& m_plan;
    const Replan& m_replan;
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

/// With the pages of their files.
void keepBothExperts(RunPlan& plan, const Replan& replan) {
    if (plan.model.experts() == 1)
        return;
    RunPlan both = plan;
    both.bothExpertsResident = true;
    replan(both);
    if (both.memory.peak() + both.memory.denoising.mapped <= plan.memory.limit() &&
        (plan.gpus.empty() || both.memory.devicePeak() <= plan.memory.deviceAvailable))
        plan = std::move(both);
}

/// Keeps as many layers as fit, or none.
void streamLayers(RunPlan& plan, const Replan& replan) {
    const auto keep = [&](std::int64_t resident) {
        plan.residentLayers = resident;
        replan(plan);
        return fits(plan);
    };
    std::int64_t beyond = plan.residentLayers.value_or(Search::countLayers(plan));
    if (beyond == 0 || fits(plan) || !keep(0))
        return;
    std::int64_t fitting = 0;
    while (beyond - fitting > 1) {
        const std::int64_t middle = (fitting + beyond) / 2;
        (keep(middle) ? fitting : beyond) = middle;
    }
    keep(fitting);
}

/// By what the project allows, not by what the machine has.
bool limitedByBudget(const MemoryEstimate& memory) {
    return memory.budget > 0 && memory.available >= memory.budget;
}

Sentence refusal(const RunPlan& plan) {
    const MemoryEstimate& memory = plan.memory;
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

[[noreturn]] void refuseForMemory(const RunPlan& plan, std::vector<Found> settings) {
    std::vector<Fix> fixes = byHand(adviceFor(plan.memory, settings));
    fixes.resize(std::max<std::size_t>(1, settings.size()));
    for (std::size_t i = 0; i < settings.size(); ++i)
        fixes[i].changes = std::move(settings[i].changes);
    throw Error(ErrorKind::Resources, Problem{.id = "memory-short",
                                              .key = plan.memory.budget > 0 ? "memory_budget" : "",
                                              .message = refusal(plan),
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

bool tryFitIntoMemory(RunPlan& plan, std::uint64_t available, const Replan& replan) {
    plan.memory.available = available;
    plan.memory.budget = bytesOf(plan.project.memoryBudget);
    keepBothExperts(plan, replan);
    if (plan.memory.budget > 0)
        streamLayers(plan, replan);
    return fits(plan);
}

void fitIntoMemory(RunPlan& plan, std::uint64_t available, const Replan& replan) {
    if (!tryFitIntoMemory(plan, available, replan))
        refuseForMemory(plan, Search(plan, replan).settings());
}

namespace {

/// Bytes of the checkpoint that a pass reads of one transformer.
std::uint64_t readInPass(const RunPlan& plan, const StoredLayers& layers) {
    std::uint64_t bytes = 0;
    for (std::size_t index = 0; layers && index < layers->size(); ++index) {
        const std::int64_t all = std::ssize(*layers);
        const bool streams =
            !staysResident(static_cast<std::int64_t>(index), all, plan.residentLayers.value_or(all));
        const LayerMemory read = layerMemory((*layers)[index], {}, plan.precision.transformer, streams);
        // What a GPU keeps is read once.
        bytes += read.mappedUse + (plan.gpus.empty() ? read.mapped : 0);
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
