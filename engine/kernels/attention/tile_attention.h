// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/panel_attention.h"

namespace meshreel {

/// Online softmax in bf16 tiles: queries, keys, values and weights are bf16, scores, sums and outputs f32.
/// Takes heads whose rows are bf16 and whose scale is positive; `keyMean` and `fixedMaximum` are not looked
/// at, since a running maximum costs nothing beside tiles. Each query's result depends on its own row and on
/// how the keys are cut into strips, never on the other queries. block_kv_compute_in is rounded up to whole
/// tiles of 32 keys.
using TileAttentionFunction = void (*)(const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                                       AttentionScratch& scratch);

/// Computes with the CPU's tiles; needs AMX-BF16 and AVX512-BF16.
void tileAttentionAmx(const FlashBlockSizes& blocks, std::span<PanelHead> heads, AttentionScratch& scratch);

/// Computes with tiles made of vector registers; needs AVX512-BF16.
void tileAttentionAvx512Bf16(const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                             AttentionScratch& scratch);

/// Runs the same code with tiles emulated in C++, and vectors of AVX-512 or AVX2: to test it on any CPU.
void tileAttentionEmulatedAvx512(const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                                 AttentionScratch& scratch);
void tileAttentionEmulatedAvx2(const FlashBlockSizes& blocks, std::span<PanelHead> heads,
                               AttentionScratch& scratch);

/// Returns what AttentionScratch::bytes() is at most after heads of `queries` × `keys` rows.
std::size_t tileScratchBytes(const FlashBlockSizes& blocks, std::int64_t queries, std::int64_t keys,
                             std::int64_t headDim);

}  // namespace meshreel
