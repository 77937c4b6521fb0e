// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/fixed_m_outcome.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace meshreel {

void FixedMOutcome::begin(std::int64_t batchRows, std::int64_t headCount) {
    batch = batchRows;
    heads.assign(static_cast<std::size_t>(batchRows * headCount), FixedMHead::NotHere);
    boundedBlocks = 0;
    fallbackBlocks = 0;
}

void FixedMOutcome::add(std::int64_t batchRow, std::int64_t head, std::span<const FixedMHead> blocks) {
    const std::int64_t width = std::ssize(heads) / batch;
    FixedMHead& worst = heads[static_cast<std::size_t>(batchRow * width + head)];
    worst = std::max(worst, std::ranges::max(blocks));
    const auto bounded = std::ranges::count(blocks, FixedMHead::Bounded);
    boundedBlocks += bounded;
    fallbackBlocks += std::ssize(blocks) - bounded;
}

std::int64_t FixedMOutcome::count(FixedMHead outcome) const {
    return std::ranges::count(heads, outcome);
}

}  // namespace meshreel
