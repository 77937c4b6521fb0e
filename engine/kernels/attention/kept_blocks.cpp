// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/kept_blocks.h"

#include <algorithm>

#include "engine/base/numbers.h"
#include "engine/kernels/attention/attention_kernel.h"

namespace meshreel {

BlockMaps::BlockMaps(std::int64_t batch, std::int64_t heads, bool perHead, std::int64_t queryBlocks,
                     std::int64_t keyBlocks)
    : m_maps(perHead ? batch * heads : 1),
      m_heads(heads),
      m_sharers(perHead ? 1 : batch * heads),
      m_queryBlocks(queryBlocks),
      m_keyBlocks(keyBlocks),
      m_kept(static_cast<std::size_t>(m_maps * queryBlocks * keyBlocks), std::uint8_t{0}),
      m_layouts(static_cast<std::size_t>(m_maps), std::uint8_t{0}) {}

std::int64_t BlockMaps::countKept() const {
    return m_sharers * std::ranges::count_if(m_kept, [](std::uint8_t kept) { return kept != 0; });
}

std::int64_t BlockMaps::countAll() const {
    return m_sharers * static_cast<std::int64_t>(m_kept.size());
}

bool BlockMaps::anyKept(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t map = 0; map < m_maps; ++map)
        for (std::int64_t block = 0; block < m_queryBlocks; ++block) {
            const std::span<const std::uint8_t> ofBlock =
                row(map, block)
                    .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            if (std::ranges::any_of(ofBlock, [](std::uint8_t kept) { return kept != 0; }))
                return true;
        }
    return false;
}

bool KeptBlockSource::isWanted(std::int64_t keyBlock) const {
    const KeptKeys& kept = *m_problem->kept;
    const std::int64_t queryBlocks = ceilDivide(m_problem->queries, kept.blockTokens);
    for (std::int64_t queryBlock = 0; queryBlock < queryBlocks; ++queryBlock)
        if (kept.has(queryBlock, keyBlock))
            return true;
    return false;
}

void KeptBlockSource::add(std::int64_t keyBlock) {
    const KeptKeys& kept = *m_problem->kept;
    const std::size_t first = m_rows.size();
    const std::int64_t end = std::min((keyBlock + 1) * kept.blockTokens, m_problem->keys);
    for (std::int64_t key = keyBlock * kept.blockTokens; key < end; ++key) {
        const std::int64_t row = kept.places[key];
        if (m_problem->keyMask == nullptr || m_problem->keyMask[row] != 0)
            m_rows.push_back(row);
    }
    if (m_rows.size() > first)
        m_blocks.push_back({.index = keyBlock, .rows = std::span<const std::int64_t>(m_rows).subspan(first)});
}

std::span<const KeptBlock> KeptBlockSource::next(std::int64_t window) {
    const std::int64_t keyBlocks = ceilDivide(m_problem->keys, m_problem->kept->blockTokens);
    m_rows.clear();
    m_blocks.clear();
    // Spans of the rows stay.
    m_rows.reserve(static_cast<std::size_t>(window * m_problem->kept->blockTokens));
    while (m_blocks.empty() && m_next < keyBlocks)
        for (const std::int64_t end = std::min(m_next + window, keyBlocks); m_next < end; ++m_next)
            if (isWanted(m_next))
                add(m_next);
    return m_blocks;
}

}  // namespace meshreel
