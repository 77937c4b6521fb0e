// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/ptx/panel_tile.h"

namespace meshreel {
namespace {

constexpr std::size_t widePanel = 128;
constexpr std::size_t narrowPanel = 64;
constexpr std::size_t panelWord = 16;     // bytes; what descriptors count in
constexpr std::size_t rowsOfPattern = 8;  // rows that a pattern of trades spans

/// PTX ISA, "Matrix Descriptor Format" of wgmma: strides in 16 bytes, and how words trade places.
std::uint64_t descriptorOf(std::size_t leadingBytes, std::size_t strideBytes, std::size_t panelBytes) {
    constexpr unsigned leadingBit = 16;
    constexpr unsigned strideBit = 32;
    constexpr unsigned swizzleBit = 62;
    const std::uint64_t swizzle = panelBytes == widePanel ? 1 : 2;
    return std::uint64_t{leadingBytes / panelWord} << leadingBit |
           std::uint64_t{strideBytes / panelWord} << strideBit | swizzle << swizzleBit;
}

}  // namespace

PanelTile::PanelTile(std::size_t rows, std::size_t rowBytes, std::size_t threads)
    : m_rows(rows),
      m_rowBytes(rowBytes),
      m_panelBytes(rowBytes % widePanel == 0 ? widePanel : narrowPanel),
      m_panel(rows, m_panelBytes, threads) {}

PanelThread PanelTile::findThread(PtxWriter& ptx, const std::string& thread) const {
    return {.row = m_panel.firstRowOfThread(ptx, thread),
            .byte = m_panel.firstByteOfThread(ptx, thread),
            .place = m_panel.placeOfThread(ptx, thread)};
}

void PanelTile::copy(PtxWriter& ptx, const PanelThread& thread, const PanelRows& rows,
                     const std::string& firstRow, const std::string& fromColumn, const std::string& place,
                     std::size_t offset) const {
    const std::string row = ptx.add("u32", "copiedRow");
    const std::string there = ptx.add("u32", "rowThere");
    const std::string from = ptx.add("u64", "copiedFrom");
    const std::string to = ptx.add("u32", "copiedTo");
    const std::string column = ptx.add("u64", "copiedColumn");
    ptx.write("add.u32", {row, thread.row, firstRow});
    ptx.write("add.u32", {to, thread.place, place});
    if (fromColumn.empty())
        ptx.write("mov.u64", {column, rows.begin});
    else
        ptx.write("mad.wide.u32", {column, fromColumn, 1, rows.begin});
    for (std::size_t index = 0; index < m_panel.rowsOfThread(); ++index) {
        const std::size_t below = index * m_panel.rowStep();
        ptx.write("add.u32", {there, row, below});
        ptx.write("min.u32", {there, there, rows.last});
        ptx.write("mad.wide.u32", {from, there, rows.stride, column});
        for (std::size_t panel = 0; panel < m_rowBytes / m_panelBytes; ++panel)
            ptx.write("cp.async.cg.shared.global",
                      {at(to, offset + panel * m_rows * m_panelBytes + below * m_panelBytes),
                       at(from, panel * m_panelBytes), panelWord});
    }
}

std::uint64_t PanelTile::rowsDescriptor() const {
    // Along k, wgmma reads no further than a panel: the leading stride is not used.
    return descriptorOf(panelWord, rowsOfPattern * m_panelBytes, m_panelBytes);
}

std::uint64_t PanelTile::columnsDescriptor() const {
    return descriptorOf(m_rows * m_panelBytes, rowsOfPattern * m_panelBytes, m_panelBytes);
}

std::size_t PanelTile::slice(std::size_t slice) const {
    constexpr std::size_t sliceBytes = 32;
    const std::size_t slicesOfPanel = m_panelBytes / sliceBytes;
    return (slice / slicesOfPanel * m_rows * m_panelBytes + slice % slicesOfPanel * sliceBytes) / panelWord;
}

std::size_t PanelTile::row(std::size_t row) const {
    return row * m_panelBytes / panelWord;
}

std::string addDescriptor(PtxWriter& ptx, const std::string& name, const std::string& place,
                          std::uint64_t descriptor) {
    const std::string words = ptx.add("u32", "placeOf");
    std::string made = ptx.add("u64", name);
    ptx.write("shr.u32", {words, place, 4});
    ptx.write("mul.wide.u32", {made, words, 1});
    ptx.write("add.u64", {made, made, descriptor});
    return made;
}

}  // namespace meshreel
