// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "engine/runs/records/roofline_numbers.h"

namespace meshreel {

/// Every row that has an arithmetic intensity (flops_per_byte, or flops and bytes beside its seconds) of what
/// benchmarkJson() gives. Throws Error{Input} where it is no such object, or has no such row.
Roofline rooflineOf(const nlohmann::json& benchmark);

/// Reads what `meshreel bench --json` wrote, or a history file. A history gives the rows of its last line's
/// machine and commit: the last of equal rows, and the highest limits. Throws Error{Input}.
Roofline readRoofline(const std::filesystem::path& file);

}  // namespace meshreel
