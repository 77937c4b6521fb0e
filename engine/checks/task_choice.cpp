// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_choice.h"

#include <algorithm>
#include <span>
#include <string>

#include "engine/models/families/model_identity.h"
#include "engine/project/input_files.h"

namespace meshreel {
namespace {

bool isGiven(const Project& project, std::string_view key) {
    return !inputFiles(project, *findInputKey(key)).empty();
}

/// Keyframes apart, whose key says what is meant.
bool hasChoice(const ModelFamily& family) {
    return std::ranges::count_if(family.tasks,
                                 [](WanTask task) { return task != WanTask::KeyframesToVideo; }) > 1;
}

WanTask taskOfInputs(const Project& project, const ModelFamily& family) {
    if (family.traits.vaceBlocks)
        return WanTask::VaceEditing;
    if (isGiven(project, "keyframes"))
        return WanTask::KeyframesToVideo;
    if (!hasChoice(family))
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

/// The key that made the task: the task's own, or the input that it follows from.
std::string keyToBlame(const Project& project, const WanTaskRow& task) {
    if (project.task != automaticTask || task.needs.empty())
        return "task";
    return std::string(task.needs.back());
}

/// The families that do what the task does: VACE takes keyframes, too.
Sentence doers(WanTask task) {
    return task == WanTask::KeyframesToVideo ? familyTitlesReading("keyframes") : familyTitles(task);
}

/// Ways out of a task that the model does not do; one that takes the same pictures is another name for it.
std::vector<Fix> otherTask(WanTask task, const ModelFamily& family) {
    if (task == WanTask::KeyframesToVideo && offers(family, WanTask::VaceEditing))
        return setKey(sentence("Write task: vace, which takes keyframes"), "task",
                      {std::string(rowOf(WanTask::VaceEditing).name)});
    return byHand(sentence("It does {}; {} is done by {}", taskNames(family), rowOf(task).name, doers(task)));
}

/// Ways out of an input that a task does not use.
std::vector<Fix> withoutInput(const InputKey& input, const ModelFamily& family) {
    const Sentence words = sentence("Remove the line, or choose another task");
    if (input.kind == InputKind::Keyframes && offers(family, WanTask::KeyframesToVideo))
        return setKey(words, "task", {std::string(rowOf(WanTask::KeyframesToVideo).name)});
    return byHand(words);
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
             .fixes = otherTask(choice.task, family)});
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
        if (input.kind != InputKind::Sound && isGiven(project, input.name) && !reads(task, input.name))
            choice.problems.push_back({.id = "task-input-unused",
                                       .key = std::string(input.name),
                                       .involved = {"task"},
                                       .message = sentence("{} is not used by {} ({})", input.name,
                                                           tableText(task.title), task.name),
                                       .fixes = withoutInput(input, family)});
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
    const auto claimed = [&](const WanTaskRow& task) { return reads(task, key); };
    if (std::ranges::none_of(wanTasks(), claimed))
        return true;
    if (const WanTaskRow* named = findWanTask(project.task))
        return claimed(*named);
    // What goes beside keyframes is of no use without them.
    const bool isOfKeyframes = key == "keyframes" || !project.keyframes.empty();
    return std::ranges::any_of(family.tasks, [&](WanTask task) {
        return claimed(rowOf(task)) && (task != WanTask::KeyframesToVideo || isOfKeyframes);
    });
}

}  // namespace meshreel
