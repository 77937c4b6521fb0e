// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/model_family.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/models/families/control_channels.h"

namespace meshreel {
namespace {

using Keys = std::array<std::string_view, 0>;

constexpr Keys nothing{};
constexpr std::array<std::string_view, 1> subjects{"reference_images"};
constexpr std::array<std::string_view, 1> oneImage{"image"};
constexpr std::array<std::string_view, 2> imageAndTracks{"image", "tracks"};
constexpr std::array<std::string_view, 2> twoImages{"image", "last_image"};
constexpr std::array<std::string_view, 3> endsOrClip{"image", "last_image", "continue_from"};
constexpr std::array<std::string_view, 1> anyImages{"keyframes"};
constexpr std::array<std::string_view, 1> oneVideo{"video"};
constexpr std::array<std::string_view, 3> besideControl{"image", "reference_images", "continue_from"};
constexpr std::array<std::string_view, 3> animated{"image", "pose_video", "face_video"};
constexpr std::array<std::string_view, 2> driven{"image", "video"};
constexpr std::array<std::string_view, 5> replaced{"image", "pose_video", "face_video", "background_video",
                                                   "mask"};
constexpr std::array<std::string_view, 2> spoken{"image", "speech"};
constexpr std::array<std::string_view, 1> aPose{"pose_video"};
constexpr std::array<std::string_view, 1> aClip{"continue_from"};
constexpr std::array<std::string_view, 2> clipOrSight{"continue_from", "track_visibility"};
constexpr std::array<std::string_view, 5> editing{"video", "mask", "reference_images", "keyframes",
                                                  "continue_from"};
constexpr std::array<std::string_view, 3> sources{"video", "reference_images", "continue_from"};
constexpr std::array<std::string_view, 5> steeringBySources{
    "guidance_scale_video", "guidance_scale_image", "reference_max_size", "continue_at", "continue_frames"};
constexpr std::array<std::string_view, 3> showing{"guidance_scale_image", "continue_at", "continue_frames"};
constexpr std::array<std::string_view, 3> repainting{"strength", "continue_at", "continue_frames"};
constexpr std::array<std::string_view, 2> continuing{"continue_at", "continue_frames"};
constexpr std::array<std::string_view, 3> steering{"conditioning_scale", "continue_at", "continue_frames"};
constexpr std::array<std::string_view, 4> segments{"segment_frame_length", "prev_segment_conditioning_frames",
                                                   "continue_at", "continue_frames"};
constexpr std::array<std::string_view, 5> segmentsAndKeys{"segment_frame_length",
                                                          "prev_segment_conditioning_frames", "driving_keys",
                                                          "continue_at", "continue_frames"};
constexpr std::array<std::string_view, 2> ofSpeech{"audio_scale", "length_by_speech"};

constexpr std::array<WanTaskRow, 15> tasks{{
    {WanTask::TextToVideo, "t2v", "Text to video", "A video, or with num_frames 1 an image, from the prompt.",
     nothing, aClip, continuing, ClipUse::Held, 13},
    {WanTask::SubjectsToVideo, "phantom", "Subjects to video",
     "A video from the prompt, with the one to four subjects that `reference_images` show.", subjects, aClip,
     showing, ClipUse::Held, 13},
    {WanTask::ImageToVideo, "i2v", "Image to video", "A video that begins with `image`.", oneImage, aClip,
     continuing, ClipUse::Pictures, 1},
    {WanTask::TracksToVideo, "ati", "Image to video along tracks",
     "A video that begins with `image`, whose points move along `tracks`.", imageAndTracks, clipOrSight,
     continuing, ClipUse::Pictures, 1},
    {WanTask::MoveToVideo, "wanmove", "Image to video with Wan-Move",
     "A video that begins with `image`, of which points are carried along `tracks`.", imageAndTracks,
     clipOrSight, continuing, ClipUse::Pictures, 1},
    {WanTask::FirstLastFrame, "flf2v", "First and last frame to video",
     "A video that begins with `image` and ends with `last_image`.", twoImages, aClip, continuing,
     ClipUse::Pictures, 1},
    {WanTask::KeyframesToVideo, "keyframes", "Keyframes to video",
     "A video that shows the pictures of `keyframes` at their frames, and may begin with `image` and end "
     "with `last_image`.",
     anyImages, endsOrClip, continuing, ClipUse::Pictures, 1},
    {WanTask::VideoToVideo, "v2v", "Video to video",
     "`video` made again after the prompt; `strength` says how much of it may change.", oneVideo, aClip,
     repainting, ClipUse::Held, 13},
    {WanTask::SourcesToVideo, "bernini", "Editing with Bernini-R",
     "`video` changed as the prompt says, or a video of what `reference_images` show, or both in one.",
     nothing, sources, steeringBySources, ClipUse::Held, 13},
    {WanTask::ControlToVideo, "funcontrol", "Control video to video",
     "A video that moves as the control `video` does (depth, edges, poses), and may begin with `image` and "
     "show what `reference_images` does.",
     oneVideo, besideControl, continuing, ClipUse::Pictures, 1},
    {WanTask::VaceEditing, "vace", "Editing with VACE",
     "`video` where `mask` is black, something new where it is white, with what `reference_images` show.",
     nothing, editing, steering, ClipUse::Control, 5},
    {WanTask::Animation, "animate", "Character animation",
     "The character of `image` moves as `pose_video` and `face_video` do.", animated, aClip, segments,
     ClipUse::Segment, 1},
    {WanTask::Replacement, "replace", "Character replacement",
     "The character of `image` takes the place of somebody in `background_video`, where `mask` is white.",
     replaced, aClip, segments, ClipUse::Segment, 1},
    {WanTask::DrivenAnimation, "animate2", "Character animation by a video",
     "The character of `image` moves as somebody in `video` does, by Wan Animate-2.", driven, aClip,
     segmentsAndKeys, ClipUse::Segment, 1},
    {WanTask::SpeechToVideo, "s2v", "Speech to video",
     "Somebody whom `image` shows says or sings what `speech` has; `pose_video` may lead the body.", spoken,
     aPose, ofSpeech, ClipUse::Segment, 0},
}};

constexpr std::array fromText{WanTask::TextToVideo, WanTask::VideoToVideo};
constexpr std::array fromTextOrSubjects{WanTask::TextToVideo, WanTask::SubjectsToVideo,
                                        WanTask::VideoToVideo};
constexpr std::array fromTextOrSources{WanTask::TextToVideo, WanTask::SourcesToVideo, WanTask::VideoToVideo};
// Animate-2 has the tensors of image to video: who has such weights under another name says so by the task.
constexpr std::array fromImage{WanTask::ImageToVideo, WanTask::KeyframesToVideo, WanTask::DrivenAnimation};
constexpr std::array fromImageOrTracks{WanTask::ImageToVideo, WanTask::TracksToVideo,
                                       WanTask::KeyframesToVideo};
constexpr std::array fromImageOrMoves{WanTask::ImageToVideo, WanTask::MoveToVideo, WanTask::KeyframesToVideo};
constexpr std::array fromTwoImages{WanTask::FirstLastFrame, WanTask::KeyframesToVideo};
constexpr std::array fromOneOrTwoImages{WanTask::ImageToVideo, WanTask::FirstLastFrame,
                                        WanTask::KeyframesToVideo};
constexpr std::array fromTextOrImages{WanTask::TextToVideo, WanTask::ImageToVideo, WanTask::FirstLastFrame,
                                      WanTask::KeyframesToVideo, WanTask::VideoToVideo};
constexpr std::array byControl{WanTask::ControlToVideo};
constexpr std::array byEditing{WanTask::VaceEditing};
constexpr std::array byAnimation{WanTask::Animation, WanTask::Replacement};
constexpr std::array byDrivingVideo{WanTask::DrivenAnimation};
constexpr std::array bySpeech{WanTask::SpeechToVideo};

// A mask of 4 channels and the latents of the frames that are given.
constexpr std::int64_t imageChannels = 20;

// Channels of the VAE's latents.
constexpr std::int64_t latents21 = 16;
constexpr std::int64_t latents22 = 48;

// Defaults: the configs of Wan's own programs (wan/configs, August 2025); steps, shift, guidance as they are
// recommended at 720p, or at 480p for 1.3B.
constexpr std::array<ModelFamily, 21> families{{
    {.name = "wan2.1-t2v",
     .title = "Wan 2.1 text to video",
     .traits = {},
     .tasks = fromText,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 50,
                  .flowShift = 5,
                  .guidance = 5}},
    // Phantom-Wan of Phantom-video: the tensors of text to video. generate.py's values.
    {.name = "wan2.1-phantom",
     .title = "Wan 2.1 Phantom, subjects to video",
     .traits = {.trained = TrainedInput::Subjects},
     .tasks = fromTextOrSubjects,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 50,
                  .flowShift = 5,
                  .guidance = 7.5}},
    // Bernini-R of bytedance: the tensors of text to video. Its program's values for both sizes.
    {.name = "wan2.1-bernini",
     .title = "Wan 2.1 Bernini-R, editing",
     .traits = {.trained = TrainedInput::Sources},
     .tasks = fromTextOrSources,
     .defaults = {.width = 848,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 4}},
    {.name = "wan2.1-i2v",
     .title = "Wan 2.1 image to video",
     .traits = {.extraChannels = imageChannels, .imageEmbeddings = true},
     .tasks = fromImage,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 3,
                  .guidance = 5}},
    // ATI of bytedance: the tensors of image to video. generate.py's values.
    {.name = "wan2.1-ati",
     .title = "Wan 2.1 ATI, image to video along tracks",
     .traits = {.extraChannels = imageChannels, .imageEmbeddings = true, .trained = TrainedInput::Tracks},
     .tasks = fromImageOrTracks,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 5}},
    // Wan-Move of ali-vilab: the tensors of image to video. generate.py's values at 480p.
    {.name = "wan2.1-move",
     .title = "Wan 2.1 Wan-Move, image to video along tracks",
     .traits = {.extraChannels = imageChannels, .imageEmbeddings = true, .trained = TrainedInput::Moves},
     .tasks = fromImageOrMoves,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 3,
                  .guidance = 5}},
    {.name = "wan2.1-flf2v",
     .title = "Wan 2.1 first and last frame to video",
     .traits = {.extraChannels = imageChannels, .imageEmbeddings = true, .imagePositions = true},
     .tasks = fromTwoImages,
     .defaults = {.width = 1280,
                  .height = 720,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 50,
                  .flowShift = 16,
                  .guidance = 5}},
    {.name = "wan2.1-vace",
     .title = "Wan 2.1 VACE editing",
     .traits = {.vaceBlocks = true},
     .tasks = byEditing,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 50,
                  .flowShift = 16,
                  .guidance = 5}},
    // Wan2.1-Fun-Control of alibaba-pai: latents of the control video and of the first frame, without a mask.
    // predict_v2v_control.py's values at 480p.
    {.name = "wan2.1-fun-control",
     .title = "Wan 2.1 Fun Control",
     .traits = {.extraChannels = controlChannels(latents21, false), .imageEmbeddings = true},
     .tasks = byControl,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 50,
                  .flowShift = 3,
                  .guidance = 6}},
    {.name = "wan2.2-t2v-a14b",
     .title = "Wan 2.2 text to video, two experts",
     .traits = {.experts = 2},
     .tasks = fromText,
     .defaults = {.width = 1280,
                  .height = 720,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 12,
                  .guidance = 4,
                  .guidanceLow = 3,
                  .boundaryRatio = 0.875}},
    {.name = "wan2.2-bernini",
     .title = "Wan 2.2 Bernini-R, editing, two experts",
     .traits = {.experts = 2, .trained = TrainedInput::Sources},
     .tasks = fromTextOrSources,
     .defaults = {.width = 848,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 4,
                  .guidanceLow = 3.2,
                  .boundaryRatio = 0.875}},
    {.name = "wan2.2-i2v-a14b",
     .title = "Wan 2.2 image to video, two experts",
     .traits = {.extraChannels = imageChannels, .experts = 2},
     .tasks = fromOneOrTwoImages,
     .defaults = {.width = 1280,
                  .height = 720,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 3.5,
                  .guidanceLow = 3.5,
                  .boundaryRatio = 0.9}},
    // Wan2.2-VACE-Fun-A14B of alibaba-pai: the blocks of Wan 2.1's VACE in both experts of A14B.
    {.name = "wan2.2-vace-a14b",
     .title = "Wan 2.2 VACE editing, two experts",
     .traits = {.vaceBlocks = true, .experts = 2},
     .tasks = byEditing,
     .defaults = {.width = 1280,
                  .height = 720,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 12,
                  .guidance = 4,
                  .guidanceLow = 3,
                  .boundaryRatio = 0.875}},
    // Wan2.2-Fun-A14B-Control of alibaba-pai: the channels of image to video behind those of the control
    // video. predict_v2v_control.py's values.
    {.name = "wan2.2-fun-control-a14b",
     .title = "Wan 2.2 Fun Control, two experts",
     .traits = {.extraChannels = controlChannels(latents21, true), .experts = 2},
     .tasks = byControl,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 50,
                  .flowShift = 5,
                  .guidance = 6,
                  .guidanceLow = 6,
                  .boundaryRatio = 0.9}},
    // Wan2.2-Fun-5B-Control of alibaba-pai, on TI2V-5B. predict_v2v_control_5b.py's values.
    {.name = "wan2.2-fun-control-5b",
     .title = "Wan 2.2 Fun Control, 5B",
     .traits = {.extraChannels = controlChannels(latents22, true), .tokenTimesteps = true},
     .tasks = byControl,
     .sizeMultiple = 32,
     .defaults = {.width = 1280,
                  .height = 704,
                  .numFrames = 121,
                  .fps = 24,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 6}},
    {.name = "wan2.2-i2v-one",  // experts merged into one, or a small model
     .title = "Wan 2.2 image to video, one transformer",
     .traits = {.extraChannels = imageChannels},
     .tasks = fromOneOrTwoImages,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 81,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 3.5}},
    // Wan2.2-Animate-2-14B: the tensors of image to video. The values of its program and, distilled, those of
    // its configuration wan_animate_2_distillation.
    {.name = "wan2.2-animate2-distilled",
     .title = "Wan 2.2 Animate-2 in few steps",
     .traits = {.extraChannels = imageChannels,
                .imageEmbeddings = true,
                .trained = TrainedInput::DrivingInFewSteps},
     .tasks = byDrivingVideo,
     .defaults = {.width = 640,
                  .height = 800,
                  .numFrames = 81,
                  .fps = 24,
                  .steps = 10,
                  .flowShift = 5,
                  .guidance = 1}},
    {.name = "wan2.2-animate2",
     .title = "Wan 2.2 Animate-2",
     .traits = {.extraChannels = imageChannels, .imageEmbeddings = true, .trained = TrainedInput::Driving},
     .tasks = byDrivingVideo,
     .defaults = {.width = 640,
                  .height = 800,
                  .numFrames = 81,
                  .fps = 24,
                  .steps = 40,
                  .flowShift = 5,
                  .guidance = 3}},
    {.name = "wan2.2-animate",
     .title = "Wan 2.2 character animation",
     .traits = {.extraChannels = imageChannels, .imageEmbeddings = true, .animates = true},
     .tasks = byAnimation,
     .defaults = {.width = 1280,
                  .height = 720,
                  .numFrames = 77,
                  .fps = 30,
                  .steps = 20,
                  .flowShift = 5,
                  .guidance = 1}},
    // The clips of generate.py are of 80 frames, the first one's of 77.
    {.name = "wan2.2-s2v",
     .title = "Wan 2.2 speech to video",
     .traits = {.hears = true},
     .tasks = bySpeech,
     .defaults = {.width = 832,
                  .height = 480,
                  .numFrames = 77,
                  .fps = 16,
                  .steps = 40,
                  .flowShift = 3,
                  .guidance = 4.5}},
    {.name = "wan2.2-ti2v",
     .title = "Wan 2.2 text and image to video, 5B",
     .traits = {.tokenTimesteps = true},
     .tasks = fromTextOrImages,
     .sizeMultiple = 32,
     .defaults = {.width = 1280,
                  .height = 704,
                  .numFrames = 121,
                  .fps = 24,
                  .steps = 50,
                  .flowShift = 5,
                  .guidance = 5}},
}};

