// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/attention/attention_kernel.h"
#include "engine/kernels/attention/kept_blocks.h"
#include "engine/kernels/attention/tile_layout.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {

/// Keys to be packed side by side from a step of the block on.
struct TileKeys {
    std::span<const std::int64_t> rows;
    std::int64_t firstStep = 0;
};

/// What tile attention works through: block after block of a problem's keys, and of each block the units of
/// work. Units of a query tile follow each other. Without block-sparse attention every query tile meets every
/// strip of the kept keys; with it, the keys of the blocks that it attends to, in strips of as many.
class TileUnits {
  public:
    /// Both outlive it.
    TileUnits(const TileLayout& layout, const HeadInputs& problem);
    TileUnits(const TileUnits&) = delete;
    TileUnits& operator=(const TileUnits&) = delete;
    ~TileUnits();  // not compiled for the instructions of who uses it

    /// Returns whether there is another block, which always has a key and a unit.
    [[nodiscard]] bool next();

    [[nodiscard]] std::span<const TileKeys> keys() const { return m_keys; }
    [[nodiscard]] std::span<const TileUnitOfWork> units() const { return m_units; }

  private:
    [[nodiscard]] bool nextDense();
    [[nodiscard]] bool nextKept();
    /// Adds the steps of as many packed keys.
    void addSteps(std::int64_t firstStep, std::int64_t keys);
    /// Cuts steps [first, first + count) of m_steps into units of a query tile.
    void addUnits(std::int64_t queryTile, std::size_t first, std::size_t count);

    const TileLayout& m_layout;
    const HeadInputs& m_problem;
    KeySource m_dense;
    KeptBlockSource m_kept;
    ScratchVector<TileKeys> m_keys;
    ScratchVector<TileKeyStep> m_steps;
    ScratchVector<TileUnitOfWork> m_units;
};

}  // namespace meshreel
