// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/plan_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"
#include "engine/catalogue/adapters.h"
#include "engine/catalogue/asked_parts.h"
#include "engine/catalogue/expert_contradictions.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/models/families/model_identity.h"
#include "engine/project/project.h"
#include "engine/project/project_validation.h"

namespace meshreel {
namespace {

constexpr std::string_view modelKey = "pretrained_model_name_or_path";

Problem warning(ProblemId id, std::string key, Sentence message, std::vector<Fix> fixes = {}) {
    return {.id = id,
            .severity = Severity::Warning,
            .key = std::move(key),
            .message = std::move(message),
            .fixes = std::move(fixes)};
}

/// What the model was trained with and the project does not give it, at the key that would.
std::optional<Problem> trainedInputWarning(const Project& project, const ModelFamily& family) {
    const TrainedInput trained = family.traits.trained;
    const WanTask task = chooseTask(project, family).task;
    if (task == WanTask::DrivenAnimation && !takesDrivingVideo(trained))
        return warning("trained-input-missing", "task",
                       sentence("No tensor tells Animate-2 from image to video, and neither the model's name "
                                "nor its configs say that it is Animate-2: of other weights {} makes nothing "
                                "useful",
                                rowOf(task).name));
    if (takesDrivingVideo(trained))  // they have no other task
        return std::nullopt;
    if (trained == TrainedInput::None || task == WanTask::SubjectsToVideo || task == WanTask::TracksToVideo ||
        task == WanTask::MoveToVideo || task == WanTask::SourcesToVideo)
        return std::nullopt;
    const std::string_view key = trained == TrainedInput::Subjects  ? "reference_images"
                                 : trained == TrainedInput::Sources ? "video"
                                                                    : "tracks";
    return warning("trained-input-missing", std::string(key), describeTrainedInput(trained));
}

/// What is worth knowing about the files of a project's model, at the keys that name them.
std::vector<Problem> modelFileWarnings(const Project& project, const ModelFacts& model) {
    std::vector<Problem> warnings;
    for (const PartRemark& remark : model.remarks) {
        const bool isAsked = askedFile(project, remark.part) != nullptr;
        warnings.push_back(warning("model-files-remark",
                                   isAsked ? "parts." + remark.part : std::string(modelKey), remark.message));
    }
    if (std::optional<Problem> lacking = trainedInputWarning(project, *model.family))
        warnings.push_back(*std::move(lacking));
    std::ranges::move(expertContradictions(project), std::back_inserter(warnings));
    return warnings;
}

/// A frame rate that was left at the project's default, on a model that makes videos of another.
std::optional<Problem> frameRateWarning(const RunTask& task) {
    const double own = task.model.family->defaults.fps;
    if (task.project.fps != Project().fps || own == task.project.fps)
        return std::nullopt;
    return warning("frame-rate-differs", "fps",
                   sentence("fps is {}, and the model ({}) makes {} frames a second", task.project.fps,
                            tableText(task.model.family->title), own),
                   setKey({}, "fps", {fmt::format("{}", own)}));
}

std::optional<Problem> stepCacheWarning(const RunTask& task) {
    if (task.stepCache.warning.empty())
        return std::nullopt;
    return warning("curve-of-other-model", "use_magcache", task.stepCache.warning);
}

Sentence oversubscription(int devices, int workersPerDevice, int cpus) {
    const Sentence shared = cpus == 1 ? sentence("{} CPU", cpus) : sentence("{} CPUs", cpus);
    if (devices == 1)
        return sentence("{} workers share {}; running more workers than CPUs slows things down",
                        workersPerDevice, shared);
    if (workersPerDevice == 1)
        return sentence("{} devices of {} worker share {}; running more workers than CPUs slows things down",
                        devices, workersPerDevice, shared);
    return sentence("{} devices of {} workers share {}; running more workers than CPUs slows things down",
                    devices, workersPerDevice, shared);
}

std::optional<Problem> oversubscriptionWarning(const RunTask& task, int cpus) {
    const int devices = task.devicesPerRank();
    if (devices * task.workersPerDevice <= cpus)
        return std::nullopt;
    return warning("cpus-oversubscribed", task.workersPerDevice > 1 ? "workers" : "devices",
                   oversubscription(devices, task.workersPerDevice, cpus));
}

std::optional<Problem> memoryWarning(const MemoryEstimate& memory) {
    constexpr double tight = 0.9;
    if (static_cast<double>(memory.peak()) <= tight * static_cast<double>(memory.available))
        return std::nullopt;
    return warning("memory-tight", "memory_budget",
                   sentence("The run takes about {} of the {} of memory that are available",
                            formatBytes(memory.peak()), formatBytes(memory.available)));
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

std::vector<Problem> planWarnings(const RunTask& task, const MemoryEstimate& memory, int cpus) {
    std::vector<Problem> warnings = modelFileWarnings(task.project, task.model);
    for (std::optional<Problem> found : {frameRateWarning(task), stepCacheWarning(task),
                                         oversubscriptionWarning(task, cpus), memoryWarning(memory)})
        if (found)
            warnings.push_back(std::move(*found));
    return warnings;
}

AdapterFindings adapterFindings(const RunTask& task) {
    AdapterFindings findings;
    const std::string key = task.presetAdapters ? "preset" : "lora";
    for (const PlannedAdapter& planned : task.adapters) {
        for (const Sentence& warning : planned.adapter->warnings())
            findings.warnings.push_back(
                {.id = "adapter-remark",
                 .severity = Severity::Warning,
                 .key = key,
                 .message = sentence("{}: {}", planned.adapter->path().filename().string(), warning)});
        for (const Sentence& remark : planned.remarks)
            findings.warnings.push_back(
                warning("adapter-remark", key,
                        sentence("{}: {}", planned.adapter->path().filename().string(), remark)));
        const Sentence headline = adapterHeadline(planned);
        const Sentence changes = sentence("Changes {}", fewNames(planned.adapter->changedNames()));
        const std::vector<std::string>& unmatched = planned.adapter->unmatchedKeys();
        if (unmatched.empty())
            findings.notes.push_back({.id = "adapter-works",
                                      .severity = Severity::Note,
                                      .key = key,
                                      .message = headline,
                                      .fixes = byHand(changes)});
        else
            findings.warnings.push_back(
                {.id = "adapter-partly-fits",
                 .severity = Severity::Warning,
                 .key = key,
                 .message = headline,
                 .fixes = byHand(sentence("{}; fits nothing: {}", changes, fewNames(unmatched)))});
    }
    return findings;
}

}  // namespace meshreel
