// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace meshreel::testing {

/// Who reaches shared memory, and when: barriers that its warp has passed.
struct PtxAccess {
    int warp = 0;
    int lane = 0;
    std::uint32_t blockEpoch = 0;  ///< bar.sync
    std::uint32_t warpEpoch = 0;   ///< bar.sync and bar.warp.sync
};

/// The shared memory of a block, with what makes a read of it undefined: nothing written, a copy on its way,
/// or another thread's write without a barrier between.
class PtxSharedMemory {
  public:
    explicit PtxSharedMemory(std::size_t bytes);

    // Return why not, or nothing. Sizes are multiples of 4 bytes.
    std::optional<std::string> read(std::uint64_t address, std::span<std::byte> into, const PtxAccess& by);
    std::optional<std::string> write(std::uint64_t address, std::span<const std::byte> from,
                                     const PtxAccess& by);
    /// An asynchronous copy begins: its bytes are nobody's until land().
    std::optional<std::string> beginCopy(std::uint64_t address, std::size_t bytes, const PtxAccess& by);
    void land(std::uint64_t address, std::span<const std::byte> from, const PtxAccess& by);

  private:
    enum class State : std::uint8_t { Unwritten, Written, OnItsWay };
    /// Four bytes.
    struct Cell {
        State state = State::Unwritten;
        PtxAccess writer;
        std::uint32_t readers = 0;  ///< warps that read since the barrier of the last reader
        PtxAccess reader;           ///< the last one
        std::uint32_t lanes = 0;    ///< of its warp that read since its last barrier
    };

    std::optional<std::string> place(std::uint64_t address, std::size_t bytes) const;
    static std::optional<std::string> readCell(Cell& cell, std::uint64_t address, const PtxAccess& by);
    static std::optional<std::string> writeCell(const Cell& cell, std::uint64_t address, const PtxAccess& by);

    std::vector<std::byte> m_bytes;
    std::vector<Cell> m_cells;
};

}  // namespace meshreel::testing
