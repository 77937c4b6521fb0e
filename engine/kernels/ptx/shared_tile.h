// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

/// How the lanes of a warp name the eight rows of each of the four matrices that one ldmatrix.x4 loads: 16
/// rows by 16 numbers of 16 bits, whose quarters come
enum class MatrixOrder {
    RowsFirst,  ///< as the left factor of mma.m16n8k16 wants them; of rows along k, transposed, a right one
    ColumnsFirst,  ///< as right factors want them whose rows are columns of the product
};

/// A tile of rows in shared memory, which cp.async fills 16 bytes at a time and ldmatrix reads.
///
/// Words of 16 bytes trade places within a row, so that the eight rows of a matrix never meet in a bank: in
/// groups of eight words (rows of whole 128 bytes) word w of row r lies at w ^ (r & 7), in groups of four
/// (rows of odd multiples of 64) at w ^ ((r / 2) & 3).
class SharedTile {
  public:
    /// Whole rows of a multiple of 64 bytes, copied by `threads` threads.
    SharedTile(std::size_t rows, std::size_t rowBytes, std::size_t threads);

    [[nodiscard]] std::size_t rows() const { return m_rows; }
    [[nodiscard]] std::size_t bytes() const { return m_rows * m_rowBytes; }

    /// Rows that a thread copies, a register each.
    [[nodiscard]] std::size_t rowsOfThread() const;

    /// The first row that this thread copies; the next one is rowStep() on.
    std::string firstRowOfThread(PtxWriter& ptx, const std::string& thread) const;
    [[nodiscard]] std::size_t rowStep() const { return m_threads / m_group; }
    /// Bytes from the begin of a row to this thread's first word of it.
    std::string firstByteOfThread(PtxWriter& ptx, const std::string& thread) const;
    /// Where this thread's first word of its first row goes, from the begin of the tile.
    std::string placeOfThread(PtxWriter& ptx, const std::string& thread) const;

    /// Sets `addresses`, one for each row of this thread, to its words in memory: row `first` + its own, or
    /// the last one where the tensor ends before. `begin` is 64 bits, `firstByteOfThread()` included.
    void pointAtRows(PtxWriter& ptx, const std::vector<std::string>& addresses, const std::string& begin,
                     const std::string& firstRow, const std::string& lastRow,
                     const std::string& strideBytes) const;
    /// Begins to copy this thread's part of the tile to `place`, its own place included. `predicate` may be
    /// empty.
    void copy(PtxWriter& ptx, const std::string& predicate, const std::vector<std::string>& addresses,
              const std::string& place, std::size_t offset = 0) const;

    /// Returns this lane's part of addresses of 16 by 32 bytes, from the begin of the tile: one register for
    /// each place within a group.
    std::vector<std::string> lanes(PtxWriter& ptx, const std::string& lane, MatrixOrder order) const;
    /// Loads the 16 rows from `row` on, 32 bytes from 32 · `column` on. `lanes` as above, the begin of the
    /// tile included.
    void loadMatrices(PtxWriter& ptx, std::string_view opcode, std::span<const std::string> into,
                      const std::vector<std::string>& lanes, std::size_t row, std::size_t column) const;

  private:
    /// What the words of the row in `row` are exclusive-or'ed with.
    std::string swap(PtxWriter& ptx, const std::string& row) const;

    std::size_t m_rows;
    std::size_t m_rowBytes;
    std::size_t m_threads;
    std::size_t m_group;  ///< words that trade places with each other
};

/// The opcode that loads rows as they lie, and the one that transposes each matrix.
inline constexpr std::string_view ldmatrix = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
inline constexpr std::string_view ldmatrixTransposed = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16";

}  // namespace meshreel
