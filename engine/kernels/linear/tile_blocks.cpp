// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/linear/tile_blocks.h"

#include <cstring>
#include <vector>

namespace meshreel {

void packTileOutputs(const TileProductKernel& kernel, const std::byte* weight, std::int64_t out,
                     std::int64_t width, std::int64_t first, std::int64_t steps, std::byte* to) {
    const std::int64_t inputs = tileInputSteps(width, 1);
    const std::int64_t filledWidth = inputs * tileInputBytes;
    std::vector<std::byte> filled;
    for (std::int64_t step = first; step < first + steps; ++step, to += inputs * tileStepBytes) {
        TileStepRows rows;
        const bool whole = width == filledWidth && (step + 1) * tileStep <= out;
        filled.assign(whole ? 0 : static_cast<std::size_t>(tileStep * filledWidth), std::byte{});
        for (std::int64_t row = 0; row < tileStep; ++row) {
            const std::int64_t output = step * tileStep + row;
            std::byte* copy = whole ? nullptr : filled.data() + row * filledWidth;
            if (!whole && output < out)
                std::memcpy(copy, weight + output * width, static_cast<std::size_t>(width));
            rows[static_cast<std::size_t>(row)] = whole ? weight + output * width : copy;
        }
        kernel.packOutputs(rows, inputs, to);
    }
}

}  // namespace meshreel
