// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace meshreel {

/// Words that stand in place of a file of weights, where no network is wanted.
namespace finish_name {
inline constexpr std::string_view blend = "blend";  ///< frames are mixed, as one passes over into the next
inline constexpr std::string_view lanczos = "lanczos";  ///< pictures are resized by Pillow's filter
}  // namespace finish_name

/// Returns whether a text names a file of weights, and not `word`, or nothing.
constexpr bool namesFinishWeights(std::string_view named, std::string_view word) {
    return !named.empty() && named != word;
}

/// Returns the word that may stand in place of a file in the value of a project's key; empty for keys that
/// have none.
constexpr std::string_view finishWord(std::string_view key) {
    if (key == "interpolator")
        return finish_name::blend;
    return key == "upscaler" ? finish_name::lanczos : std::string_view();
}

/// The largest factor of the frames a second, and of the sides.
inline constexpr double mostFinishFactor = 16;

}  // namespace meshreel
