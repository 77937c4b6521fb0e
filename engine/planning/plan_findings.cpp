// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/plan_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/sentence.h"
#include "engine/base/strings.h"
#include "engine/planning/model/part_sources.h"

namespace meshreel {
namespace {

ProjectProblem warning(std::string key, Sentence message, std::vector<KeyChanges> cures = {}) {
    return {.severity = Severity::Warning,
            .key = std::move(key),
            .message = std::move(message),
            .cures = std::move(cures)};
}

/// A frame rate that was left at the project's default, on a model that makes videos of another.
std::optional<ProjectProblem> frameRateWarning(const RunPlan& plan) {
    const double own = plan.model.family->defaults.fps;
    if (plan.project.fps != Project().fps || own == plan.project.fps)
        return std::nullopt;
    return warning("fps",
                   sentence("fps is {}, and the model ({}) makes {} frames a second", plan.project.fps,
                            tableText(plan.model.family->title), own),
                   {{{.key = "fps", .value = fmt::format("{}", own)}}});
}

std::optional<ProjectProblem> stepCacheWarning(const RunPlan& plan) {
    if (plan.stepCache.warning.empty())
        return std::nullopt;
    return warning("use_magcache", plan.stepCache.warning);
}

Sentence oversubscription(int devices, int workersPerDevice, int cpus) {
    const Sentence shared = cpus == 1 ? sentence("{} CPU", cpus) : sentence("{} CPUs", cpus);
    if (devices == 1)
        return sentence("{} workers share {}; more workers than CPUs are slower", workersPerDevice, shared);
    if (workersPerDevice == 1)
        return sentence("{} devices of {} worker share {}; more workers than CPUs are slower", devices,
                        workersPerDevice, shared);
    return sentence("{} devices of {} workers share {}; more workers than CPUs are slower", devices,
                    workersPerDevice, shared);
}

std::optional<ProjectProblem> oversubscriptionWarning(const RunPlan& plan, int cpus) {
    const int devices = plan.devicesPerRank();
    if (devices * plan.workersPerDevice <= cpus)
        return std::nullopt;
    return warning(plan.workersPerDevice > 1 ? "workers" : "devices",
                   oversubscription(devices, plan.workersPerDevice, cpus));
}

std::optional<ProjectProblem> memoryWarning(const RunPlan& plan) {
    constexpr double tight = 0.9;
    if (static_cast<double>(plan.memory.peak()) <= tight * static_cast<double>(plan.memory.available))
        return std::nullopt;
    return warning("memory_budget",
                   sentence("The run takes about {} of the {} of memory that are available",
                            formatBytes(plan.memory.peak()), formatBytes(plan.memory.available)));
}

/// The first few of the collapsed names, and how many more there are.
Sentence fewNames(std::span<const std::string> names) {
    constexpr std::size_t few = 6;
    std::vector<std::string> shown = collapsedNames(names);
    const std::size_t all = shown.size();
    shown.resize(std::min(all, few));
    const std::string list = fmt::format("{}", fmt::join(shown, ", "));
    return all > few ? sentence("{} and {} more", list, all - few) : Sentence(list);
}

}  // namespace

std::vector<ProjectProblem> modelFileWarnings(const Project& project, const ModelFacts& model) {
    std::vector<ProjectProblem> warnings;
    for (const PartRemark& remark : model.remarks) {
        const bool isAsked = askedFile(project, remark.part) != nullptr;
        warnings.push_back(
            warning(isAsked ? "parts." + remark.part : "pretrained_model_name_or_path", remark.message));
    }
    return warnings;
}

std::vector<ProjectProblem> planWarnings(const RunPlan& plan, int cpus) {
    std::vector<ProjectProblem> warnings = modelFileWarnings(plan.project, plan.model);
    for (std::optional<ProjectProblem> found : {frameRateWarning(plan), stepCacheWarning(plan),
                                                oversubscriptionWarning(plan, cpus), memoryWarning(plan)})
        if (found)
            warnings.push_back(std::move(*found));
    return warnings;
}

AdapterFindings adapterFindings(const RunPlan& plan) {
    AdapterFindings findings;
    const std::string key = plan.presetAdapters ? "preset" : "lora";
    for (const PlannedAdapter& planned : plan.adapters) {
        for (const Sentence& warning : planned.adapter->warnings())
            findings.warnings.push_back(
                {.severity = Severity::Warning,
                 .key = key,
                 .message = sentence("{}: {}", planned.adapter->path().filename().string(), warning)});
        const Sentence headline = adapterHeadline(planned);
        const Sentence changes = sentence("Changes {}", fewNames(planned.adapter->changedNames()));
        const std::vector<std::string>& unmatched = planned.adapter->unmatchedKeys();
        if (unmatched.empty())
            findings.notes.push_back({.key = key, .message = headline, .detail = changes});
        else
            findings.warnings.push_back(
                {.severity = Severity::Warning,
                 .key = key,
                 .message = headline,
                 .hint = sentence("{}; fits nothing: {}", changes, fewNames(unmatched))});
    }
    return findings;
}

}  // namespace meshreel
