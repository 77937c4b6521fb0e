// SPDX-License-Identifier: GPL-3.0-or-later
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/panel_attention.h"
#include "engine/kernels/attention/tile_attention.h"
#include "engine/kernels/attention/tile_layout.h"
#include "engine/kernels/attention/tile_units.h"
#include "engine/kernels/denormals_flushed.h"
#include "engine/kernels/dispatch/isa_region.h"
#include "engine/kernels/tiles/tile_unit_avx512_bf16.h"

#define MESHREEL_AVX512_BF16
MESHREEL_BEGIN_AVX512_BF16
// clang-format off: these must come last
#include "engine/kernels/attention/tile_attention.inl.h"
#include "engine/kernels/attention/tile_vector_avx512.h"
// clang-format on

namespace meshreel {

void tileAttentionAvx512Bf16(const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                             AttentionScratch& scratch) {
    runTileAttention<TileUnitAvx512Bf16, TileVectorAvx512Bf16>(blocks, heads, scratch);
}

}  // namespace meshreel
MESHREEL_END_ISA
