// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/block_choice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "engine/base/numbers.h"
#include "engine/kernels/attention/head_rows.h"
#include "engine/kernels/attention/svg_profile.h"
#include "engine/kernels/scratch_stack.h"

namespace meshreel {
namespace {

/// Calls choose(map, query block, row of the map) for the blocks of queries that may leave some out, and
/// keeps what nobody may: all for other blocks of queries, each block's own tokens, and what the frame says.
/// The workers share the rows.
template <typename Choose>
void chooseRows(const Execution& execution, const BlockFrame& frame, std::int64_t heads, BlockMaps& kept,
                const Choose& choose) {
    const std::int64_t queryBlocks = kept.queryBlocks();
    const std::int64_t keyBlocks = kept.keyBlocks();
    const std::int64_t batches = keyBlocks == 0 ? 0 : std::ssize(frame.alwaysKept) / keyBlocks;
    execution.workers.parallelFor(kept.maps() * queryBlocks, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index) {
            const std::int64_t map = index / queryBlocks;
            const std::int64_t queryBlock = index % queryBlocks;
            const std::span<std::uint8_t> row = kept.row(map, queryBlock);
            if (queryBlock >= frame.wholeQueryBlocks) {
                std::ranges::fill(row, std::uint8_t{1});
                continue;
            }
            choose(map, queryBlock, row);
            row[static_cast<std::size_t>(frame.ownBlock + queryBlock)] = 1;
            // A map that all share keeps what any of them must.
            const std::int64_t first = kept.maps() == 1 ? 0 : map / heads;
            const std::int64_t last = kept.maps() == 1 ? batches : first + 1;
            for (std::int64_t batch = first; batch < last; ++batch) {
                const std::span<const std::uint8_t> always = frame.alwaysKeptOf(batch, keyBlocks);
                for (std::size_t block = 0; block < row.size(); ++block)
                    row[block] = row[block] != 0 || always[block] != 0 ? 1 : 0;
            }
        }
    });
}

constexpr std::size_t productLanes = 16;

/// The same bits on every device that has these means, whatever else it computes.
float meanProduct(std::span<const float> a, std::span<const float> b) {
    std::array<float, productLanes> partial{};
    const std::size_t whole = a.size() / productLanes * productLanes;
    for (std::size_t i = 0; i < whole; i += productLanes)
#pragma GCC unroll 1
        for (std::size_t lane = 0; lane < productLanes; ++lane)
            partial[lane] += a[i + lane] * b[i + lane];
    for (std::size_t i = whole; i < a.size(); ++i)
        partial[i - whole] += a[i] * b[i];
    return std::accumulate(partial.begin(), partial.end(), 0.0F);
}

/// What of a frame a block has: tokens [begin, end) of frame `frame`, counted from its first.
struct FramePart {
    std::int64_t frame = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

FramePart partOf(const TokenRun& run, std::int64_t frame, std::int64_t frameTokens) {
    const std::int64_t first = frame * frameTokens;
    return {.frame = frame,
            .begin = std::max(run.begin, first) - first,
            .end = std::min(run.end, first + frameTokens) - first};
}

bool framesKeep(const SparseRule& rule, std::int64_t frameTokens, const FramePart& queries,
                const FramePart& keys) {
    const std::int64_t block = rule.blockTokens;
    const std::int64_t all = queries.end - queries.begin;
    if (keys.frame == 0)
        return 3 * all > block;
    const std::int64_t distance = std::abs(queries.frame - keys.frame);
    const double length =
        std::exp2(static_cast<double>(std::bit_width(static_cast<std::uint64_t>(frameTokens))) -
                  static_cast<double>(std::bit_width(static_cast<std::uint64_t>(distance))));
    if (distance > 0 && length < real(block) &&
        distance % static_cast<std::int64_t>(real(block) / length) != 0)
        return false;
    std::int64_t window = frameTokens;
    if (distance == 1)
        window = frameTokens / 2;
    else if (distance > 1)
        window = static_cast<std::int64_t>(std::max(length * rule.decay, real(block)));
    std::int64_t seen = 0;
    std::int64_t dense = 0;
    for (std::int64_t key = keys.begin; key < keys.end; ++key) {
        const std::int64_t count =
            std::min(queries.end, key + window + 1) - std::max(queries.begin, key - window);
        seen += count > 0 ? 1 : 0;
        dense += 3 * count > block ? 1 : 0;
    }
    return real(dense) > 0.6 * real(seen);
}

}  // namespace

