// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/fixed_m_outcome.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace meshreel {

void FixedMOutcome::add(const FixedMOutcome& part, std::int64_t firstHead) {
    boundedBlocks += part.boundedBlocks;
    fallbackBlocks += part.fallbackBlocks;
    if (part.heads.empty())
        return;
    const std::int64_t width = std::ssize(heads) / batch;
    const std::int64_t partWidth = std::ssize(part.heads) / part.batch;
    for (std::int64_t index = 0; index < std::ssize(part.heads); ++index) {
        FixedMHead& head =
            heads[static_cast<std::size_t>(index / partWidth * width + firstHead + index % partWidth)];
        head = std::max(head, part.heads[static_cast<std::size_t>(index)]);
    }
}

std::int64_t FixedMOutcome::count(FixedMHead outcome) const {
    return std::ranges::count(heads, outcome);
}

}  // namespace meshreel
