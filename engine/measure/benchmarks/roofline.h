// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meshreel {

/// A measured operation.
struct RooflinePoint {
    std::string name;  ///< "linear.1.3b.ffn_up.7800"
    double flopsPerByte = 0;
    double flopsPerSecond = 0;
};

/// What a roof is made of: a limit that points are compared with.
struct RooflinePeak {
    std::string name;  ///< "bf16"
    double flopsPerSecond = 0;
};

/// Operations under the limits of the machine that they ran on.
struct Roofline {
    std::string machine;
    double bytesPerSecond = 0;
    std::vector<RooflinePeak> peaks;
    std::vector<RooflinePoint> points;
};

/// Every row that has an arithmetic intensity (flops_per_byte, or flops and bytes beside its seconds) of what
/// benchmarkJson() gives. Throws Error{Input} where it is no such object, or has no such row.
Roofline rooflineOf(const nlohmann::json& benchmark);

/// Of a file of `meshreel bench --json`, or of a history file: of its lines those of the last line's machine
/// and commit, of equal rows the last, of limits the highest. Throws Error{Input}.
Roofline readRoofline(const std::filesystem::path& file);

/// As SVG, dark on white; both axes are logarithmic, every point has its name.
std::string rooflineSvg(const Roofline& roofline);

}  // namespace meshreel
