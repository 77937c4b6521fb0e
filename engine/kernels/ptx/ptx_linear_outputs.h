// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/ptx/ptx_epilogue.h"
#include "engine/kernels/ptx/ptx_writer.h"

namespace meshreel {

/// What becomes of a linear layer's sums: y = [y +] gate · activation(sum · scales + bias), where
/// LinearConstants says so.
///
/// Products leave sums in fragments: row lane / 4 and eight below it, outputs 2 · (lane % 4) and one more, of
/// every eight outputs. They pass through shared memory, 16 rows of a warp at a time; a lane then has four
/// outputs beside each other, and y is written in whole sectors.
class PtxLinearOutputs {
  public:
    static constexpr std::size_t rows = 16;

    /// Of `outs` outputs at a time, 32 or 64.
    PtxLinearOutputs(PtxWriter& ptx, bool isInt8, std::size_t outs);

    /// Shared memory that a warp's sums wait in.
    [[nodiscard]] std::size_t waitingBytes() const { return rows * pitch(); }

    /// Loads what holds for all outputs. `waiting` is the warp's room, a register.
    void begin(const PtxThread& self, const std::string& waiting);

    /// Where bias, gate and outScales are read from: global memory, or shared memory where they were brought
    /// to, behind each other.
    struct Vectors {
        std::string place = {};   ///< a register with the shared address of the first one; empty: global
        std::size_t offset = 0;   ///< of the first output there
        std::size_t between = 0;  ///< bytes from one vector to the next
    };
    /// Turns to the outputs from the one in `firstOut` + `more` on.
    void beginOuts(const std::string& firstOut, std::size_t more, const Vectors& vectors);

    /// Writes 16 rows, from the one in `firstRow` + `more` on: sums of every eight outputs after each other,
    /// four registers each.
    void finishRows(std::span<const std::string> sums, const std::string& firstRow, std::size_t more);

  private:
    // The pitch keeps rows and columns out of each other's banks.
    [[nodiscard]] std::size_t pitch() const { return (m_outs + 8) * sizeof(float); }
    [[nodiscard]] std::size_t lanesOfRow() const { return m_outs / 4; }

    std::vector<std::string> loadFour(const char* name, std::size_t begin, std::uint32_t flag,
                                      float otherwise, const Vectors& vectors, std::size_t which);
    void setIfFlag(const std::string& predicate, std::uint32_t flag);
    void finishFour(const std::string& read, const std::string& row);
    void writeFour(const std::vector<std::string>& four, const std::string& row, const std::string& isThere,
                   const std::string& adds);

    PtxWriter& m_ptx;
    bool m_isInt8;
    std::size_t m_outs;
    // Registers, by what they hold.
    std::string m_rows, m_outCount, m_flags, m_activation, m_y, m_yStride, m_size;
    std::string m_isNarrow, m_adds, m_rowScales;
    std::string m_laneOut, m_laneRow, m_written, m_read;
    std::string m_out, m_hasOut, m_yHere;
    std::vector<std::string> m_bias, m_gate, m_outScales;
    std::optional<PtxEpilogue> m_epilogue;
};

}  // namespace meshreel
