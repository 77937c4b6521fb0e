// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ptx/ptx_barriers.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace meshreel::testing {

PtxBarriers::PtxBarriers(PtxSharedMemory& shared, const PtxMemory& memory, std::size_t warps)
    : m_shared(shared), m_memory(memory), m_warps(warps), m_engine(warps) {}

std::optional<std::string> PtxBarriers::begin(std::uint64_t address, std::uint32_t count,
                                              const PtxAccess& by) {
    constexpr std::uint32_t most = (1U << 20U) - 1;
    if (count == 0 || count > most)
        return fmt::format("an mbarrier counts 1 to {} arrivals, and not {}", most, count);
    if (auto why = m_shared.makeBarrier(address, by))
        return why;
    m_barriers.emplace(address, Barrier{.count = count,
                                        .missing = count,
                                        .beganBy = by.warp,
                                        .beganAt = by.time,
                                        .coming = PtxClock(m_warps),
                                        .over = PtxClock(m_warps)});
    return std::nullopt;
}

std::optional<std::string> PtxBarriers::canBeUsed(std::uint64_t address, const PtxAccess& by) const {
    const auto found = m_barriers.find(address);
    if (found == m_barriers.end())
        return fmt::format("no mbarrier was set up at the shared address {}", address);
    const Barrier& barrier = found->second;
    if (barrier.beganBy != by.warp &&
        barrier.beganAt > by.clock->seen[static_cast<std::size_t>(barrier.beganBy)])
        return fmt::format(
            "warp {} uses the mbarrier at {}, which warp {} set up, without a bar.sync between", by.warp,
            address, barrier.beganBy);
    return std::nullopt;
}

void PtxBarriers::endPhaseIfComplete(Barrier& barrier) {
    if (barrier.missing > 0 || barrier.bytes != 0)
        return;
    barrier.missing = barrier.count;
    ++barrier.phase;
    barrier.over.join(barrier.coming);
}

std::optional<std::string> PtxBarriers::arrive(std::uint64_t address, std::uint32_t bytes,
                                               const PtxAccess& by) {
    if (auto why = canBeUsed(address, by))
        return why;
    Barrier& barrier = m_barriers.at(address);
    if (barrier.missing == 0)
        return fmt::format("more than {} arrive at the mbarrier at {} in a phase", barrier.count, address);
    barrier.bytes += bytes;
    --barrier.missing;
    PtxClock told = *by.clock;
    told.seen[static_cast<std::size_t>(by.warp)] = by.time;
    barrier.coming.join(told);
    endPhaseIfComplete(barrier);
    return std::nullopt;
}

std::optional<std::string> PtxBarriers::beginBulkCopy(std::uint64_t to, std::uint64_t from,
                                                      std::uint32_t bytes, std::uint64_t barrier,
                                                      const PtxAccess& by) {
    if (auto why = canBeUsed(barrier, by))
        return why;
    const Barrier& used = m_barriers.at(barrier);
    if (used.beganAt > by.clock->fenced[static_cast<std::size_t>(used.beganBy)])
        return fmt::format(
            "the copy engine uses the mbarrier at {}, which warp {} set up, without a fence.proxy.async "
            "between",
            barrier, used.beganBy);
    if (auto why = m_shared.beginCopy(to, bytes, by, true))
        return why;
    constexpr std::size_t word = 16;
    BulkCopy copy{.to = to, .barrier = barrier, .bytes = std::vector<std::byte>(bytes)};
    for (std::size_t at = 0; at < bytes; at += word)
        if (auto why = m_memory.read(from + at, std::span(copy.bytes).subspan(at, word)))
            return why;
    m_copies.push_back(std::move(copy));
    return std::nullopt;
}

void PtxBarriers::landCopies(std::uint64_t address) {
    Barrier& barrier = m_barriers.at(address);
    for (std::size_t index = 0; index < m_copies.size();) {
        if (m_copies[index].barrier != address) {
            ++index;
            continue;
        }
        const BulkCopy copy = std::move(m_copies[index]);
        m_copies.erase(m_copies.begin() + static_cast<std::ptrdiff_t>(index));
        const std::uint32_t time = ++m_engine.seen[m_warps];
        m_shared.land(copy.to, copy.bytes,
                      {.warp = static_cast<int>(m_warps), .time = time, .clock = &m_engine}, true);
        barrier.bytes -= static_cast<std::int64_t>(copy.bytes.size());
        barrier.coming.join(m_engine);
        endPhaseIfComplete(barrier);
    }
}

bool PtxBarriers::isOver(std::uint64_t address, std::uint32_t parity) {
    const Barrier& barrier = m_barriers.at(address);
    if (barrier.phase % 2 != parity % 2)
        return true;  // nobody waits
    landCopies(address);
    return barrier.phase % 2 != parity % 2;
}

}  // namespace meshreel::testing
