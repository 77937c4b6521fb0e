// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/attention/flash_block_sizes.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/scratch_buffer.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// One head's queries against its keys and values. Arithmetic is f32, except that scores too large for it are
/// computed in f64: the result is within 1e-5 of the exact softmax of the inputs, whatever their size (for
/// values of about unit size). Rows stored as bf16 are promised 2e-2 for standard-normal queries and keys and
/// 5e-2 for larger ones, so that they may be computed in bf16.
struct HeadInputs {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t headDim = 0;
    HeadRows q;
    HeadRows k;
    HeadRows v;
    double scale = 1.0;                     ///< scores = scale·q·k + bias
    const std::uint8_t* keyMask = nullptr;  ///< [keys], 0 = masked; nullptr: all kept
    HeadRows bias = {};                     ///< [queries, keys] f32 when present
    /// The largest ‖q‖ of all queries of the head, if these are only some of them, so that results do not
    /// depend on the selection; below 0: that of these queries.
    double queryNorm = -1.0;
    /// Row of each query in q, where they do not follow each other; nullptr: query i is row i.
    const std::int32_t* queryRows = nullptr;
    /// Block-sparse attention: which rows are the keys, and which blocks of queries attend to which of
    /// theirs. nullptr: every query attends to the rows [0, keys). No bias then.
    const KeptKeys* kept = nullptr;

    [[nodiscard]] std::int64_t queryRow(std::int64_t query) const {
        return queryRows == nullptr ? query : queryRows[query];
    }
};

/// One worker's buffers, kept between problems.
struct AttentionScratch {
    ScratchBuffer queries;     ///< queries as f32 or packed
    ScratchBuffer keys;        ///< a block of keys as f32 or packed
    ScratchBuffer values;      ///< a block of values as f32 or packed
    ScratchBuffer scores;      ///< a tile of scores, then of weights
    ScratchBuffer wideScores;  ///< dense and flash: a tile of scores in f64
    ScratchBuffer wideRows;    ///< queries and keys as f64, for large scores
    ScratchBuffer statistics;  ///< maxima, sums and factors of queries
    ScratchBuffer output;      ///< tiles: sums of weighted values
    AttentionPartial tile;     ///< flash: one tile's attention

    /// Returns all buffers; the tile apart.
    [[nodiscard]] std::size_t bytes() const;
};

/// Returns the factor of q·k, so that the scores are exponents of the base.
double exponentScale(const HeadInputs& problem, ExponentBase base);

/// Dense softmax: all keys in one tile. Natural base.
void dotProductAttention(const HeadInputs& problem, AttentionScratch& scratch, AttentionPartial& result);

/// Online softmax: keys in blocks of blocks.blockKv copied side by side, each worked through in tiles of
/// blocks.blockKvCompute. Without a bias the custom kernel does it, in base 2 and softmax steps of
/// blocks.blockKvComputeIn; with one, natural base. The other sizes are not looked at.
void flashAttention(const HeadInputs& problem, const FlashBlockSizes& blocks, AttentionScratch& scratch,
                    AttentionPartial& result);

/// Adds the attention to `count` keys and values that are all equal to row `key` of the problem's (which may
/// be after its `keys`) to that of other keys: one score for each query, weighted `count` times. No bias, no
/// mask.
void addRepeatedKey(const HeadInputs& problem, std::int64_t key, std::int64_t count,
                    AttentionPartial& partial);

/// Hands out the kept keys of a problem in blocks; masked ones never appear.
class KeySource {
  public:
    explicit KeySource(const HeadInputs& problem) : m_problem(&problem) {}

    /// Returns the rows of the next up to `most` keys, in order; empty at the end. Invalidates what an
    /// earlier call returned.
    std::span<const std::int64_t> next(std::int64_t most);

  private:
    const HeadInputs* m_problem;
    ScratchVector<std::int64_t> m_rows;
    std::int64_t m_next = 0;
};

/// Returns whether scores bounded by ‖row‖·‖column‖·scale are too large for f32: its rounding, relative to
/// the score, would show as an absolute error of the exponent. Such scores are computed in f64. Rows stored
/// as bf16 have a higher limit, because their own rounding is far larger than that error.
bool needsWideScores(double rowNorm, double columnNorm, double scale, DType storage);

/// Returns the first `count` rows as f64, side by side in `to` [count, width].
Rows<double> widen(const FloatRows& rows, std::int64_t count, std::int64_t width, double* to);

}  // namespace meshreel
