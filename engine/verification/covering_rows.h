// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace meshreel {

/// One level of each factor.
using FactorLevels = std::vector<int>;

/// Few rows in which every pair of levels of every two factors appears together; factor f has levels
/// 0 … counts[f] - 1. Greedy and always the same.
std::vector<FactorLevels> pairwiseRows(std::span<const int> counts);

/// Indices of few of these rows, in order, in which every pair appears that appears in any.
std::vector<std::size_t> pairwiseSubset(std::span<const FactorLevels> rows);

}  // namespace meshreel
