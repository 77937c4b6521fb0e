// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {

/// What a video is made of.
enum class WanTask : std::uint8_t {
    TextToVideo,
    SubjectsToVideo,   ///< pictures of what it shows
    ImageToVideo,      ///< a first frame
    TracksToVideo,     ///< a first frame whose points move along tracks
    MoveToVideo,       ///< a first frame whose latents are copied along tracks
    FirstLastFrame,    ///< a first and a last frame
    KeyframesToVideo,  ///< frames anywhere
    VideoToVideo,      ///< a video that is noised and denoised again
    ControlToVideo,    ///< a control video, with or without a first frame and a reference picture
    SourcesToVideo,    ///< a video and pictures beside it, which it is made after
    VaceEditing,       ///< a video with masks, reference images
    Animation,         ///< a character's image, moved as videos of poses and of a face
    Replacement,       ///< an animation that is put into a video where a mask says so
    DrivenAnimation,   ///< a character's image, moved as somebody in a video: Animate-2
    SpeechToVideo,     ///< a picture of somebody, who says or sings what is heard
};

/// How a task is given the last frames of a clip that it continues.
enum class ClipUse : std::uint8_t {
    Held,      ///< latents, first in every step, with as much noise as the others have then
    Pictures,  ///< what the video begins with, in place of `image`
    Control,   ///< frames of VACE's control video
    Segment,   ///< as the end of the segment before; `image` shows the character
};

/// One value of the project key `task`.
struct WanTaskRow {
    WanTask task;
    std::string_view name;  ///< "i2v"
    std::string_view title;
    std::string_view help;
    std::span<const std::string_view> needs;     ///< project keys of its inputs
    std::span<const std::string_view> takes;     ///< keys of inputs that it may have beside those
    std::span<const std::string_view> settings;  ///< keys that only it, or only it and its like, read
    ClipUse clip;                                ///< that continue_from names
    std::int64_t continuedFrames;  ///< of that clip, where nobody says how many; of animations see
                                   ///< continuedFrames()
};

/// Returns whether the task reads the key, as an input or a setting.
bool reads(const WanTaskRow& task, std::string_view key);

std::span<const WanTaskRow> wanTasks();
const WanTaskRow& rowOf(WanTask task);
/// Null when there is none.
const WanTaskRow* findWanTask(std::string_view name);

/// Returns whether the video is made in segments, of a character that an image shows.
constexpr bool isAnimation(WanTask task) {
    return task == WanTask::Animation || task == WanTask::Replacement || task == WanTask::DrivenAnimation;
}

/// What Animate-2's transformer is told of every driving video, as upstream's program does: "reference video
/// of a person's motion".
inline constexpr std::string_view drivingPrompt = "人物动作的参考视频";
/// Returns whether the video is made after a sound, clip by clip.
constexpr bool followsSpeech(WanTask task) {
    return task == WanTask::SpeechToVideo;
}

/// Returns whether each segment of the video is conditioned by itself, after the segment before.
constexpr bool conditionsSegments(WanTask task) {
    return isAnimation(task) || followsSpeech(task);
}

/// Returns whether the negative half of guidance is given other latents beside the noise than the prompt's,
/// so that the two share no pass.
constexpr bool partsGuidance(WanTask task) {
    return task == WanTask::MoveToVideo;
}

/// Returns whether a pass of guidance that does not see some token groups has no tokens of them; else they
/// are of zeros.
constexpr bool leavesOutGroups(WanTask task) {
    return task == WanTask::SourcesToVideo;
}

/// The project key `task`'s value for "what the model and the inputs say".
inline constexpr std::string_view automaticTask = "auto";

/// A trained input that does not show in a model's tensors, which are those of another model; only its name
/// shows it.
enum class TrainedInput : std::uint8_t {
    None,
    Subjects,           ///< Phantom: pictures of subjects
    Tracks,             ///< ATI: tracks of points
    Moves,              ///< Wan-Move: tracks of points, too
    Sources,            ///< Bernini-R: a video to edit, pictures to show
    Driving,            ///< Animate-2: a video of the motion
    DrivingInFewSteps,  ///< the same, distilled
};

/// Returns whether such weights attend to a driving video.
constexpr bool takesDrivingVideo(TrainedInput trained) {
    return trained == TrainedInput::Driving || trained == TrainedInput::DrivingInFewSteps;
}

/// What distinguishes families: read from a checkpoint's configs, and for a few from its name.
struct FamilyTraits {
    std::int64_t extraChannels = 0;  ///< into the transformer, in addition to the latents'
    bool imageEmbeddings = false;    ///< image_dim: it attends to what CLIP sees
    bool imagePositions = false;     ///< pos_embed_seq_len: of two images
    bool vaceBlocks = false;         ///< vace_layers
    bool tokenTimesteps = false;     ///< expand_timesteps: every token has a timestep of its own
    bool animates = false;           ///< its transformer takes poses and faces
    bool hears = false;              ///< its transformer takes a sound
    int experts = 1;
    TrainedInput trained = TrainedInput::None;

    friend bool operator==(const FamilyTraits&, const FamilyTraits&) = default;
};

/// What upstream's programs use for a family by default.
struct FamilyDefaults {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t numFrames = 0;
    double fps = 0;
    std::int64_t steps = 0;
    double flowShift = 0;
    double guidance = 0;       ///< the first expert's, for two experts; the text's, for Phantom
    double guidanceLow = 0;    ///< the second's; 0 for one transformer
    double boundaryRatio = 0;  ///< also for two experts
};

/// Models of one kind, in all sizes.
struct ModelFamily {
    std::string_view name;   ///< "wan2.1-i2v"; architectures of its transformers begin with it
    std::string_view title;  ///< "Wan 2.1 image to video"
    FamilyTraits traits;
    std::span<const WanTask> tasks;  ///< the first is what `task: auto` means without inputs that say more
    std::int64_t sizeMultiple = 16;  ///< pixels that width and height are multiples of
    FamilyDefaults defaults;
};

/// Returns every family that generates.
std::span<const ModelFamily> modelFamilies();

/// Returns null when no family has these traits.
const ModelFamily* findFamily(const FamilyTraits& traits);
/// Returns the family that has the same tensors: another one when only a name distinguishes them.
const ModelFamily& plainFamily(const ModelFamily& family);
/// Returns the family of a released architecture ("wan2.2-ti2v-5b"); null when it is none of a transformer.
const ModelFamily* familyOfArchitecture(std::string_view architecture);

bool offers(const ModelFamily& family, WanTask task);
/// Returns whether it offers the task and configs or names show that its weights are for it: of Animate-2's
/// task only the project says so where they are called image to video.
bool isMadeFor(const ModelFamily& family, WanTask task);

/// Returns the titles of all families, or of those that offer the task.
Sentence familyTitles();
Sentence familyTitles(WanTask task);
/// Returns the titles of the families made for a task that reads the key, as an input or a setting.
Sentence familyTitlesReading(std::string_view key);

/// "t2v, v2v".
std::string taskNames(const ModelFamily& family);

}  // namespace meshreel
