// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/attention/block_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/kernels/attention/svg_profile.h"
#include "tests/support/random_tensor.h"

namespace meshreel::block_choice_cases {
namespace {

constexpr SparseRule radialRule{.method = SparseMethod::Radial, .blockTokens = 128};

/// The published mask (attn_mask.py of mit-han-lab/radial-attention), token by token, for the frames i and j.
bool seesInFrames(const SparseRule& rule, std::int64_t frameTokens, std::int64_t i, std::int64_t j,
                  std::int64_t query, std::int64_t key) {
    if (j == 0)
        return true;
    const auto bitsOf = [](std::int64_t number) {
        int bits = 0;
        for (; number > 0; number /= 2)
            ++bits;
        return bits;
    };
    const std::int64_t distance = std::abs(i - j);
    const double length = std::pow(2.0, bitsOf(frameTokens)) / std::pow(2.0, bitsOf(distance));
    const auto block = static_cast<double>(rule.blockTokens);
    if (length < block && distance % static_cast<std::int64_t>(block / length) != 0)
        return false;
    double window = std::max(block, length * rule.decay);
    if (distance == 0)
        window = static_cast<double>(frameTokens);
    else if (distance == 1)
        window = static_cast<double>(frameTokens / 2);
    return static_cast<double>(std::abs(query - key)) <= window;
}

/// Whether a block survives, as shrinkMaskStrict() counts.
bool blockSurvives(const SparseRule& rule, const TokenGrid& video, const TokenRun& queries,
                   const TokenRun& keys) {
    const std::int64_t frameTokens = video.rows * video.columns;
    for (std::int64_t i = queries.begin / frameTokens; i * frameTokens < queries.end; ++i)
        for (std::int64_t j = keys.begin / frameTokens; j * frameTokens < keys.end; ++j) {
            int seen = 0;
            int dense = 0;
            for (std::int64_t key = keys.begin; key < keys.end; ++key) {
                int column = 0;
                for (std::int64_t query = queries.begin; query < queries.end; ++query)
                    if (query / frameTokens == i && key / frameTokens == j &&
                        seesInFrames(rule, frameTokens, i, j, query % frameTokens, key % frameTokens))
                        ++column;
                seen += column > 0 ? 1 : 0;
                dense +=
                    static_cast<double>(column) / static_cast<double>(rule.blockTokens) > 1.0 / 3 ? 1 : 0;
            }
            if (seen > 0 && static_cast<double>(dense) / seen > 0.6)
                return true;
        }
    return false;
}

TEST(BlockChoice, RadialKeepsThePublishedBlocks) {
    for (const TokenGrid& video :
         {TokenGrid{.frames = 7, .rows = 10, .columns = 16},
          TokenGrid{.frames = 9, .rows = 15, .columns = 26}, TokenGrid{.frames = 5, .rows = 3, .columns = 5}})
        for (const double decay : {1.0, 0.2}) {
            SparseRule rule = radialRule;
            rule.decay = decay;
            int kept = 0;
            int all = 0;
            for (std::int64_t query = 0; query < video.tokens(); query += 128)
                for (std::int64_t key = 0; key < video.tokens(); key += 128) {
                    const TokenRun queries{query, std::min(video.tokens(), query + 128)};
                    const TokenRun keys{key, std::min(video.tokens(), key + 128)};
                    const bool keeps = radialKeeps(rule, video, queries, keys);
                    ASSERT_EQ(keeps, blockSurvives(rule, video, queries, keys))
                        << video.frames << " frames, tokens " << query << " and " << key;
                    kept += keeps ? 1 : 0;
                    ++all;
                }
            // Of frames that are less than a third of a block the published rule keeps nothing.
            EXPECT_EQ(kept > 0, 3 * video.rows * video.columns > rule.blockTokens);
            EXPECT_LE(kept, all);
        }
}

TEST(BlockChoice, TheBandHasTheDensityThatIsAskedFor) {
    constexpr TokenGrid video{.frames = 21, .rows = 30, .columns = 52};
    for (const double density : {0.1, 0.25, 0.5, 0.9}) {
        const SparseRule rule{
            .method = SparseMethod::Svg, .blockTokens = 128, .density = density, .firstFrame = false};
        const std::int64_t blocks = (video.tokens() + 127) / 128;
        std::int64_t kept = 0;
        for (std::int64_t query = 0; query < blocks; ++query)
            for (std::int64_t key = 0; key < blocks; ++key)
                kept += svgKeeps(rule, video, query, key) ? 1 : 0;
        EXPECT_NEAR(static_cast<double>(kept) / static_cast<double>(blocks * blocks), density, 0.015);
    }
    EXPECT_EQ(svgBand({.method = SparseMethod::Svg, .density = 1.0}, 1000), 999);
}

TEST(BlockChoice, SvgKeepsTheFirstKeysOfItsOrder) {
    constexpr TokenGrid video{.frames = 8, .rows = 16, .columns = 16};
    const SparseRule rule{.method = SparseMethod::Svg, .blockTokens = 128, .density = 0.05};
    EXPECT_TRUE(svgKeeps(rule, video, 15, 0));
    EXPECT_TRUE(svgKeeps(rule, video, 15, 1));
    EXPECT_FALSE(svgKeeps(rule, video, 15, 2)) << "a frame has two blocks";
}

/// f32 rows of one head.
HeadTensor headOf(const Tensor& rows) {
    return {rows.reshaped({1, rows.extent(0), 1, rows.extent(1)})};
}

TEST(BlockChoice, SolKeepsWhatScoresAboveItsThreshold) {
    constexpr std::int64_t blocks = 40;
    constexpr std::int64_t width = 24;
    WorkerPool workers({.workers = 2});
    const Execution execution{.workers = workers, .stop = {}};
    const Tensor queries = testing::randomTensor({blocks, width}, 5);
    const Tensor keys = testing::randomTensor({blocks, width}, 6);
    std::vector<std::uint8_t> always(blocks, 0);
    always[7] = 1;
    for (const double tau : {0.0, 1.3}) {
        const SparseRule rule{.tau = tau};
        BlockMaps kept(1, 1, true, blocks, blocks);
        keepByScores(execution, rule, {.alwaysKept = always, .ownBlock = 0, .wholeQueryBlocks = blocks - 1},
                     headOf(queries), headOf(keys), 0.25, kept);
        for (std::int64_t query = 0; query < blocks; ++query) {
            std::vector<double> scores;
            for (std::int64_t key = 0; key < blocks; ++key) {
                double score = 0;
                for (std::int64_t i = 0; i < width; ++i)
                    score += 0.25 * static_cast<double>(
                                        queries.data<float>()[static_cast<std::size_t>(query * width + i)] *
                                        keys.data<float>()[static_cast<std::size_t>(key * width + i)]);
                scores.push_back(score);
            }
            double mean = 0;
            for (const double score : scores)
                mean += score / blocks;
            double variance = 0;
            for (const double score : scores)
                variance += (score - mean) * (score - mean) / blocks;
            for (std::int64_t key = 0; key < blocks; ++key) {
                const double distance =
                    scores[static_cast<std::size_t>(key)] - mean - tau * std::sqrt(variance);
                const bool must = key == 7 || key == query || query == blocks - 1;
                if (must || std::abs(distance) > 1e-4) {
                    EXPECT_EQ(kept.row(0, query)[static_cast<std::size_t>(key)] != 0, must || distance > 0)
                        << query << " " << key;
                }
            }
        }
    }
}

TEST(BlockChoice, MeansAreThoseOfABlocksTokens) {
    constexpr TokenGrid video{.frames = 3, .rows = 5, .columns = 7};
    constexpr std::int64_t heads = 2;
    constexpr std::int64_t width = 8;
    WorkerPool workers({.workers = 2});
    const Execution execution{.workers = workers, .stop = {}};
    const HeadTensor rows{testing::randomTensor({1, video.tokens(), heads, width}, 9)};
    const TokenBlocks blocks = orderTokens(TokenOrder::Morton, video, 0, video.tokens(), 32);
    const HeadTensor means{Tensor::zeros({1, heads, blocks.count() + 2, width}), HeadOrder::ByHead};
    takeBlockMeans(execution, rows, blocks, means, 2);
    for (std::int64_t head = 0; head < heads; ++head)
        for (std::int64_t block = 0; block < blocks.count(); ++block)
            for (std::int64_t i = 0; i < width; ++i) {
                double mean = 0;
                for (std::int64_t token = 0; token < blocks.sizeOf(block); ++token) {
                    const std::int64_t place = blocks.order[static_cast<std::size_t>(block * 32 + token)];
                    mean += static_cast<double>(
                        rows.data
                            .data<float>()[static_cast<std::size_t>((place * heads + head) * width + i)]);
                }
                mean /= static_cast<double>(blocks.sizeOf(block));
                const std::int64_t at = (head * (blocks.count() + 2) + 2 + block) * width + i;
                EXPECT_NEAR(static_cast<double>(means.data.data<float>()[static_cast<std::size_t>(at)]), mean,
                            1e-5);
            }
}

/// A head whose keys are all alike but for what makes queries look at the same frame, or at the same place.
bool prefersPlaces(bool looksAtPlaces) {
    constexpr TokenGrid video{.frames = 8, .rows = 16, .columns = 16};
    constexpr std::int64_t width = 32;
    const std::int64_t places = video.rows * video.columns;
    Tensor rows = Tensor::zeros({video.tokens(), width});
    const Tensor values = testing::randomTensor({video.tokens(), width}, 3);
    const Tensor marks = testing::randomTensor({std::max(places, video.frames), width}, 4);
    for (std::int64_t token = 0; token < video.tokens(); ++token) {
        const std::int64_t mark = looksAtPlaces ? token % places : token / places;
        for (std::int64_t i = 0; i < width; ++i)
            rows.data<float>()[static_cast<std::size_t>(token * width + i)] =
                2 * marks.data<float>()[static_cast<std::size_t>(mark * width + i)];
    }
    const HeadRows marked(rows.data<float>().data(), width);
    return svgPrefersPlaces({.method = SparseMethod::Svg, .profileQueries = 16}, video,
                            {.query = marked,
                             .key = marked,
                             .value = HeadRows(values.data<float>().data(), width),
                             .headDim = width,
                             .scale = 0.3});
}

TEST(BlockChoice, SvgTellsHeadsOfPlacesFromHeadsOfFrames) {
    EXPECT_TRUE(prefersPlaces(true));
    EXPECT_FALSE(prefersPlaces(false));
}

}  // namespace
}  // namespace meshreel::block_choice_cases
