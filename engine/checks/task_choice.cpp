// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_choice.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checks/guidance_choice.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/families/weights_name.h"
#include "engine/project/clip_place.h"
#include "engine/project/input_files.h"
#include "engine/project/keyframes.h"
#include "engine/project/project_settings.h"
#include "engine/sampling/context_windows.h"

namespace meshreel {
namespace {

constexpr std::string_view clipKey = "continue_from";
constexpr std::string_view countKey = "continue_frames";
constexpr std::string_view imageKey = "image";
constexpr std::int64_t latentFrames = 4;  // pixel frames of a latent one behind the first
constexpr std::int64_t chainFrames =
    4;  // that a clip of SVI 2.0 Pro was trained to share with the one before

bool isLetter(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0;
}

/// The runs of letters in a name, small: "SVI_v2_PRO" has svi, v and pro.
std::vector<std::string> wordsOf(std::string_view name) {
    std::vector<std::string> words;
    bool isInWord = false;
    for (const char letter : name) {
        if (isLetter(letter) && !isInWord)
            words.emplace_back();
        isInWord = isLetter(letter);
        if (isInWord)
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return words;
}

bool isGiven(const Project& project, std::string_view key) {
    return !inputFiles(project, *findInputKey(key)).empty();
}

/// Keyframes apart, whose key says what is meant.
bool hasChoice(const ModelFamily& family) {
    return std::ranges::count_if(family.tasks, [&family](WanTask task) {
               return task != WanTask::KeyframesToVideo && isMadeFor(family, task);
           }) > 1;
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
    if (family.traits.trained == TrainedInput::Sources &&
        (isGiven(project, "video") || isGiven(project, "reference_images")))
        return WanTask::SourcesToVideo;
    if (family.traits.trained == TrainedInput::Tracks && isGiven(project, "tracks"))
        return WanTask::TracksToVideo;
    if (family.traits.trained == TrainedInput::Moves && isGiven(project, "tracks"))
        return WanTask::MoveToVideo;
    if (isGiven(project, "last_image"))
        return WanTask::FirstLastFrame;
    if (isGiven(project, imageKey))
        return WanTask::ImageToVideo;
    if (isGiven(project, "video"))
        return WanTask::VideoToVideo;
    if (isGiven(project, clipKey) && offers(family, WanTask::ImageToVideo))
        return WanTask::ImageToVideo;
    return family.tasks.front();
}

/// The key that made the task: the task's own, or the input that it follows from.
std::string keyToBlame(const Project& project, const WanTaskRow& task) {
    if (project.task != automaticTask || task.needs.empty())
        return "task";
    return std::string(task.needs.back());
}

/// The families that do what the task does: VACE takes keyframes, too, and not all weights of image to video
/// know driving videos.
Sentence doers(WanTask task) {
    if (task == WanTask::DrivenAnimation)
        return familyTitlesReading("driving_keys");
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

/// The clip before ends with the picture that the task begins with.
bool comesFromClip(const Project& project, const ModelFamily& family, const WanTaskRow& task,
                   std::string_view key) {
    return key == imageKey && isGiven(project, clipKey) && task.clip == ClipUse::Pictures &&
           !chainsClips(project, family, task.task);
}

/// A picture where the clip before is shown. It may stand at the end of the first new latent frame, which
/// every model can be given.
Problem keyframeInClip(const Project& project, std::size_t index, std::int64_t shared) {
    const std::int64_t free = shared + latentFrames - 1;
    KeyframeList moved = project.keyframes;
    moved[index].place = {.unit = PlaceUnit::Frame, .value = static_cast<double>(free)};
    KeyframeList without = project.keyframes;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(index));
    return {.id = "keys-given-both",
            .key = "keyframes",
            .involved = {std::string(clipKey)},
            .message = sentence("{} shows a picture in the first {} frames, which are of the clip before",
                                "keyframes", shared),
            .fixes = setKey(sentence("Put it at frame {} or later, or remove it", free), "keyframes",
                            {keyframesText(moved), keyframesText(without)})};
}

/// More frames than an animation's segments take of each other, or than leave one of them something to make.
std::optional<Problem> animatedClipProblem(const Project& project, std::int64_t shared) {
    constexpr std::int64_t trained = 5;  // Wan Animate knows 1 or 5 frames of the segment before
    const std::int64_t most =
        isWindowed(project) ? trained : std::min(trained, project.segmentFrameLength - latentFrames);
    if (shared <= most)
        return std::nullopt;
    return Problem{.id = "clip-frames-too-many",
                   .key = std::string(countKey),
                   .involved = {"segment_frame_length"},
                   .message = sentence("an animation goes on from {} frames of the clip before at most, and "
                                       "{} are asked for",
                                       most, shared),
                   .fixes = setKey(sentence("Take fewer"), countKey, {std::to_string(most)})};
}

/// What is wrong with a clip that continues another one.
std::vector<Problem> continuationProblems(const Project& project, const ModelFamily& family,
                                          const WanTaskRow& task) {
    if (!isGiven(project, clipKey))
        return {};
    std::vector<Problem> problems;
    if (isGiven(project, imageKey) && reads(task, imageKey) && comesFromClip(project, family, task, imageKey))
        problems.push_back({.id = "keys-given-both",
                            .key = std::string(clipKey),
                            .involved = {std::string(imageKey)},
                            .message = sentence("{} and {} both say how the video begins", clipKey, imageKey),
                            .fixes = setKey(sentence("Leave out one of them"), imageKey, {""})});
    const std::int64_t shared = continuedFrames(project, family, task.task);
    if (reads(task, "keyframes"))
        for (std::size_t index = 0; index < project.keyframes.size(); ++index)
            if (project.keyframes[index].place.frameOf(project.numFrames, project.fps) < shared)
                problems.push_back(keyframeInClip(project, index, shared));
    if (isWindowed(project) && project.contextSchedule == rowOf(WindowSchedule::Looped).name)
        problems.push_back({.id = "keys-given-both",
                            .key = std::string(clipKey),
                            .involved = {"context_schedule"},
                            .message = sentence(
                                "a clip that continues another one does not end where it begins, and windows "
                                "that are {} make it do so",
                                project.contextSchedule),
                            .fixes = setKey(sentence("Write static"), "context_schedule",
                                            {std::string(rowOf(WindowSchedule::Static).name)})});
    if (isAnimation(task.task))
        if (std::optional<Problem> problem = animatedClipProblem(project, shared))
            problems.push_back(*std::move(problem));
    const std::int64_t most = (project.numFrames - 2) / latentFrames * latentFrames + 1;
    if (shared >= project.numFrames)
        problems.push_back(
            {.id = "clip-frames-too-many",
             .key = project.continueFrames > 0 ? std::string(countKey) : "num_frames",
             .involved = {"num_frames", std::string(countKey)},
             .message = sentence("the video has {} frames, and {} of them are the last of the clip before",
                                 project.numFrames, shared),
             .fixes = project.numFrames > 1 && project.continueFrames > 0
                          ? setKey(sentence("Take fewer, or make a longer video"), countKey,
                                   {std::to_string(most)})
                          : setKey(sentence("Make a longer video"), "num_frames",
                                   {std::to_string(shared + latentFrames)})});
    return problems;
}

/// Whether an adapter is for this one of two experts, as the project or its file's name says; for both where
/// neither does.
bool changesExpert(const LoraChoice& adapter, Expert expert) {
    if (adapter.expert == ExpertChoice::ByName) {
        const std::optional<Expert> named = readExpert(adapter.file, {}).expert();
        return !named || *named == expert;
    }
    return adapter.expert == ExpertChoice::All ||
           (adapter.expert == ExpertChoice::High) == (expert == Expert::High);
}

/// One that is switched off changes nothing.
bool isChain(const LoraChoice& adapter) {
    return adapter.strength != 0 && isChainAdapter(adapter.file);
}

/// Of two experts each has an adapter of its own; frames that a chain shares are those that it was trained
/// with.
std::vector<Problem> chainProblems(const Project& project, const ModelFamily& family, WanTask task) {
    if (!chainsClips(project, family, task))
        return {};
    std::vector<Problem> problems;
    LoraList chain;
    std::ranges::copy_if(project.lora, std::back_inserter(chain), isChain);
    const auto isLeftOut = [&](Expert expert) {
        return std::ranges::none_of(
            chain, [&](const LoraChoice& adapter) { return changesExpert(adapter, expert); });
    };
    if (family.traits.experts == 2 && (isLeftOut(Expert::High) || isLeftOut(Expert::Low)))
        problems.push_back(
            {.id = "adapter-remark",
             .severity = Severity::Warning,
             .key = "lora",
             .message = sentence("{} is one of a pair, and the other expert has none", chain.front().file),
             .fixes = byHand(sentence("Name both in lora, that of the high and that of the low noise"))});
    if (project.continueFrames > 0)
        problems.push_back(
            {.id = "value-without-effect",
             .severity = Severity::Warning,
             .key = std::string(countKey),
             .involved = {"lora"},
             .message = sentence("{} has no effect: a chain of Stable Video Infinity shares {} frames",
                                 countKey, chainFrames),
             .fixes = setKey({}, countKey, {"0"})});
    return problems;
}

}  // namespace

bool isChainAdapter(const std::string& file) {
    const std::vector<std::string> words = wordsOf(std::filesystem::path(file).filename().string());
    const auto svi = std::ranges::find(words, "svi");
    return std::find(svi, words.end(), "pro") != words.end();
}

bool chainsClips(const Project& project, const ModelFamily& family, WanTask task) {
    return task == WanTask::ImageToVideo && family.traits.extraChannels > 0 &&
           std::ranges::any_of(project.lora, isChain);
}

bool keepsImage(const Project& project) {
    const WanTaskRow* named = findWanTask(project.task);
    const bool isDriven = isGiven(project, "video") && takesDrivingVideo(readTrainedInput(project.model));
    const bool isAnimated = isGiven(project, "pose_video") || isDriven;
    const bool animates = named != nullptr ? isAnimation(named->task) : isAnimated;
    return animates || std::ranges::any_of(project.lora, isChain);
}

std::int64_t continuedFrames(const Project& project, const ModelFamily& family, WanTask task) {
    if (project.continueFrom.empty())
        return 0;
    if (chainsClips(project, family, task))
        return chainFrames;
    if (project.continueFrames > 0)
        return project.continueFrames;
    const std::int64_t usual =
        isAnimation(task) ? project.prevSegmentConditioningFrames : rowOf(task).continuedFrames;
    // At least one latent frame is new.
    return std::max<std::int64_t>(1, std::min(usual, project.numFrames - latentFrames));
}

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
        if (!isGiven(project, key) && !comesFromClip(project, family, task, key))
            choice.problems.push_back(
                {.id = "task-input-missing",
                 .key = "task",
                 .involved = {std::string(key)},
                 .message = sentence("{} ({}) needs {}", tableText(task.title), task.name, key),
                 .fixes = byHand(sentence("Name a file: {}: PATH", key))});
    if (choice.task == WanTask::SourcesToVideo && !isGiven(project, "video") &&
        !isGiven(project, "reference_images"))
        choice.problems.push_back(
            {.id = "task-input-missing",
             .key = "task",
             .involved = {"video", "reference_images"},
             .message =
                 sentence("{} ({}) needs video, reference_images or both", tableText(task.title), task.name),
             .fixes = setKey(
                 sentence("Name a file: {}: PATH, or write t2v for a video from the prompt alone", "video"),
                 "task", {std::string(rowOf(WanTask::TextToVideo).name)})});
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
    std::ranges::move(continuationProblems(project, family, task), std::back_inserter(choice.problems));
    std::ranges::move(chainProblems(project, family, choice.task), std::back_inserter(choice.problems));
    return choice;
}

bool guidesImages(const Project& project, const ModelFamily& family) {
    const WanTask task = chooseTask(project, family).task;
    for (int expert = 1; expert <= family.traits.experts; ++expert)
        if (chooseGuidance(project, task, family.traits.experts, expert).size() > 2)
            return true;
    return false;
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
        return claimed(rowOf(task)) && (task != WanTask::KeyframesToVideo || isOfKeyframes) &&
               isMadeFor(family, task);
    });
}

}  // namespace meshreel
