// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/attention/block_means.h"
#include "engine/kernels/attention/head_tensor.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/attention/sparse_rule.h"
#include "engine/kernels/attention/token_blocks.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/rows/rope.h"

namespace meshreel {

/// Tokens of a sequence that follow each other.
struct TokenRun {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Where blocks of queries and keys are among all, and which of them nobody may leave out.
struct BlockFrame {
    /// [batch, key blocks]: not 0 for blocks that are short, have tokens beside the video's, or masked keys.
    std::span<const std::uint8_t> alwaysKept;
    std::int64_t ownBlock = 0;          ///< the block of keys that has the tokens of the first of queries
    std::int64_t wholeQueryBlocks = 0;  ///< the first ones; others attend to everything

    [[nodiscard]] std::span<const std::uint8_t> alwaysKeptOf(std::int64_t batch,
                                                             std::int64_t keyBlocks) const {
        return alwaysKept.subspan(static_cast<std::size_t>(batch * keyBlocks),
                                  static_cast<std::size_t>(keyBlocks));
    }
};

/// Sol-Attn: keeps the blocks whose score, the product of the means of queries and of keys, is above mean +
/// tau · deviation of the scores of a block of queries and a head. `queryMeans` [batch, heads, query blocks,
/// headDim]; the map is of each head. Source: NVlabs Sana, sol-engine, as ComfyUI ships it
/// (comfy_extras/nodes_sparse_attention.py, 01dafad3).
void keepByScores(const Execution& execution, const SparseRule& rule, const BlockFrame& frame,
                  const HeadTensor& queryMeans, const HeadTensor& keyMeans, double scale, BlockMaps& kept);

/// Radial attention: keeps blocks by the distance of their frames, see radialKeeps(). `queries` and `keys`
/// are the tokens of each block; one map for all heads.
void keepRadially(const Execution& execution, const SparseRule& rule, const BlockFrame& frame,
                  const TokenGrid& video, std::span<const TokenRun> queries, std::span<const TokenRun> keys,
                  BlockMaps& kept);

/// Returns whether radial attention keeps a block of keys for a block of queries. Of each pair of frames
/// (i, j), at distance d, tokens attend within a window: everything to frame 0 and in the own frame, half a
/// frame at d = 1, beyond that decay · 2^bits(tokens of a frame) / 2^bits(d), but at least a block; where
/// that is below a block without the decay, only at distances that divide by ⌊block / it⌋. A block is kept
/// when, of those of its keys that some query of the block sees, six in ten are seen by more than a third of
/// a block. Source: mit-han-lab/radial-attention, radial_attn/attn_mask.py (09c88be7), model type "wan".
bool radialKeeps(const SparseRule& rule, const TokenGrid& video, const TokenRun& queries,
                 const TokenRun& keys);

/// Sparse VideoGen: chooses for each head between frames and places, as svgPrefersPlaces() says, and keeps a
/// band of the tokens in that order, with the first keys of the layout, as many as a frame has, if the rule
/// says so. The rows are those of the whole sequence. Source: MaxDiffusion pull request 480, docs/svg.md.
void keepBands(const Execution& execution, const SparseRule& rule, const BlockFrame& frame,
               const TokenGrid& video, const HeadTensor& query, const HeadTensor& key,
               const HeadTensor& value, double scale, BlockMaps& kept);

/// Returns half the width of the band in tokens: those pairs of N tokens that are no further apart are the
/// density's share of all, N·(1 - √(1 - density)), rounded up to whole blocks; N - 1 for a density of 1.
std::int64_t svgBand(const SparseRule& rule, std::int64_t tokens);

/// Returns whether a block of keys is in the band of a block of queries, or among the first keys. Half of the
/// pairs of a block at the band's border are in it: of the two of a row the later one is kept, so that as
/// many pairs are kept as the band has.
bool svgKeeps(const SparseRule& rule, const TokenGrid& video, std::int64_t queryBlock, std::int64_t keyBlock);

}  // namespace meshreel
