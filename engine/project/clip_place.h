// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace meshreel {

/// How a place in a clip is counted.
enum class PlaceUnit : std::uint8_t {
    Frame,    ///< from 0
    Seconds,  ///< from the beginning, at the clip's own rate
    Percent,  ///< 0 is the first frame, 100 the last one
};

/// "frame", "seconds", "percent": as a project file spells them.
std::string_view nameOf(PlaceUnit unit);

/// A moment of a clip, as a person names it.
struct ClipPlace {
    PlaceUnit unit = PlaceUnit::Frame;
    double value = 0;

    /// Returns the frame nearest to it, counted from 0, of a clip of so many frames at so many a second; a
    /// place behind the clip's end has a frame that the clip does not have.
    [[nodiscard]] std::int64_t frameOf(std::int64_t frames, double fps) const;

    friend bool operator==(const ClipPlace&, const ClipPlace&) = default;
};

}  // namespace meshreel
