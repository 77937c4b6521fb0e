// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/context_window_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/checks/task_choice.h"
#include "engine/models/families/model_family.h"
#include "engine/project/keyframes.h"
#include "engine/project/project_settings.h"
#include "engine/project/timed_prompt.h"
#include "engine/sampling/context_windows.h"

namespace meshreel {
namespace {

constexpr std::string_view framesKey = "context_frames";
constexpr std::string_view firstKey = "context_retain_first";
constexpr std::string_view previousKey = "prev_segment_conditioning_frames";

Problem refusal(std::string_view key, Sentence message, std::vector<Fix> fixes) {
    return {.id = "context-windows-not-for-task",
            .key = std::string(key),
            .involved = {"task"},
            .message = std::move(message),
            .fixes = std::move(fixes)};
}

/// The ways out of windows and segments at once.
std::vector<Fix> eitherKey(std::int64_t usualSegment) {
    std::vector<Fix> fixes = setKey(sentence("Write context_frames: 0 for segments, or leave out "
                                             "segment_frame_length for windows"),
                                    framesKey, {"0"});
    fixes.emplace_back().changes = {{.key = "segment_frame_length", .value = std::to_string(usualSegment)}};
    return fixes;
}

/// A value that this task does not read where it makes a clip through windows.
Problem unused(std::string_view key, Sentence message, std::string_view usual) {
    return {.id = "value-without-effect",
            .severity = Severity::Warning,
            .key = std::string(key),
            .involved = {std::string(framesKey)},
            .message = std::move(message),
            .fixes = setKey({}, key, {std::string(usual)})};
}

/// Keys of windows and segments that do nothing for a task that begins with no image. The end of a clip
/// before is as that of a segment.
std::vector<Problem> withoutEffect(const Project& project, const WanTaskRow& task) {
    std::vector<Problem> problems;
    if (project.contextRetainFirst)
        problems.push_back(unused(firstKey,
                                  sentence("{} has no effect: {} ({}) begins with no image", firstKey,
                                           tableText(task.title), task.name),
                                  "false"));
    const std::int64_t usual = Project().prevSegmentConditioningFrames;
    if (isAnimation(task.task) && project.prevSegmentConditioningFrames != usual &&
        project.continueFrom.empty())
        problems.push_back(unused(
            previousKey, sentence("{} has no effect: context windows have no segment before", previousKey),
            std::to_string(usual)));
    return problems;
}

/// Texts, parted by |, that lie in the middle of no window. Windows that move from step to step reach all.
std::vector<Problem> textsLeftOut(const Project& project, const ModelFacts& model) {
    const std::int64_t factor = model.vae.temporalFactor();
    const std::optional<ContextWindows> windows =
        contextWindows(project, (project.numFrames - 1) / factor + 1, factor);
    if (!windows || !windows->recur())
        return {};
    const std::vector<SharedWindow> shared = sharedWindows(*windows, 0);
    std::size_t leftOut = 0;
    std::size_t texts = 0;
    for (const SpokenPrompt& prompt : spokenPrompts(project)) {
        std::set<std::size_t> taken;
        for (const SharedWindow& window : shared)
            taken.insert(window.promptOf(prompt.texts.size()));
        if (const std::size_t left = prompt.texts.size() - taken.size(); left > leftOut) {
            leftOut = left;
            texts = prompt.texts.size();
        }
    }
    if (leftOut == 0)
        return {};
    return {{.id = "prompt-parts-unused",
             .severity = Severity::Warning,
             .key = project.batchPrompts.empty() ? "prompt" : "batch_prompts",
             .involved = {std::string(framesKey), "context_overlap"},
             .message = sentence("{} of the {} texts that | parts are seen in none of the {} context windows",
                                 leftOut, texts, shared.size()),
             .fixes = byHand(sentence("Write fewer texts, or make shorter windows with more of them"))}};
}

bool beginsWithImage(WanTask task) {
    return task == WanTask::ImageToVideo || task == WanTask::TracksToVideo || task == WanTask::MoveToVideo ||
           task == WanTask::FirstLastFrame || task == WanTask::KeyframesToVideo;
}

bool showsFirstFrame(const Project& project) {
    return !project.image.empty() || !project.continueFrom.empty() ||
           std::ranges::any_of(project.keyframes, [&](const Keyframe& keyframe) {
               return keyframe.place.frameOf(project.numFrames, project.fps) == 0;
           });
}

}  // namespace

namespace {

std::vector<Problem> problemsOfTask(const Project& project, const ModelFacts& model) {
    const WanTaskRow& task = rowOf(chooseTask(project, *model.family).task);
    const std::int64_t usualSegment = Project().segmentFrameLength;
    if (task.task == WanTask::DrivenAnimation)
        return {refusal(framesKey,
                        sentence("{} ({}) makes a long clip in segments: every context window would need "
                                 "keys of its own of the driving video",
                                 tableText(task.title), task.name),
                        setKey(sentence("Write 0"), framesKey, {"0"}))};
    if (isAnimation(task.task) && project.segmentFrameLength != usualSegment)
        return {{.id = "keys-given-both",
                 .key = "segment_frame_length",
                 .involved = {std::string(framesKey)},
                 .message = sentence("{} ({}) makes a long clip in segments or through context windows, not "
                                     "both",
                                     tableText(task.title), task.name),
                 .fixes = eitherKey(usualSegment)}};
    if (isAnimation(task.task) && project.contextRetainFirst)
        return {refusal(
            firstKey,
            sentence("{} ({}) shows every context window the character by itself, and the first frame "
                     "has a background of its own",
                     tableText(task.title), task.name),
            setKey(sentence("Write false"), firstKey, {"false"}))};
    if (followsSpeech(task.task))
        return {refusal(framesKey,
                        sentence("{} ({}) makes a long video clip by clip, each after the one before",
                                 tableText(task.title), task.name),
                        setKey(sentence("Write 0"), framesKey, {"0"}))};
    if (task.task == WanTask::SourcesToVideo && !project.video.empty())
        return {
            refusal(framesKey,
                    sentence("{} ({}) sees all of video at once, and context windows see parts of what is "
                             "made of it",
                             tableText(task.title), task.name),
                    setKey(sentence("Write 0, and edit the clip in parts"), framesKey, {"0"}))};
    if (task.task == WanTask::ControlToVideo && project.contextRetainFirst)
        return {
            refusal(firstKey,
                    sentence("{} ({}) gives every context window its own part of the control video, which "
                             "the first frame's would take the place of",
                             tableText(task.title), task.name),
                    setKey(sentence("Write false"), firstKey, {"false"}))};
    const bool mayBegin = task.task == WanTask::ControlToVideo;  // with an image
    if (!beginsWithImage(task.task) && !(mayBegin && model.tokenTimesteps() && showsFirstFrame(project)))
        return withoutEffect(project, task);
    if (model.tokenTimesteps())
        return {refusal(framesKey,
                        sentence("{} ({}) keeps the image in the first frame, which only the first context "
                                 "window has",
                                 tableText(task.title), task.name),
                        setKey(sentence("Write 0, and make the clip in parts"), framesKey, {"0"}))};
    if (task.task == WanTask::KeyframesToVideo && !showsFirstFrame(project))
        return {
            refusal(framesKey,
                    sentence("{} ({}) shows every context window the first frame, and no picture is given "
                             "there",
                             tableText(task.title), task.name),
                    setKey(sentence("Write 0, or give a picture at frame 0"), framesKey, {"0"}))};
    if (project.contextRetainFirst)
        return {};
    return {refusal(firstKey,
                    sentence("{} ({}) sees the image in its first frame, and context windows behind the "
                             "first one would see none",
                             tableText(task.title), task.name),
                    setKey(sentence("Write true, which shows each of them the image, or make the clip in "
                                    "parts"),
                           firstKey, {"true"}))};
}

}  // namespace

std::vector<Problem> contextWindowProblems(const Project& project, const ModelFacts& model) {
    if (!isWindowed(project))
        return {};
    std::vector<Problem> problems = problemsOfTask(project, model);
    std::ranges::move(textsLeftOut(project, model), std::back_inserter(problems));
    return problems;
}

}  // namespace meshreel