void keepByScores(const Execution& execution, const SparseRule& rule, const BlockFrame& frame,
                  const HeadTensor& queryMeans, const HeadTensor& keyMeans, double scale, BlockMaps& kept) {
    const std::int64_t heads = queryMeans.heads();
    const auto width = static_cast<std::size_t>(queryMeans.headDim());
    chooseRows(execution, frame, heads, kept,
               [&](std::int64_t map, std::int64_t queryBlock, std::span<std::uint8_t> row) {
                   ScratchVector<float> query(width);
                   ScratchVector<float> key(width);
                   ScratchVector<double> scores(row.size());
                   queryMeans.rows(map / heads, 0, map % heads).read(queryBlock, query);
                   const HeadRows keys = keyMeans.rows(map / heads, 0, map % heads);
                   for (std::size_t block = 0; block < row.size(); ++block) {
                       keys.read(static_cast<std::int64_t>(block), key);
                       scores[block] = scale * static_cast<double>(meanProduct(query, key));
                   }
                   const double count = static_cast<double>(scores.size());
                   const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / count;
                   double squares = 0;
                   for (const double score : scores)
                       squares += (score - mean) * (score - mean);
                   const double threshold = mean + rule.tau * std::sqrt(squares / count);
                   for (std::size_t block = 0; block < row.size(); ++block)
                       row[block] = scores[block] > threshold ? 1 : 0;
               });
}

bool radialKeeps(const SparseRule& rule, const TokenGrid& video, const TokenRun& queries,
                 const TokenRun& keys) {
    const std::int64_t frameTokens = video.rows * video.columns;
    for (std::int64_t i = queries.begin / frameTokens; i * frameTokens < queries.end; ++i)
        for (std::int64_t j = keys.begin / frameTokens; j * frameTokens < keys.end; ++j)
            if (framesKeep(rule, frameTokens, partOf(queries, i, frameTokens), partOf(keys, j, frameTokens)))
                return true;
    return false;
}

void keepRadially(const Execution& execution, const SparseRule& rule, const BlockFrame& frame,
                  const TokenGrid& video, std::span<const TokenRun> queries, std::span<const TokenRun> keys,
                  BlockMaps& kept) {
    chooseRows(execution, frame, 1, kept,
               [&](std::int64_t /*map*/, std::int64_t queryBlock, std::span<std::uint8_t> row) {
                   for (std::size_t block = 0; block < row.size(); ++block)
                       row[block] = radialKeeps(rule, video, queries[static_cast<std::size_t>(queryBlock)],
                                                keys[block])
                                        ? 1
                                        : 0;
               });
}

std::int64_t svgBand(const SparseRule& rule, std::int64_t tokens) {
    if (rule.density >= 1.0)
        return tokens - 1;
    const double width = real(tokens) * (1.0 - std::sqrt(1.0 - rule.density));
    const auto blocks = static_cast<std::int64_t>(std::ceil(width / real(rule.blockTokens)));
    return std::min(blocks * rule.blockTokens, tokens - 1);
}

bool svgKeeps(const SparseRule& rule, const TokenGrid& video, std::int64_t queryBlock,
              std::int64_t keyBlock) {
    if (rule.firstFrame && keyBlock * rule.blockTokens < video.rows * video.columns)
        return true;
    const std::int64_t band = svgBand(rule, video.tokens());
    const std::int64_t distance = std::abs(keyBlock - queryBlock) * rule.blockTokens;
    return distance < band || (distance == band && keyBlock > queryBlock);
}

void keepBands(const Execution& execution, const SparseRule& rule, const BlockFrame& frame,
               const TokenGrid& video, const HeadTensor& query, const HeadTensor& key,
               const HeadTensor& value, double scale, BlockMaps& kept) {
    const std::int64_t heads = query.heads();
    execution.workers.parallelFor(kept.maps(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t map = begin; map < end; ++map)
            kept.setLayout(map, svgPrefersPlaces(rule, video,
                                                 {.query = query.rows(map / heads, 0, map % heads),
                                                  .key = key.rows(map / heads, 0, map % heads),
                                                  .value = value.rows(map / heads, 0, map % heads),
                                                  .headDim = query.headDim(),
                                                  .scale = scale})
                                    ? 1
                                    : 0);
    });
    chooseRows(execution, frame, heads, kept,
               [&](std::int64_t /*map*/, std::int64_t queryBlock, std::span<std::uint8_t> row) {
                   for (std::int64_t block = 0; block < std::ssize(row); ++block)
                       row[static_cast<std::size_t>(block)] =
                           svgKeeps(rule, video, queryBlock, block) ? 1 : 0;
               });
}

}  // namespace meshreel