template <typename Predicate>
Sentence joinTitles(const Predicate& isMeant) {
    std::vector<Sentence> titles;
    for (const ModelFamily& family : families)
        if (isMeant(family))
            titles.push_back(tableText(family.title));
    return commaList(titles);
}

}  // namespace

bool reads(const WanTaskRow& task, std::string_view key) {
    const auto contain = [key](std::span<const std::string_view> keys) {
        return std::ranges::find(keys, key) != keys.end();
    };
    return contain(task.needs) || contain(task.takes) || contain(task.settings);
}

std::span<const WanTaskRow> wanTasks() {
    return tasks;
}

const WanTaskRow& rowOf(WanTask task) {
    return *std::ranges::find(tasks, task, &WanTaskRow::task);
}

const WanTaskRow* findWanTask(std::string_view name) {
    const auto found = std::ranges::find(tasks, name, &WanTaskRow::name);
    return found == tasks.end() ? nullptr : &*found;
}

std::span<const ModelFamily> modelFamilies() {
    return families;
}

const ModelFamily* findFamily(const FamilyTraits& traits) {
    const auto found = std::ranges::find(families, traits, &ModelFamily::traits);
    return found == families.end() ? nullptr : &*found;
}

const ModelFamily& plainFamily(const ModelFamily& family) {
    FamilyTraits traits = family.traits;
    traits.trained = TrainedInput::None;
    return *findFamily(traits);
}

