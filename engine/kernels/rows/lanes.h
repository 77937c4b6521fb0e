// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace meshreel {

/// Lanes of f32 that fill the vector registers of every CPU.
inline constexpr std::size_t floatLanes = 16;

/// Folds a row in a fixed number of independent lanes, which the compiler turns into vector registers without
/// being allowed to reorder arithmetic: the result depends on the row alone. `term` maps an element before it
/// is folded.
template <std::size_t lanes, typename Element, std::size_t extent, typename Value, typename Term,
          typename Fold>
Value foldLanes(std::span<Element, extent> row, Value start, Term term, Fold fold) {
    std::array<Value, lanes> partial;
    partial.fill(start);
    const std::size_t whole = row.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes)
// Unrolled completely it would no longer be seen as a loop to vectorise.
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < lanes; ++lane)
            partial[lane] = fold(partial[lane], term(row[i + lane]));
    for (std::size_t i = whole; i < row.size(); ++i)
        partial[i - whole] = fold(partial[i - whole], term(row[i]));
    Value result = start;
    for (const Value value : partial)
        result = fold(result, value);
    return result;
}

}  // namespace meshreel
