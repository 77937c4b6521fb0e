// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

/// What a block of attention works on, from AttentionConstants, as registers.
struct PtxAttentionPlace {
    std::string queries, keys, flags, scale;
    std::string firstQuery;  ///< of the block
    std::string head;
};

/// `queriesOfBlock` for each block along x of the grid, a head for each along y.
PtxAttentionPlace findAttention(PtxWriter& ptx, std::size_t queriesOfBlock);

/// What a warp does with the scores of 16 queries: hides keys, keeps maxima and totals, makes weights of
/// scores, and writes a partial or finished rows.
///
/// Scores and outputs lie as mma.sync.m16n8k16 and wgmma leave sums: rows lane / 4 (registers 0 and 1 of
/// four) and eight below (2 and 3), columns 2 · (lane % 4) and one more, of every eight columns.
class PtxSoftmax {
  public:
    /// Heads of `head` numbers, a multiple of 8, and `keysOfStep` keys at a time.
    PtxSoftmax(PtxWriter& ptx, std::size_t head, std::size_t keysOfStep);

    /// No key so far.
    void begin(const PtxAttentionPlace& place, const PtxThread& self);
    void findMarks();

    /// Four registers for every eight numbers of the head.
    [[nodiscard]] const std::vector<std::string>& outputs() const { return m_outputs; }
    /// Declares four registers for every eight keys: the products write scores there, not scaled.
    const std::vector<std::string>& addScores();
    /// Two registers for every eight keys, as the left factor of the product with values wants them.
    [[nodiscard]] const std::vector<std::string>& weights() const { return m_weights; }

    /// Only in the last step, or where keys are marked: a key that is not there, or hidden, has no weight.
    /// `nextKey` is the first one of the next step.
    void hideKeys(const std::string& firstKey, const std::string& nextKey);
    /// Maxima stay where no score of the warp is above its own by more than the slack; weights are then 64 at
    /// most. Where one rises, `rescale` says what becomes of the factor by which the outputs of a row, 0 or
    /// 1, are multiplied: in a branch that the warp takes as one, if the predicate that this returns is true.
    std::string raiseMaximum(const std::function<void(std::size_t row, const std::string& factor)>& rescale);
    /// Multiplies the outputs of a row.
    void scaleOutputs(std::size_t row, const std::string& factor);
    /// Scores become weights where they are, and add to totals.
    void weighScores();
    /// Rounds weights to bf16, into weights().
    void narrowWeights();

    /// Writes the outputs of the warp, whose number among those of the block that have queries is in `warp`.
    void finish(const std::string& warp);

  private:
    [[nodiscard]] std::size_t headTiles() const { return m_head / 8; }
    [[nodiscard]] std::size_t keyTiles() const { return m_keysOfStep / 8; }
    [[nodiscard]] const std::string& score(std::size_t tile, std::size_t row, std::size_t odd) const;
    [[nodiscard]] std::span<const std::string> outputPair(std::size_t tile, std::size_t half) const;
    void acrossRow(const char* operation, const std::string& value);
    std::string isQueryThere(const std::string& query, std::size_t half);
    void writePartial(const std::string& output, const std::string& firstQuery);
    void writeRows(const std::string& output, const std::string& firstQuery, const std::string& isNarrow);

    PtxWriter& m_ptx;
    std::size_t m_head;
    std::size_t m_keysOfStep;
    // Registers, by what they hold.
    PtxAttentionPlace m_place;
    PtxThread m_self;
    std::string m_member;
    std::string m_marks, m_hasMarks, m_lastKey, m_lastKeyMore;
    std::vector<std::string> m_scores, m_weights, m_outputs, m_most, m_total;
};

}  // namespace meshreel
