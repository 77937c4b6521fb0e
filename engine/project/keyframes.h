// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/base/problem.h"
#include "engine/project/clip_place.h"

namespace meshreel {

struct Project;
struct YamlNode;

/// A picture that the video shows at a place.
struct Keyframe {
    ClipPlace place;
    std::string image;  ///< a path, as that of the key `image`

    friend bool operator==(const Keyframe&, const Keyframe&) = default;
};

/// In the order of the file; validate() sees to places that coincide.
using KeyframeList = std::vector<Keyframe>;

/// Places of a keyframe at most, in frames: far beyond any clip, and exact in a double.
inline constexpr double farthestFrame = 1e6;

/// Returns the list in brackets on one line: [{frame: 8, image: b.png}, {percent: 50.0, image: c.png}].
std::string keyframesText(const KeyframeList& keyframes);

/// Reads a list of maps (image and one of frame, seconds and percent); a list of one may be just its element.
/// A problem has the line of what is wrong, and no key.
std::variant<KeyframeList, Problem> readKeyframes(const YamlNode& node);

/// Returns what is wrong with the places of a project's keyframes in its clip, whatever the model: beyond its
/// end, or two pictures at one frame, those of `image` and `last_image` among them.
std::vector<Problem> keyframeProblems(const Project& project);

}  // namespace meshreel
