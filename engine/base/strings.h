// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace meshreel {

/// Levenshtein distance in bytes.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` for a "did you mean"; empty when nothing is near (more than a third
/// differs).
std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates);

/// 1536 -> "1.5 KiB"; binary units, one decimal.
std::string formatBytes(std::size_t bytes);

}  // namespace meshreel
