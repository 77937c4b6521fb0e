// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/estimates/work.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/plan_work.h"
#include "engine/project/project_keys.h"
#include "engine/sampling/step_caches.h"

namespace meshreel {
namespace {

constexpr const char* devicesKey = "devices";

/// Every key that says how many devices there are, alone or with others.
std::vector<std::string> deviceKeys() {
    std::vector<std::string> keys{devicesKey};
    for (const MeshLevel level : {MeshLevel::Ici, MeshLevel::Dcn})
        for (const MeshAxis axis : meshAxes)
            keys.push_back(axisKey(level, axis));
    return keys;
}

Project changed(Project project, const KeyChange& change) {
    setFromText(project, *findProjectKey(change.key), change.value);
    return project;
}

/// Returns the plan on one device; null if that is not legal or does not fit.
PlanPtr onOneDevice(const Project& project, const PlanOptions& options) {
    try {
        PlanPtr plan = makePlan(project, options);
        return plan->layout.devices() == 1 ? plan : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

/// A project whose mesh and attention need no other device.
Project withoutMesh(Project project) {
    for (const std::string& key : deviceKeys())
        project = changed(project, {.key = key, .value = "1"});
    for (const KeyChange& change : {KeyChange{"attention", "flash"}, KeyChange{"ulysses_shards", "-1"}})
        project = changed(project, change);
    return project;
}

struct OneDevice {
    PlanPtr plan;
    KeyChanges fix;  ///< for one key; empty when several have to be changed
};

std::optional<OneDevice> oneDevice(const Project& project, const PlanOptions& options) {
    for (const std::string& key : deviceKeys()) {
        const KeyChange change{.key = key, .value = "1"};
        if (valueText(project, *findProjectKey(key)) == change.value)
            continue;
        if (PlanPtr plan = onOneDevice(changed(project, change), options))
            return OneDevice{std::move(plan), {change}};
    }
    if (PlanPtr plan = onOneDevice(withoutMesh(project), options))
        return OneDevice{std::move(plan), {}};
    return std::nullopt;
}

}  // namespace

namespace {

const MachineRates* findGpu(const std::string& id, const PredictionBasis& basis) {
    const auto found = std::ranges::find_if(
        basis.gpuRates, [&](const MachineRates& rates) { return rates.machine.gpu == id; });
    return found == basis.gpuRates.end() ? nullptr : &*found;
}

}  // namespace

std::optional<MachineRates> ratesFor(std::span<const std::string> gpus, const PredictionBasis& basis) {
    std::vector<MachineRates> own;
    for (const std::string& gpu : gpus)
        if (const MachineRates* rates = findGpu(gpu, basis))
            own.push_back(*rates);
    if (!basis.rates || own.size() < gpus.size())
        return std::nullopt;
    return ratesWithGpus(*basis.rates, own);
}

namespace {

/// Names of what the work is made of and a GPU's rates do not know.
std::vector<std::string> lackingClasses(const RunWork& work, const MachineRates& gpu) {
    std::vector<std::string> names;
    for (const WorkClassRow& row : workClassRows()) {
        const auto needs = [&](const Work& part) { return part[row.kind] > 0; };
        if (row.processor == Processor::Gpu && gpu.secondsPerUnit[static_cast<std::size_t>(row.kind)] == 0 &&
            (needs(work.aroundSteps) || std::ranges::any_of(work.stages, needs)))
            names.emplace_back(row.name);
    }
    return names;
}

}  // namespace

std::optional<MachineRates> ratesFor(const RunWork& work, const PredictionBasis& basis) {
    const std::optional<MachineRates> rates = ratesFor(work.gpus, basis);
    const auto isLacking = [&](const std::string& id) {
        return !lackingClasses(work, *findGpu(id, basis)).empty();
    };
    return rates && std::ranges::none_of(work.gpus, isLacking) ? rates : std::nullopt;
}

std::optional<MissingRates> missingRates(const RunPlan& plan, const PredictionBasis& basis) {
    if (plan.ranks > 1)
        return std::nullopt;
    MissingRates missing;
    const RunWork work = measureWork(plan);
    for (const ChosenGpu& gpu : plan.placement.gpus) {
        const MachineRates* rates = findGpu(gpu.facts.id, basis);
        const std::vector<std::string> lacking =
            rates == nullptr ? std::vector<std::string>() : lackingClasses(work, *rates);
        if (rates != nullptr && lacking.empty())
            continue;
        if (missing.gpus.empty() && rates != nullptr)
            missing.why = sentence("the rates of {} lack {}, which an earlier build did not measure",
                                   gpu.facts.name, fmt::format("{}", fmt::join(lacking, ", ")));
        missing.gpus.push_back(gpu);
    }
    return missing.gpus.empty() && basis.rates ? std::nullopt : std::optional(std::move(missing));
}

namespace {

/// Steps that a cache shortens and whole ones say nothing about each other's times.
std::vector<PastRun> pastRunsFor(const RunPlan& plan, std::vector<PastRun> past) {
    const bool hasCache = plan.stepCache.kind != StepCacheKind::None;
    for (PastRun& run : past)
        if (run.hasShortSteps != hasCache)
            run.seconds[static_cast<std::size_t>(RunStage::Denoising)].reset();
    return past;
}

}  // namespace

std::optional<Prediction> predictPlan(const RunPlan& plan, const PredictionBasis& basis) {
    if (plan.ranks > 1)
        return std::nullopt;
    const RunWork work = measureWork(plan);
    const std::vector<PastRun> past = pastRunsFor(plan, basis.past);
    if (const std::optional<MachineRates> rates = ratesFor(work, basis))
        return predictRun(work, *rates, past);
    if (basis.rates || !basis.taught || !work.gpus.empty())
        return std::nullopt;
    Prediction taught = predictRun(work, *basis.taught, past);
    taught.byRunsAlone = true;
    return taught.pastRuns > 0 ? std::optional(taught) : std::nullopt;
}

std::optional<Sentence> foreignRatesRemark(const RunPlan& plan, const PredictionBasis& basis) {
    const MachineRates* foreign = basis.rates && !basis.rates->areOfThisBuild() ? &*basis.rates : nullptr;
    for (const ChosenGpu& gpu : plan.placement.gpus)
        if (const MachineRates* rates = findGpu(gpu.facts.id, basis);
            rates != nullptr && !rates->areOfThisBuild())
            foreign = rates;
    if (foreign == nullptr)
        return std::nullopt;
    const std::string& commit = foreign->commit;
    return sentence("Another build of Meshreel ({}) measured this machine: predictions may be off",
                    commit.empty() ? sentence("unknown") : Sentence(commit));
}

std::vector<LegalMesh> rankedMeshes(const RunPlan& plan, std::vector<int> hostRanks,
                                    const PredictionBasis* basis) {
    MeshSearch search{.hostRanks = std::move(hostRanks)};
    // Runs alone give the times of some meshes, but nothing to rank the others by.
    if (basis != nullptr && basis->rates && plan.project.hosts.empty())
        search.predict = [basis](const RunPlan& other) { return predictPlan(other, *basis); };
    return legalMeshes(plan, search);
}

std::optional<Problem> slowMeshWarning(const Project& asked, const PlanOptions& options, const RunPlan& plan,
                                       const Prediction& prediction, const PredictionBasis& basis) {
    // Seconds of several devices over those of one: whole runs of one and two devices were predicted within
    // 14 % (docs/performance.md).
    constexpr double clearly = 1.2;
    if (plan.layout.devices() == 1)
        return std::nullopt;
    PlanOptions alone = options;
    alone.devices = 0;
    const std::optional<OneDevice> one = oneDevice(asked, alone);
    if (!one)
        return std::nullopt;
    const std::optional<Prediction> other = predictPlan(*one->plan, basis);
    if (!other || prediction.byRunsAlone || other->byRunsAlone ||
        prediction.total.seconds <= clearly * other->total.seconds)
        return std::nullopt;
    return Problem{
        .id = "mesh-slow",
        .severity = Severity::Warning,
        .key = one->fix.empty() ? devicesKey : one->fix.front().key,
        .message = sentence("{} devices are predicted to take {:.1f} times as long here as one device",
                            plan.layout.devices(), prediction.total.seconds / other->total.seconds),
        .fixes = {{.words = sentence(
                       "Take one device: exchange and waiting cost more than sharing the work out saves"),
                   .changes = one->fix}}};
}

}  // namespace meshreel
