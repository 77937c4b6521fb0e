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
    SubjectsToVideo,  ///< pictures of what it shows
    ImageToVideo,     ///< a first frame
    TracksToVideo,    ///< a first frame whose points move along tracks
    FirstLastFrame,   ///< a first and a last frame
    VideoToVideo,     ///< a video that is noised and denoised again
    VaceEditing,      ///< a video with masks, reference images
    Animation,        ///< a character's image, moved as videos of poses and of a face
    Replacement,      ///< the same, put into a video where a mask says so
};

/// One value of the project key `task`.
struct WanTaskRow {
    WanTask task;
    std::string_view name;  ///< "i2v"
    std::string_view title;
    std::string_view help;
    std::span<const std::string_view> needs;          ///< project keys of its inputs
    std::span<const std::string_view> takes;          ///< keys of inputs that it may have beside those
    std::span<const std::string_view> settings = {};  ///< keys that only it, or only it and its like, read
};

std::span<const WanTaskRow> wanTasks();
const WanTaskRow& rowOf(WanTask task);
/// Null when there is none.
const WanTaskRow* findWanTask(std::string_view name);

/// Whether the video is made in segments with poses and faces.
constexpr bool isAnimation(WanTask task) {
    return task == WanTask::Animation || task == WanTask::Replacement;
}

/// The project key `task`'s value for "what the model and the inputs say".
inline constexpr std::string_view automaticTask = "auto";

/// What a model was trained with whose tensors are those of another one; told by its name alone.
enum class TrainedInput : std::uint8_t {
    None,
    Subjects,  ///< Phantom: pictures of subjects
    Tracks,    ///< ATI: tracks of points
};

/// What a checkpoint's configs, and of a few its name, say that tells families apart.
struct FamilyTraits {
    std::int64_t extraChannels = 0;  ///< into the transformer, beside the latents'
    bool imageEmbeddings = false;    ///< image_dim: it attends to what CLIP sees
    bool imagePositions = false;     ///< pos_embed_seq_len: of two images
    bool vaceBlocks = false;         ///< vace_layers
    bool tokenTimesteps = false;     ///< expand_timesteps: every token has a timestep of its own
    bool animates = false;           ///< its transformer takes poses and faces
    int experts = 1;
    TrainedInput trained = TrainedInput::None;

    friend bool operator==(const FamilyTraits&, const FamilyTraits&) = default;
};

/// What upstream's programs make with a family unless told otherwise.
struct FamilyDefaults {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t numFrames = 0;
    double fps = 0;
    std::int64_t steps = 0;
    double flowShift = 0;
    double guidance = 0;       ///< of two experts the first's; of Phantom the text's
    double guidanceLow = 0;    ///< the second's; 0 for one transformer
    double boundaryRatio = 0;  ///< likewise
};

/// Models of one kind, whatever their size.
struct ModelFamily {
    std::string_view name;   ///< "wan2.1-i2v"; architectures of its transformers begin with it
    std::string_view title;  ///< "Wan 2.1 image to video"
    FamilyTraits traits;
    std::span<const WanTask> tasks;  ///< the first is what `task: auto` means without inputs that say more
    std::int64_t sizeMultiple = 16;  ///< pixels that width and height are multiples of
    FamilyDefaults defaults;
};

/// Every family that generates.
std::span<const ModelFamily> modelFamilies();

/// Null when no family has these traits.
const ModelFamily* findFamily(const FamilyTraits& traits);
/// The family whose tensors it has: another one where only a name tells them apart.
const ModelFamily& plainFamily(const ModelFamily& family);
/// The family of a released architecture ("wan2.2-ti2v-5b"); null when it is none of a transformer.
const ModelFamily* familyOfArchitecture(std::string_view architecture);

bool offers(const ModelFamily& family, WanTask task);

/// The titles of all families; of those that offer the task.
Sentence familyTitles();
Sentence familyTitles(WanTask task);

/// "t2v, v2v".
std::string taskNames(const ModelFamily& family);

}  // namespace meshreel
