// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/ptx/ptx_clock.h"

namespace meshreel::testing {

/// The shared memory of a block, with what makes a read of it undefined: nothing written, a copy on its way,
/// or another thread's write without a barrier between.
class PtxSharedMemory {
  public:
    /// Addresses begin at `begin`.
    PtxSharedMemory(std::size_t begin, std::size_t bytes, std::size_t warps);

    // Return why not, or nothing. Sizes are multiples of 4 bytes.
    std::optional<std::string> read(std::uint64_t address, std::span<std::byte> into, const PtxAccess& by);
    std::optional<std::string> write(std::uint64_t address, std::span<const std::byte> from,
                                     const PtxAccess& by);
    /// A copy by threads begins, or one by the copy engine: its bytes are nobody's until land().
    std::optional<std::string> beginCopy(std::uint64_t address, std::size_t bytes, const PtxAccess& by,
                                         bool byEngine = false);
    void land(std::uint64_t address, std::span<const std::byte> from, const PtxAccess& by,
              bool byEngine = false);

    /// wgmma reads, as the copy engine does: what threads wrote must have passed a fence.proxy.async. It goes
    /// on until finishProductReads(), and counts for whole blocks of 1,024 bytes.
    std::optional<std::string> readForProduct(std::uint64_t address, std::span<std::byte> into,
                                              const PtxAccess& by);
    void beginProductRead(std::size_t kilobyte);
    void finishProductRead(std::size_t kilobyte, const PtxAccess& by);

    /// From now on an mbarrier lies in these 8 bytes, and is no memory.
    std::optional<std::string> makeBarrier(std::uint64_t address, const PtxAccess& by);

  private:
    enum class State : std::uint8_t { Unwritten, Written, OnItsWay, Barrier };
    /// Four bytes.
    struct Cell {
        State state = State::Unwritten;
        bool byEngine = false;          // the write
        std::int16_t warp = 0;          // of the writer
        std::int16_t lane = 0;          // of it
        std::int16_t readingWarp = -1;  // the last one
        std::uint32_t time = 0;         // of the writer
        std::uint32_t warpEpoch = 0;    // of it
        std::uint32_t lanes = 0;        // of the reading warp that read since its last barrier
        std::uint32_t readEpoch = 0;
    };
    /// 1,024 bytes that products read.
    struct Kilobyte {
        int underWay = 0;
        std::vector<std::uint32_t> readAt;  // by warp: when its last product was done
    };

    std::optional<std::string> place(std::uint64_t address, std::size_t bytes) const;
    [[nodiscard]] std::size_t indexOf(std::uint64_t address) const;
    std::optional<std::string> readCell(Cell& cell, std::size_t index, std::uint64_t address,
                                        const PtxAccess& by);
    std::optional<std::string> writeCell(std::size_t index, std::uint64_t address, const PtxAccess& by,
                                         bool byEngine) const;

    std::size_t m_begin;
    std::size_t m_warps;
    std::vector<std::byte> m_bytes;
    std::vector<Cell> m_cells;
    std::vector<std::uint32_t> m_readAt;  // [cell][warp]
    std::vector<Kilobyte> m_kilobytes;
};

}  // namespace meshreel::testing
