// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace meshreel {

/// Solves a·x = b for a square a, row after row, by elimination with partial pivoting.
std::vector<float> solveLinear(std::span<const float> a, std::span<const float> b);

/// Solves a·x = b for a symmetric, positive definite a [size, size] and several b, one after the other; so
/// are their x.
std::vector<double> solveSymmetric(std::span<const double> a, std::size_t size, std::span<const double> b);

}  // namespace meshreel
