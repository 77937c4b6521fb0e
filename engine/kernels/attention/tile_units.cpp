// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/tile_units.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/numbers.h"
#include "engine/kernels/tiles/tile_shape.h"

namespace meshreel {

TileUnits::TileUnits(const TileLayout& layout, const HeadInputs& problem)
    : m_layout(layout), m_problem(problem), m_dense(problem), m_kept(problem) {}

TileUnits::~TileUnits() = default;

bool TileUnits::next() {
    m_keys.clear();
    m_steps.clear();
    m_units.clear();
    return m_problem.kept == nullptr ? nextDense() : nextKept();
}

void TileUnits::addSteps(std::int64_t firstStep, std::int64_t keys) {
    for (std::int64_t step = 0; step * tileStep < keys; ++step)
        m_steps.push_back({.place = static_cast<std::int32_t>(firstStep + step),
                           .keys = static_cast<std::int32_t>(std::min(tileStep, keys - step * tileStep))});
}

void TileUnits::addUnits(std::int64_t queryTile, std::size_t first, std::size_t count) {
    const auto strip = static_cast<std::size_t>(m_layout.stripSteps);
    for (std::size_t done = 0; done < count; done += strip) {
        const std::span<const TileKeyStep> steps =
            std::span<const TileKeyStep>(m_steps).subspan(first + done, std::min(strip, count - done));
        m_units.push_back({.queryTile = queryTile,
                           .keySteps = steps.data(),
                           .steps = std::ssize(steps),
                           .isFull = std::ranges::all_of(
                               steps, [](const TileKeyStep& step) { return step.keys == tileStep; })});
    }
}

bool TileUnits::nextDense() {
    const std::span<const std::int64_t> rows = m_dense.next(m_layout.kv);
    if (rows.empty())
        return false;
    m_keys.push_back({.rows = rows, .firstStep = 0});
    addSteps(0, std::ssize(rows));
    for (std::int64_t tile = 0; tile < m_layout.queryTiles; ++tile)
        addUnits(tile, 0, m_steps.size());
    return true;
}

bool TileUnits::nextKept() {
    const KeptKeys& kept = *m_problem.kept;
    const std::int64_t stepsOfBlock = tileSteps(kept.blockTokens);
    const std::span<const KeptBlock> blocks =
        m_kept.next(std::max<std::int64_t>(1, m_layout.kvSteps / stepsOfBlock));
    if (blocks.empty())
        return false;
    for (std::size_t index = 0; index < blocks.size(); ++index)
        m_keys.push_back(
            {.rows = blocks[index].rows, .firstStep = static_cast<std::int64_t>(index) * stepsOfBlock});
    // The lists of a block of queries serve all of its tiles. Units point into them: they must not move.
    const std::int64_t queryBlocks = ceilDivide(m_problem.queries, kept.blockTokens);
    m_steps.reserve(static_cast<std::size_t>(queryBlocks * std::ssize(blocks) * stepsOfBlock));
    for (std::int64_t queryBlock = 0; queryBlock < queryBlocks; ++queryBlock) {
        const std::size_t first = m_steps.size();
        for (std::size_t index = 0; index < blocks.size(); ++index)
            if (kept.has(queryBlock, blocks[index].index))
                addSteps(m_keys[index].firstStep, std::ssize(blocks[index].rows));
        const std::int64_t begin = queryBlock * kept.blockTokens / tileStep;
        const std::int64_t end =
            std::min(m_layout.queryTiles, (queryBlock + 1) * kept.blockTokens / tileStep);
        for (std::int64_t tile = begin; tile < end; ++tile)
            addUnits(tile, first, m_steps.size() - first);
    }
    return true;
}

}  // namespace meshreel
