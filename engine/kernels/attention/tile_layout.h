// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

/// Sizes of what tile attention holds for one head, in steps of 32.
struct TileLayout {
    /// `leastKv`: keys that must fit in a block, whatever its size is.
    TileLayout(const FlashBlockSizes& blocks, std::int64_t queryCount, std::int64_t keys, std::int64_t width,
               std::int64_t leastKv = 1)
        : queries(queryCount),
          headDim(width),
          kv(std::min(std::max(blocks.blockKv, leastKv), keys)),
          queryTiles(tileSteps(queryCount)),
          widthSteps(tileSteps(width)),
          kvSteps(tileSteps(kv)),
          stripSteps(tileSteps(std::min({blocks.blockKvComputeIn, blocks.blockKvCompute, kv}))) {}

    [[nodiscard]] std::int64_t width() const { return widthSteps * tileStep; }
    [[nodiscard]] std::int64_t queryElements() const { return queryTiles * tileStep * width(); }
    [[nodiscard]] std::int64_t keyElements() const { return kvSteps * tileStep * width(); }
    [[nodiscard]] std::int64_t stripKeys() const { return stripSteps * tileStep; }

    // Returns a cache line more than the strip, so that rows do not fall on each other in the L1 cache.
    [[nodiscard]] std::int64_t scoreStride() const { return stripKeys() + tileRowBytes / 4; }
    [[nodiscard]] std::int64_t weightStride() const { return stripKeys() + tileRowBytes / 2; }
    [[nodiscard]] std::int64_t scores() const { return tileStep * scoreStride(); }
    [[nodiscard]] std::int64_t weights() const { return tileStep * weightStride(); }

    std::int64_t queries;
    std::int64_t headDim;
    std::int64_t kv;
    std::int64_t queryTiles;
    std::int64_t widthSteps;
    std::int64_t kvSteps;
    std::int64_t stripSteps;
};

/// 32 keys of the block that is held packed, or fewer, which come first.
struct TileKeyStep {
    std::int32_t place = 0;  ///< among the block's steps
    std::int32_t keys = 0;   ///< at least 1
};

/// The 32 queries of a query tile against the keys of a strip of the block.
struct TileUnitOfWork {
    std::int64_t queryTile = 0;
    const TileKeyStep* keySteps = nullptr;
    std::int64_t steps = 0;
    bool isFull = true;  ///< each step has 32 keys
};

/// Memory for one head, see TileLayout.
struct TileBuffers {
    std::uint16_t* queries;  ///< [queryTiles·32, width] rows
    std::uint16_t* keys;     ///< pairs of features: tiles [kvSteps, widthSteps, 2 × 16 keys]
    std::uint16_t* values;   ///< pairs of keys: tiles [kvSteps, widthSteps, 2 × 16 features]
    float* output;           ///< [queryTiles·32, width]
    float* maxima;           ///< [queryTiles·32]
    float* sums;
    // Of units of work that follow each other, which take turns.
    std::array<float*, 2> scores;           ///< [32, scoreStride()]
    std::array<std::uint16_t*, 2> weights;  ///< [32, weightStride()]
};

}  // namespace meshreel
