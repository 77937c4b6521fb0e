// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_choice.h"

#include <algorithm>
#include <span>
#include <string>

#include "engine/models/families/model_identity.h"
#include "engine/project/input_files.h"

namespace meshreel {
namespace {

bool contains(std::span<const std::string_view> keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

bool isGiven(const Project& project, std::string_view key) {
    return !(project.*findInputKey(key)->member).empty();
}

WanTask taskOfInputs(const Project& project, const ModelFamily& family) {
    if (family.tasks.size() == 1)
        return family.tasks.front();
    if (family.traits.animates)
        return isGiven(project, "background_video") ? WanTask::Replacement : WanTask::Animation;
    if (family.traits.trained == TrainedInput::Subjects && isGiven(project, "reference_images"))
        return WanTask::SubjectsToVideo;
    if (family.traits.trained == TrainedInput::Tracks && isGiven(project, "tracks"))
        return WanTask::TracksToVideo;
    if (isGiven(project, "last_image"))
        return WanTask::FirstLastFrame;
    if (isGiven(project, "image"))
        return WanTask::ImageToVideo;
    if (isGiven(project, "video"))
        return WanTask::VideoToVideo;
    return family.tasks.front();
}

bool claims(const WanTaskRow& task, std::string_view key) {
    return contains(task.needs, key) || contains(task.takes, key) || contains(task.settings, key);
}

/// The key that made the task: the task's own, or the input that it follows from.
std::string keyToBlame(const Project& project, const WanTaskRow& task) {
    if (project.task != automaticTask || task.needs.empty())
        return "task";
    return std::string(task.needs.back());
}

}  // namespace

TaskChoice chooseTask(const Project& project, const ModelFamily& family) {
    const WanTaskRow* named = findWanTask(project.task);
    TaskChoice choice{.task = named != nullptr ? named->task : taskOfInputs(project, family), .problems = {}};
    const WanTaskRow& task = rowOf(choice.task);
    if (!offers(family, choice.task)) {
        choice.problems.push_back(
            {.id = "task-not-offered",
             .key = keyToBlame(project, task),
             .message = sentence("The model ({}) does not support {} ({})", tableText(family.title),
                                 task.name, tableText(task.title)),
             .fixes = byHand(sentence("It does {}; {} is done by {}", taskNames(family), task.name,
                                      familyTitles(choice.task)))});
        return choice;
    }
    for (const std::string_view key : task.needs)
        if (!isGiven(project, key))
            choice.problems.push_back(
                {.id = "task-input-missing",
                 .key = "task",
                 .involved = {std::string(key)},
                 .message = sentence("{} ({}) needs {}", tableText(task.title), task.name, key),
                 .fixes = byHand(sentence("Name a file: {}: PATH", key))});
    for (const InputKey& input : inputKeys())
        if (input.kind != InputKind::Sound && isGiven(project, input.name) && !claims(task, input.name))
            choice.problems.push_back({.id = "task-input-unused",
                                       .key = std::string(input.name),
                                       .involved = {"task"},
                                       .message = sentence("{} is not used by {} ({})", input.name,
                                                           tableText(task.title), task.name),
                                       .fixes = byHand(sentence("Remove the line, or choose another task"))});
    if (choice.task == WanTask::VaceEditing && isGiven(project, "mask") && !isGiven(project, "video"))
        choice.problems.push_back({.id = "mask-without-video",
                                   .key = "mask",
                                   .involved = {"video"},
                                   .message = sentence("mask is given without the video that it belongs to"),
                                   .fixes = byHand(sentence("Name the video, too: video: PATH"))});
    return choice;
}

bool guidesImages(const Project& project, const ModelFamily& family) {
    return project.guidanceScale > 1 && project.guidanceScaleImage > 1 &&
           chooseTask(project, family).task == WanTask::SubjectsToVideo;
}

bool mayRead(const Project& project, const ModelFamily& family, std::string_view key) {
    const auto claimed = [&](const WanTaskRow& task) { return claims(task, key); };
    if (std::ranges::none_of(wanTasks(), claimed))
        return true;
    if (const WanTaskRow* named = findWanTask(project.task))
        return claimed(*named);
    return std::ranges::any_of(family.tasks, [&](WanTask task) { return claimed(rowOf(task)); });
}

}  // namespace meshreel
