// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_shared.h"

#include <fmt/format.h>

#include <cstring>

namespace meshreel::testing {
namespace {

constexpr std::size_t cellBytes = 4;

}  // namespace

PtxSharedMemory::PtxSharedMemory(std::size_t bytes)
    : m_bytes((bytes + cellBytes - 1) / cellBytes * cellBytes), m_cells(m_bytes.size() / cellBytes) {}

std::optional<std::string> PtxSharedMemory::place(std::uint64_t address, std::size_t bytes) const {
    if (address % bytes != 0)
        return fmt::format("the shared address {} is no multiple of {} bytes", address, bytes);
    if (address + bytes > m_bytes.size())
        return fmt::format("the shared address {} lies behind the block's {} bytes", address, m_bytes.size());
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::readCell(Cell& cell, std::uint64_t address, const PtxAccess& by) {
    if (cell.state == State::Unwritten)
        return fmt::format("shared byte {} is read, and nothing was written there", address);
    if (cell.state == State::OnItsWay)
        return fmt::format(
            "shared byte {} is read while a cp.async into it is on its way; wait for its group first",
            address);
    const PtxAccess& writer = cell.writer;
    if (writer.warp != by.warp && writer.blockEpoch == by.blockEpoch)
        return fmt::format("warp {} reads shared byte {}, which warp {} wrote, without a bar.sync between",
                           by.warp, address, writer.warp);
    if (writer.warp == by.warp && writer.lane != by.lane && writer.warpEpoch == by.warpEpoch)
        return fmt::format(
            "lane {} reads shared byte {}, which lane {} of its warp wrote, without a "
            "bar.warp.sync between",
            by.lane, address, writer.lane);
    if (cell.readers == 0 || cell.reader.blockEpoch != by.blockEpoch)
        cell.readers = 0;
    if (cell.reader.warp != by.warp || cell.reader.warpEpoch != by.warpEpoch)
        cell.lanes = 0;
    cell.readers |= 1U << static_cast<unsigned>(by.warp);
    cell.lanes |= 1U << static_cast<unsigned>(by.lane);
    cell.reader = by;
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::writeCell(const Cell& cell, std::uint64_t address,
                                                      const PtxAccess& by) {
    if (cell.state == State::OnItsWay)
        return fmt::format(
            "shared byte {} is written while a cp.async into it is on its way; wait for its group first",
            address);
    const PtxAccess& writer = cell.writer;
    if (cell.state == State::Written && writer.warp != by.warp && writer.blockEpoch == by.blockEpoch)
        return fmt::format("warps {} and {} write shared byte {} without a bar.sync between", writer.warp,
                           by.warp, address);
    const std::uint32_t others = cell.readers & ~(1U << static_cast<unsigned>(by.warp));
    if (others != 0 && cell.reader.blockEpoch == by.blockEpoch)
        return fmt::format(
            "warp {} writes shared byte {}, which another warp reads, without a bar.sync between", by.warp,
            address);
    const std::uint32_t otherLanes = cell.lanes & ~(1U << static_cast<unsigned>(by.lane));
    if (cell.reader.warp == by.warp && cell.reader.warpEpoch == by.warpEpoch && otherLanes != 0)
        return fmt::format(
            "lane {} writes shared byte {}, which another lane of its warp reads, without a "
            "bar.warp.sync between",
            by.lane, address);
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::read(std::uint64_t address, std::span<std::byte> into,
                                                 const PtxAccess& by) {
    if (auto why = place(address, into.size()))
        return why;
    for (std::size_t at = address; at < address + into.size(); at += cellBytes)
        if (auto why = readCell(m_cells[at / cellBytes], at, by))
            return why;
    std::memcpy(into.data(), &m_bytes[address], into.size());
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::write(std::uint64_t address, std::span<const std::byte> from,
                                                  const PtxAccess& by) {
    if (auto why = place(address, from.size()))
        return why;
    for (std::size_t at = address; at < address + from.size(); at += cellBytes)
        if (auto why = writeCell(m_cells[at / cellBytes], at, by))
            return why;
    land(address, from, by);
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::beginCopy(std::uint64_t address, std::size_t bytes,
                                                      const PtxAccess& by) {
    if (auto why = place(address, bytes))
        return why;
    for (std::size_t at = address; at < address + bytes; at += cellBytes) {
        if (auto why = writeCell(m_cells[at / cellBytes], at, by))
            return why;
        m_cells[at / cellBytes].state = State::OnItsWay;
    }
    return std::nullopt;
}

void PtxSharedMemory::land(std::uint64_t address, std::span<const std::byte> from, const PtxAccess& by) {
    std::memcpy(&m_bytes[address], from.data(), from.size());
    for (std::size_t at = address; at < address + from.size(); at += cellBytes) {
        Cell& cell = m_cells[at / cellBytes];
        cell.state = State::Written;
        cell.writer = by;
        cell.readers = 0;
        cell.lanes = 0;
    }
}

}  // namespace meshreel::testing
