// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/shared_tile.h"

#include <bit>

namespace meshreel {
namespace {

constexpr std::size_t wordOfTile = 16;  // bytes
constexpr std::size_t allBanks = 128;   // bytes

int log2Of(std::size_t power) {
    return std::countr_zero(power);
}

}  // namespace

SharedTile::SharedTile(std::size_t rows, std::size_t rowBytes, std::size_t threads)
    : m_rows(rows),
      m_rowBytes(rowBytes),
      m_threads(threads),
      m_group((rowBytes % allBanks == 0 ? allBanks : allBanks / 2) / wordOfTile) {}

std::size_t SharedTile::rowsOfThread() const {
    return m_rows / rowStep();
}

std::string SharedTile::swap(PtxWriter& ptx, const std::string& row) const {
    std::string swapped = ptx.add("u32", "swap");
    if (m_group == allBanks / wordOfTile) {
        ptx.write("and.b32", {swapped, row, 7});
        return swapped;
    }
    ptx.write("shr.u32", {swapped, row, 1});
    ptx.write("and.b32", {swapped, swapped, 3});
    return swapped;
}

std::string SharedTile::firstRowOfThread(PtxWriter& ptx, const std::string& thread) const {
    std::string row = ptx.add("u32", "copiedRow");
    ptx.write("shr.u32", {row, thread, log2Of(m_group)});
    return row;
}

std::string SharedTile::firstByteOfThread(PtxWriter& ptx, const std::string& thread) const {
    std::string byte = ptx.add("u32", "copiedByte");
    ptx.write("and.b32", {byte, thread, m_group - 1});
    ptx.write("shl.b32", {byte, byte, log2Of(wordOfTile)});
    return byte;
}

std::string SharedTile::placeOfThread(PtxWriter& ptx, const std::string& thread) const {
    const std::string row = firstRowOfThread(ptx, thread);
    std::string place = ptx.add("u32", "place");
    ptx.write("and.b32", {place, thread, m_group - 1});
    ptx.write("xor.b32", {place, place, swap(ptx, row)});
    ptx.write("shl.b32", {place, place, log2Of(wordOfTile)});
    ptx.write("mad.lo.u32", {place, row, m_rowBytes, place});
    return place;
}

void SharedTile::pointAtRows(PtxWriter& ptx, const std::vector<std::string>& addresses,
                             const std::string& begin, const std::string& firstRow,
                             const std::string& lastRow, const std::string& strideBytes) const {
    const std::string row = ptx.add("u32", "row");
    for (std::size_t index = 0; index < rowsOfThread(); ++index) {
        ptx.write("add.u32", {row, firstRow, index * rowStep()});
        ptx.write("min.u32", {row, row, lastRow});
        ptx.write("mad.wide.u32", {addresses[index], row, strideBytes, begin});
    }
}

void SharedTile::copy(PtxWriter& ptx, const std::string& predicate, const std::vector<std::string>& addresses,
                      const std::string& place, std::size_t offset) const {
    const std::size_t groupBytes = m_group * wordOfTile;
    for (std::size_t index = 0; index < rowsOfThread(); ++index)
        for (std::size_t group = 0; group < m_rowBytes / groupBytes; ++group) {
            const auto inRow = group * groupBytes;
            const std::size_t inTile = offset + inRow + index * rowStep() * m_rowBytes;
            const std::initializer_list<PtxArgument> arguments{at(place, inTile), at(addresses[index], inRow),
                                                               wordOfTile};
            if (predicate.empty())
                ptx.write("cp.async.cg.shared.global", arguments);
            else
                ptx.writeIf(predicate, "cp.async.cg.shared.global", arguments);
        }
}

std::vector<std::string> SharedTile::lanes(PtxWriter& ptx, const std::string& lane, MatrixOrder order) const {
    const std::string row = ptx.add("u32", "laneRow");
    const std::string half = ptx.add("u32", "laneHalf");
    if (order == MatrixOrder::RowsFirst) {
        ptx.write("and.b32", {row, lane, 15});
        ptx.write("shr.u32", {half, lane, 4});
    } else {
        ptx.write("shr.u32", {row, lane, 4});
        ptx.write("shl.b32", {row, row, 3});
        ptx.write("and.b32", {half, lane, 7});
        ptx.write("or.b32", {row, row, half});
        ptx.write("shr.u32", {half, lane, 3});
        ptx.write("and.b32", {half, half, 1});
    }
    ptx.write("xor.b32", {half, half, swap(ptx, row)});
    std::vector<std::string> made = ptx.addMany("u32", "lanePlace", m_group / 2);
    for (std::size_t pair = 0; pair < m_group / 2; ++pair) {
        const std::string& address = made[pair];
        ptx.write("xor.b32", {address, half, 2 * pair});
        ptx.write("shl.b32", {address, address, log2Of(wordOfTile)});
        ptx.write("mad.lo.u32", {address, row, m_rowBytes, address});
    }
    return made;
}

void SharedTile::loadMatrices(PtxWriter& ptx, std::string_view opcode, std::span<const std::string> into,
                              const std::vector<std::string>& lanes, std::size_t row,
                              std::size_t column) const {
    const std::size_t pairs = m_group / 2;
    const std::size_t offset = row * m_rowBytes + column / pairs * m_group * wordOfTile;
    ptx.write(opcode, {braced(into), at(lanes[column % pairs], offset)});
}

}  // namespace meshreel