const ModelFamily* familyOfArchitecture(std::string_view architecture) {
    const auto found = std::ranges::find_if(
        families, [&](const ModelFamily& family) { return architecture.starts_with(family.name); });
    return found == families.end() ? nullptr : &*found;
}

bool offers(const ModelFamily& family, WanTask task) {
    return std::ranges::find(family.tasks, task) != family.tasks.end();
}

bool isMadeFor(const ModelFamily& family, WanTask task) {
    return offers(family, task) &&
           (task != WanTask::DrivenAnimation || takesDrivingVideo(family.traits.trained));
}

Sentence familyTitles() {
    return joinTitles([](const ModelFamily&) { return true; });
}

Sentence familyTitles(WanTask task) {
    return joinTitles([task](const ModelFamily& family) { return offers(family, task); });
}

Sentence familyTitlesReading(std::string_view key) {
    return joinTitles([key](const ModelFamily& family) {
        return std::ranges::any_of(
            family.tasks, [&](WanTask task) { return isMadeFor(family, task) && reads(rowOf(task), key); });
    });
}

std::string taskNames(const ModelFamily& family) {
    std::string names;
    for (const WanTask task : family.tasks)
        names += (names.empty() ? "" : ", ") + std::string(rowOf(task).name);
    return names;
}

}  // namespace meshreel
