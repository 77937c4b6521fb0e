// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/panel_attention.h"
#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/attention/tile_attention.inl.h"
#include "engine/kernels/attention/tile_layout.h"
#include "engine/kernels/attention/tile_vector_avx2.h"
#include "engine/kernels/tiles/tile_unit_emulated.h"

namespace meshreel {

void tileAttentionEmulatedAvx2(const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                               AttentionScratch& scratch) {
    runTileAttention<TileUnitEmulated, TileVectorAvx2>(blocks, heads, scratch);
}

std::size_t tileScratchBytes(const FlashBlockSizes& blocks, std::int64_t queries, std::int64_t keys,
                             std::int64_t headDim) {
    const TileLayout layout(blocks, queries, keys, headDim);
    if (layout.kv == 0 || layout.queries == 0)
        return 0;
    const std::int64_t narrow = layout.queryElements() + 2 * layout.keyElements();
    const std::int64_t floats =
        layout.queryElements() + 2 * layout.queryTiles * tileStep + 2 * layout.scores() + layout.weights();
    return static_cast<std::size_t>(narrow) * sizeof(std::uint16_t) +
           static_cast<std::size_t>(floats) * sizeof(float);
}

}  // namespace meshreel
