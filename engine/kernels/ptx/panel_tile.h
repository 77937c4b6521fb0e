// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/kernels/ptx/ptx_writer.h"
#include "engine/kernels/ptx/shared_tile.h"

namespace meshreel {

/// Rows in global memory that a panel tile is copied from, as registers.
struct PanelRows {
    std::string begin;   ///< 64 bits: of the first row, this thread's first byte included
    std::string stride;  ///< in bytes
    std::string last;    ///< the last row that there is; it stands in for those behind it
};

/// What a thread copies of a tile, as registers: the same of all tiles with panels of one width.
struct PanelThread {
    std::string row;    ///< its first row
    std::string byte;   ///< of its first word in that
    std::string place;  ///< where that goes, from the begin of the tile
};

/// A tile of rows in shared memory that wgmma reads: panels of 128 bytes of each row, or of 64 where rows are
/// no multiple of 128, one panel behind the other. Within a panel words of 16 bytes trade places as in a
/// SharedTile with such rows, which is what wgmma calls a swizzle of 128 or 64 bytes. A tile begins at a
/// multiple of 1,024 bytes.
class PanelTile {
  public:
    /// A multiple of 8 rows, of a multiple of 64 bytes; copied by `threads` threads.
    PanelTile(std::size_t rows, std::size_t rowBytes, std::size_t threads);

    [[nodiscard]] std::size_t bytes() const { return m_rows * m_rowBytes; }

    /// Finds what the thread that `thread` counts copies.
    PanelThread findThread(PtxWriter& ptx, const std::string& thread) const;
    /// Begins to copy a thread's part of the rows from `firstRow` on, `fromColumn` bytes (a register, or
    /// empty) into each, to the tile that begins at `place` + `offset`.
    void copy(PtxWriter& ptx, const PanelThread& thread, const PanelRows& rows, const std::string& firstRow,
              const std::string& fromColumn, const std::string& place, std::size_t offset = 0) const;

    /// The upper half of a descriptor and its strides, without the address: of rows along the product's m or
    /// n, its k along the bytes of a row,
    [[nodiscard]] std::uint64_t rowsDescriptor() const;
    /// and of rows along k, transposed.
    [[nodiscard]] std::uint64_t columnsDescriptor() const;

    /// What is added to a descriptor's address, 16 bytes each: for the 32 bytes `slice` of each row,
    [[nodiscard]] std::size_t slice(std::size_t slice) const;
    /// and for the row `row`, a multiple of 8.
    [[nodiscard]] std::size_t row(std::size_t row) const;

  private:
    std::size_t m_rows;
    std::size_t m_rowBytes;
    std::size_t m_panelBytes;
    SharedTile m_panel;
};

/// Returns a register with the descriptor of what begins at the shared address in `place`.
std::string addDescriptor(PtxWriter& ptx, const std::string& name, const std::string& place,
                          std::uint64_t descriptor);

}  // namespace meshreel
