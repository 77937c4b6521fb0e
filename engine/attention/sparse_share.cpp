// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/sparse_share.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>

#include "engine/base/numbers.h"
#include "engine/kernels/attention/block_choice.h"

namespace meshreel {
namespace {

constexpr std::int64_t sampledBlocks = 32;

/// Returns the mean over a sample of blocks of queries of the share of blocks of keys for which keeps(query
/// block, key block) holds.
template <typename Keeps>
double meanShare(std::int64_t blocks, const Keeps& keeps) {
    const std::int64_t step = std::max<std::int64_t>(1, blocks / sampledBlocks);
    std::int64_t kept = 0;
    std::int64_t all = 0;
    for (std::int64_t query = 0; query < blocks; query += step)
        for (std::int64_t key = 0; key < blocks; ++key) {
            kept += query == key || keeps(query, key) ? 1 : 0;
            ++all;
        }
    return all == 0 ? 1.0 : real(kept) / real(all);
}

}  // namespace

double expectedKeptShare(const SparseRule& rule, const TokenGrid& video) {
    const std::int64_t tokens = video.tokens();
    const std::int64_t blocks = ceilDivide(tokens, rule.blockTokens);
    const auto runOf = [&](std::int64_t block) {
        return TokenRun{.begin = block * rule.blockTokens,
                        .end = std::min(tokens, (block + 1) * rule.blockTokens)};
    };
    switch (rule.method) {
        case SparseMethod::Sol:
            break;
        case SparseMethod::Radial:
            return meanShare(blocks, [&](std::int64_t query, std::int64_t key) {
                return radialKeeps(rule, video, runOf(query), runOf(key));
            });
        case SparseMethod::Svg:
            return meanShare(blocks, [&](std::int64_t query, std::int64_t key) {
                return svgKeeps(rule, video, query, key);
            });
    }
    return std::erfc(rule.tau / std::numbers::sqrt2) / 2;
}

}  // namespace meshreel
