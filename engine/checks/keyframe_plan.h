// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/models/families/model_family.h"
#include "engine/project/project.h"

namespace meshreel {

/// How a model is given pictures at chosen frames.
enum class KeyframeWay : std::uint8_t {
    Mask,        ///< channels beside the latents: the pictures, grey between, and a mask of four rows
    TokenTimes,  ///< latents in their places, whose tokens have time 0
    Control,     ///< VACE's control video, and a mask that is black there
};

/// How strongly a mask says that a picture between the ends is given, to each of two experts; a single
/// transformer is told as the first one is. Image-to-video models were trained with ends only. Values of
/// wallen0322/ComfyUI-Wan22FMLF 83861c5.
inline constexpr std::array<float, 2> betweenStrengths{0.8F, 0.2F};

/// A picture at its frames.
struct PlannedKeyframe {
    std::string key;               ///< that names it: image, last_image or keyframes
    std::size_t index = 0;         ///< among the pictures of the key
    std::int64_t asked = 0;        ///< frame that the project means
    std::int64_t frame = 0;        ///< the first that shows it
    std::int64_t frames = 1;       ///< that show it, one after the other
    std::int64_t latentFrame = 0;  ///< that the model is given
    bool isBetween = false;        ///< marked as strongly as betweenStrengths say

    /// Returns the last frame that shows it.
    [[nodiscard]] std::int64_t last() const { return frame + frames - 1; }

    friend bool operator==(const PlannedKeyframe&, const PlannedKeyframe&) = default;
};

/// Which pictures stand where, decided once for a project on its model.
struct KeyframePlan {
    KeyframeWay way = KeyframeWay::Mask;
    std::vector<PlannedKeyframe> pictures;  ///< by their frames; none without keyframes
    std::int64_t continued = 0;  ///< frames of the clip before, behind whose latents the pictures stand

    friend bool operator==(const KeyframePlan&, const KeyframePlan&) = default;
};

/// Returns where the pictures of a project's keyframes, and of `image` and `last_image` beside them, stand.
/// The project's places are legal (keyframeProblems()), and its task takes them.
/// - Mask: the first and the last frame are given whole. A picture between them stands at one frame, a
///   multiple of a latent's frames, nearest to the one that was asked for and in no latent of the clip
///   before.
/// - TokenTimes: a picture stands for all frames of its latent.
/// - Control: a picture is held over the frames of its latent, as far as its mask is read from them, and over
///   the frame that the mask is read from: VACE takes that of latent i from frame ⌊(i + ½)·frames/latents⌋,
///   which may be the first one behind the latent. So the mask marks this latent and no other.
KeyframePlan planKeyframes(const Project& project, const ModelFacts& model);

/// Returns why a model cannot be given a project's keyframes where they are meant to be, and which of them
/// it is given elsewhere.
std::vector<Problem> keyframeProblems(const Project& project, const ModelFacts& model);

/// Returns the pictures of the plan that an image encoder sees: the earliest, unless the video begins with
/// the clip before, and the latest where the model has positions for two; none for a model without one.
std::vector<PlannedKeyframe> seenPictures(const KeyframePlan& plan, const ModelFamily& family);

}  // namespace meshreel
