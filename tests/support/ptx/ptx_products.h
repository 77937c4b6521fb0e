// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/support/ptx/ptx_matrices.h"
#include "tests/support/ptx/ptx_shared.h"

namespace meshreel::testing {

/// A matrix in shared memory as wgmma is told of it (PTX ISA, "Matrix Descriptor Format"): rows along the
/// product's m or n, 32 bytes along its k. Words of 16 bytes trade places by their shared address.
class PtxDescribedMatrix {
  public:
    /// Returns why the descriptor has no meaning, or nothing. `isTransposed`: its rows are along k.
    static std::optional<std::string> check(std::uint64_t descriptor, bool isTransposed);

    PtxDescribedMatrix(std::uint64_t descriptor, bool isTransposed);

    /// Where the word `word` (of two) of the row `row` lies; transposed, where the eight 16-bit numbers from
    /// `row` on, a multiple of eight, of the k-th row lie.
    [[nodiscard]] std::uint64_t wordOfRow(std::size_t row, std::size_t word) const;
    [[nodiscard]] std::uint64_t wordOfColumn(std::size_t row, std::size_t k) const;

  private:
    [[nodiscard]] std::uint64_t swizzled(std::uint64_t address) const;

    std::uint64_t m_begin;
    std::uint64_t m_leading;
    std::uint64_t m_stride;
    std::uint64_t m_rowBytes;  // 128, 64 or 32; 0: nothing trades places
    bool m_isTransposed;
};

/// What a warp takes of a wgmma: its 16 of the 64 rows, and all columns.
struct PtxProductWork {
    std::size_t columns = 0;
    bool isInt8 = false;
};

/// 32 bytes along k of rows: 16 rows of A, or all columns of B.
using PtxSlice = std::vector<std::byte>;

/// Reads the left factor's 16 rows from `firstRow` on, or all columns of the right one. Returns why not, or
/// nothing. `kilobytes` gets the blocks that were read.
std::optional<std::string> readSlice(PtxSharedMemory& shared, const PtxDescribedMatrix& matrix,
                                     std::size_t firstRow, std::size_t rows, bool isTransposed,
                                     const PtxAccess& by, PtxSlice& into, std::set<std::size_t>& kilobytes);

/// The 16 rows that lie in four registers, as mma.sync has them.
PtxSlice sliceOfRegisters(std::span<const PtxWords, 4> words);

/// sums [columns / 2][lane] += a · bᵀ, or = where `replaces`: registers 4 · j + r are column tile j. Sums of
/// bf16 are made in double and rounded once.
void multiplySlices(const PtxSlice& a, const PtxSlice& b, const PtxProductWork& work, bool replaces,
                    std::span<PtxWords> sums);

}  // namespace meshreel::testing
