// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/panel_attention.h"
#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

/// Sizes of what tile attention holds for one head, in steps of 32.
struct TileLayout {
    TileLayout(const FlashBlockSizes& blocks, std::int64_t queryCount, std::int64_t keys, std::int64_t width)
        : queries(queryCount),
          headDim(width),
          kv(std::min(blocks.blockKv, keys)),
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

/// The 32 queries of a query tile against the keys of a strip of the block.
struct TileUnitOfWork {
    std::int64_t queryTile = 0;
    std::int64_t firstStep = 0;  ///< among the block's steps of 32 keys
    std::int64_t steps = 0;
    std::int64_t keys = 0;  ///< that there are among the 32·steps
    float* scores = nullptr;
    std::uint16_t* weights = nullptr;
};

/// Memory for one head, see TileLayout.
struct TileBuffers {
    std::uint16_t* queries;  ///< [queryTiles·32, width] rows
    std::uint16_t* keys;     ///< pairs of features: tiles [kvSteps, widthSteps, 2 × 16 keys]
    std::uint16_t* values;   ///< pairs of keys: tiles [kvSteps, widthSteps, 2 × 16 features]
    float* output;           ///< [queryTiles·32, width]
    float* maxima;           ///< [queryTiles·32]
    float* sums;
};

}  // namespace meshreel
