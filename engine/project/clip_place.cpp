// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/clip_place.h"

#include <cmath>

namespace meshreel {

std::string_view nameOf(PlaceUnit unit) {
    switch (unit) {
        case PlaceUnit::Frame:
            return "frame";
        case PlaceUnit::Seconds:
            return "seconds";
        case PlaceUnit::Percent:
            break;
    }
    return "percent";
}

std::int64_t ClipPlace::frameOf(std::int64_t frames, double fps) const {
    constexpr double whole = 100;
    switch (unit) {
        case PlaceUnit::Frame:
            return static_cast<std::int64_t>(value);
        case PlaceUnit::Seconds:
            return std::llround(value * fps);
        case PlaceUnit::Percent:
            break;
    }
    return std::llround(value / whole * static_cast<double>(frames - 1));
}

}  // namespace meshreel
