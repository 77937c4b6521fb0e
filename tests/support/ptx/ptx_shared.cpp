// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_shared.h"

#include <fmt/format.h>

#include <cstring>

namespace meshreel::testing {
namespace {

constexpr std::size_t cellBytes = 4;
constexpr std::size_t kilobyte = 1024;

/// Whether what a warp did at a time happened before.
bool isBefore(int warp, std::uint32_t time, const PtxAccess& by) {
    return warp == by.warp || time <= by.clock->seen[static_cast<std::size_t>(warp)];
}

std::string nameOf(int warp, std::size_t warps) {
    return static_cast<std::size_t>(warp) == warps ? "the copy engine" : fmt::format("warp {}", warp);
}

}  // namespace

PtxSharedMemory::PtxSharedMemory(std::size_t begin, std::size_t bytes, std::size_t warps)
    : m_begin(begin),
      m_warps(warps),
      m_bytes((bytes + cellBytes - 1) / cellBytes * cellBytes),
      m_cells(m_bytes.size() / cellBytes),
      m_readAt(m_cells.size() * warps),
      m_kilobytes((begin + m_bytes.size()) / kilobyte + 1) {}

std::optional<std::string> PtxSharedMemory::place(std::uint64_t address, std::size_t bytes) const {
    if (address % bytes != 0)
        return fmt::format("the shared address {} is no multiple of {} bytes", address, bytes);
    if (address < m_begin || address + bytes > m_begin + m_bytes.size())
        return fmt::format("the shared address {} lies behind the block's {} bytes", address, m_bytes.size());
    return std::nullopt;
}

std::size_t PtxSharedMemory::indexOf(std::uint64_t address) const {
    return (address - m_begin) / cellBytes;
}

std::optional<std::string> PtxSharedMemory::readCell(Cell& cell, std::size_t index, std::uint64_t address,
                                                     const PtxAccess& by) {
    if (cell.state == State::Barrier)
        return fmt::format("shared byte {} is read, and an mbarrier lies there", address);
    if (cell.state == State::Unwritten)
        return fmt::format("shared byte {} is read, and nothing was written there", address);
    if (cell.state == State::OnItsWay)
        return fmt::format("shared byte {} is read while a {} into it is on its way; wait for its {} first",
                           address, cell.byEngine ? "cp.async.bulk" : "cp.async",
                           cell.byEngine ? "mbarrier" : "group");
    if (!isBefore(cell.warp, cell.time, by))
        return fmt::format(
            "warp {} reads shared byte {}, which {} wrote, without a bar.sync between or an mbarrier",
            by.warp, address, nameOf(cell.warp, m_warps));
    if (cell.warp == by.warp && cell.lane != by.lane && cell.warpEpoch == by.warpEpoch)
        return fmt::format(
            "lane {} reads shared byte {}, which lane {} of its warp wrote, without a "
            "bar.warp.sync between",
            by.lane, address, cell.lane);
    if (cell.readingWarp != by.warp || cell.readEpoch != by.warpEpoch)
        cell.lanes = 0;
    cell.readingWarp = static_cast<std::int16_t>(by.warp);
    cell.readEpoch = by.warpEpoch;
    cell.lanes |= 1U << static_cast<unsigned>(by.lane);
    m_readAt[index * m_warps + static_cast<std::size_t>(by.warp)] = by.time;
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::writeCell(std::size_t index, std::uint64_t address,
                                                      const PtxAccess& by, bool byEngine) const {
    const Cell& cell = m_cells[index];
    if (cell.state == State::Barrier)
        return fmt::format("shared byte {} is written, and an mbarrier lies there", address);
    if (cell.state == State::OnItsWay)
        return fmt::format(
            "shared byte {} is written while a {} into it is on its way; wait for its {} first", address,
            cell.byEngine ? "cp.async.bulk" : "cp.async", cell.byEngine ? "mbarrier" : "group");
    if (cell.state == State::Written) {
        if (!isBefore(cell.warp, cell.time, by))
            return fmt::format(
                "{} and warp {} write shared byte {} without a bar.sync between or an mbarrier",
                nameOf(cell.warp, m_warps), by.warp, address);
        if (byEngine && !cell.byEngine && cell.time > by.clock->fenced[static_cast<std::size_t>(cell.warp)])
            return fmt::format(
                "the copy engine writes shared byte {}, which warp {} wrote, without a fence.proxy.async "
                "between",
                address, cell.warp);
    }
    for (std::size_t warp = 0; warp < m_warps; ++warp)
        if (!isBefore(static_cast<int>(warp), m_readAt[index * m_warps + warp], by))
            return fmt::format(
                "warp {} writes shared byte {}, which another warp reads, without a bar.sync between or an "
                "mbarrier",
                by.warp, address);
    const std::uint32_t otherLanes = cell.lanes & ~(1U << static_cast<unsigned>(by.lane));
    if (cell.readingWarp == by.warp && cell.readEpoch == by.warpEpoch && otherLanes != 0)
        return fmt::format(
            "lane {} writes shared byte {}, which another lane of its warp reads, without a "
            "bar.warp.sync between",
            by.lane, address);
    const Kilobyte& products = m_kilobytes[address / kilobyte];
    if (products.underWay > 0)
        return fmt::format(
            "warp {} writes shared byte {} while products that read it are under way; wait for their group "
            "first",
            by.warp, address);
    for (std::size_t warp = 0; warp < products.readAt.size(); ++warp)
        if (!isBefore(static_cast<int>(warp), products.readAt[warp], by))
            return fmt::format(
                "warp {} writes shared byte {}, which products of warp {} read, without an mbarrier between "
                "that it told when they were done",
                by.warp, address, warp);
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::read(std::uint64_t address, std::span<std::byte> into,
                                                 const PtxAccess& by) {
    if (auto why = place(address, into.size()))
        return why;
    for (std::size_t at = address; at < address + into.size(); at += cellBytes)
        if (auto why = readCell(m_cells[indexOf(at)], indexOf(at), at, by))
            return why;
    std::memcpy(into.data(), &m_bytes[address - m_begin], into.size());
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::write(std::uint64_t address, std::span<const std::byte> from,
                                                  const PtxAccess& by) {
    if (auto why = place(address, from.size()))
        return why;
    for (std::size_t at = address; at < address + from.size(); at += cellBytes)
        if (auto why = writeCell(indexOf(at), at, by, false))
            return why;
    land(address, from, by);
    return std::nullopt;
}

std::optional<std::string> PtxSharedMemory::beginCopy(std::uint64_t address, std::size_t bytes,
                                                      const PtxAccess& by, bool byEngine) {
    constexpr std::size_t word = 16;
    if (bytes % word != 0)
        return fmt::format("a copy of {} bytes is no multiple of 16", bytes);
    for (std::size_t at = address; at < address + bytes; at += word)
        if (auto why = place(at, word))
            return why;
    for (std::size_t at = address; at < address + bytes; at += cellBytes) {
        if (auto why = writeCell(indexOf(at), at, by, byEngine))
            return why;
        m_cells[indexOf(at)].state = State::OnItsWay;
        m_cells[indexOf(at)].byEngine = byEngine;
    }
    return std::nullopt;
}

void PtxSharedMemory::land(std::uint64_t address, std::span<const std::byte> from, const PtxAccess& by,
                           bool byEngine) {
    std::memcpy(&m_bytes[address - m_begin], from.data(), from.size());
    for (std::size_t at = address; at < address + from.size(); at += cellBytes) {
        Cell& cell = m_cells[indexOf(at)];
        cell.state = State::Written;
        cell.byEngine = byEngine;
        cell.warp = static_cast<std::int16_t>(by.warp);
        cell.lane = static_cast<std::int16_t>(by.lane);
        cell.time = by.time;
        cell.warpEpoch = by.warpEpoch;
        cell.lanes = 0;
    }
}

std::optional<std::string> PtxSharedMemory::readForProduct(std::uint64_t address, std::span<std::byte> into,
                                                           const PtxAccess& by) {
    if (auto why = place(address, into.size()))
        return why;
    for (std::size_t at = address; at < address + into.size(); at += cellBytes) {
        const Cell& cell = m_cells[indexOf(at)];
        if (cell.state != State::Written)
            return cell.state == State::OnItsWay
                       ? fmt::format(
                             "a product reads shared byte {} while a copy into it is on its way; wait "
                             "for it first",
                             at)
                       : fmt::format("a product reads shared byte {}, and nothing was written there", at);
        if (!isBefore(cell.warp, cell.time, by))
            return fmt::format(
                "a product of warp {} reads shared byte {}, which {} wrote, without a bar.sync between or an "
                "mbarrier",
                by.warp, at, nameOf(cell.warp, m_warps));
        if (!cell.byEngine && cell.time > by.clock->fenced[static_cast<std::size_t>(cell.warp)])
            return fmt::format(
                "a product reads shared byte {}, which threads of warp {} wrote, without a fence.proxy.async "
                "between",
                at, cell.warp);
    }
    std::memcpy(into.data(), &m_bytes[address - m_begin], into.size());
    return std::nullopt;
}

void PtxSharedMemory::beginProductRead(std::size_t kilobyteIndex) {
    ++m_kilobytes[kilobyteIndex].underWay;
}

void PtxSharedMemory::finishProductRead(std::size_t kilobyteIndex, const PtxAccess& by) {
    Kilobyte& read = m_kilobytes[kilobyteIndex];
    --read.underWay;
    read.readAt.resize(m_warps);
    read.readAt[static_cast<std::size_t>(by.warp)] = by.time;
}

std::optional<std::string> PtxSharedMemory::makeBarrier(std::uint64_t address, const PtxAccess& by) {
    constexpr std::size_t bytes = 8;
    if (auto why = place(address, bytes))
        return why;
    for (std::size_t at = address; at < address + bytes; at += cellBytes) {
        if (auto why = writeCell(indexOf(at), at, by, false))
            return why;
        m_cells[indexOf(at)].state = State::Barrier;
    }
    return std::nullopt;
}

}  // namespace meshreel::testing
