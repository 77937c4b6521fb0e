// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/scratch_stack.h"

namespace meshreel {

struct HeadInputs;

/// Which blocks of keys each block of queries attends to exactly: a map for each head of each batch element,
/// or one for all.
class BlockMaps {
  public:
    /// Keeps nothing yet. `perHead`: [batch, heads] maps; else all share one.
    BlockMaps(std::int64_t batch, std::int64_t heads, bool perHead, std::int64_t queryBlocks,
              std::int64_t keyBlocks);

    [[nodiscard]] std::int64_t maps() const { return m_maps; }
    [[nodiscard]] std::int64_t queryBlocks() const { return m_queryBlocks; }
    [[nodiscard]] std::int64_t keyBlocks() const { return m_keyBlocks; }

    [[nodiscard]] std::int64_t mapOf(std::int64_t batch, std::int64_t head) const {
        return m_maps == 1 ? 0 : batch * m_heads + head;
    }

    /// Returns [keyBlocks], of which those that are not 0 are kept.
    [[nodiscard]] std::span<std::uint8_t> row(std::int64_t map, std::int64_t queryBlock) {
        return std::span(m_kept).subspan(offset(map, queryBlock), static_cast<std::size_t>(m_keyBlocks));
    }
    [[nodiscard]] std::span<const std::uint8_t> row(std::int64_t map, std::int64_t queryBlock) const {
        return std::span(m_kept).subspan(offset(map, queryBlock), static_cast<std::size_t>(m_keyBlocks));
    }

    /// Returns which way of cutting tokens into blocks a map is of.
    [[nodiscard]] std::size_t layoutOf(std::int64_t map) const {
        return m_layouts[static_cast<std::size_t>(map)];
    }
    void setLayout(std::int64_t map, std::size_t layout) {
        m_layouts[static_cast<std::size_t>(map)] = static_cast<std::uint8_t>(layout);
    }

    /// Returns the pairs of blocks that are kept, of all heads.
    [[nodiscard]] std::int64_t countKept() const;
    /// Returns the pairs of blocks that there are, of all heads.
    [[nodiscard]] std::int64_t countAll() const;

    /// Returns whether any query of any head attends to one of the blocks [begin, end) exactly.
    [[nodiscard]] bool anyKept(std::int64_t begin, std::int64_t end) const;

  private:
    [[nodiscard]] std::size_t offset(std::int64_t map, std::int64_t queryBlock) const {
        return static_cast<std::size_t>((map * m_queryBlocks + queryBlock) * m_keyBlocks);
    }

    std::int64_t m_maps;
    std::int64_t m_heads;
    std::int64_t m_sharers;  // heads of batch elements to a map
    std::int64_t m_queryBlocks;
    std::int64_t m_keyBlocks;
    ScratchVector<std::uint8_t> m_kept;     // [maps, queryBlocks, keyBlocks]
    ScratchVector<std::uint8_t> m_layouts;  // [maps]
};

/// What a kernel reads of block-sparse attention: which rows the keys of a problem are, and which of their
/// blocks its queries attend to.
struct KeptKeys {
    const std::int32_t* places = nullptr;  ///< [keys]: row of each key, block after block
    std::int64_t blockTokens = 1;          ///< of queries and of keys; the last block may be shorter
    const std::uint8_t* kept = nullptr;  ///< of the problem's first block of queries and first block of keys
    std::int64_t keptStride = 0;         ///< from a block of queries to the next

    [[nodiscard]] bool has(std::int64_t queryBlock, std::int64_t keyBlock) const {
        return kept[queryBlock * keptStride + keyBlock] != 0;
    }
};

/// A block of keys that some query of a problem attends to.
struct KeptBlock {
    std::int64_t index = 0;                   ///< among the problem's blocks of keys
    std::span<const std::int64_t> rows = {};  ///< without those that are masked; never empty
};

/// Hands out the blocks of keys that some query of a block-sparse problem attends to.
class KeptBlockSource {
  public:
    explicit KeptBlockSource(const HeadInputs& problem) : m_problem(&problem) {}

    /// Returns those of the next `window` blocks of keys, in order, or of the first window that has any;
    /// empty at the end. Windows of the same size fetch the same blocks together whatever queries a problem
    /// has, so that a query's result does not depend on the others. Invalidates what an earlier call
    /// returned.
    std::span<const KeptBlock> next(std::int64_t window);

  private:
    [[nodiscard]] bool isWanted(std::int64_t keyBlock) const;
    void add(std::int64_t keyBlock);

    const HeadInputs* m_problem;
    ScratchVector<std::int64_t> m_rows;
    ScratchVector<KeptBlock> m_blocks;
    std::int64_t m_next = 0;
};

}  // namespace meshreel
