// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A measured operation.
struct RooflinePoint {
    std::string name;  ///< "linear.1.3b.ffn_up.7800"
    double flopsPerByte = 0;
    double flopsPerSecond = 0;

    friend bool operator==(const RooflinePoint&, const RooflinePoint&) = default;
};

/// What a roof is made of: a limit that points are compared with.
struct RooflinePeak {
    std::string name;  ///< "bf16"
    double flopsPerSecond = 0;

    friend bool operator==(const RooflinePeak&, const RooflinePeak&) = default;
};

/// Operations under the limits of the machine that they ran on.
struct Roofline {
    std::string machine;
    double bytesPerSecond = 0;
    std::vector<RooflinePeak> peaks;
    std::vector<RooflinePoint> points;

    friend bool operator==(const Roofline&, const Roofline&) = default;
};

/// Returns what meshreel hands to meshreel-render.
std::string rooflineJson(const Roofline& roofline);

/// Parses rooflineJson(). Throws Error{Input} for other text, and when there is no peak or no point, or a
/// number has no logarithm.
Roofline parseRoofline(std::string_view json);

}  // namespace meshreel
