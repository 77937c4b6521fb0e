// SPDX-License-Identifier: GPL-3.0-or-later
// Block-sparse attention on meshes: beside dense attention where nothing is left out, beside its rule written
// in f64 where something is, and what of it moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/sharded_attention.h"
#include "engine/attention/sparse_share.h"
#include "engine/attention/sparse_tokens.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"
#include "engine/tensor/scratch_arena.h"
#include "tests/support/random_tensor.h"

namespace meshreel::sparse_attention_cases {
namespace {

constexpr TokenGrid grid{.frames = 6, .rows = 9, .columns = 10};  // 540 tokens
constexpr std::int64_t tokens = 540;
constexpr std::int64_t heads = 4;
constexpr std::int64_t headDim = 16;
constexpr double scale = 0.25;

struct Whole {
    Tensor query = testing::randomTensor({1, tokens, heads, headDim}, 1);
    Tensor key = testing::randomTensor({1, tokens, heads, headDim}, 2);
    Tensor value = testing::randomTensor({1, tokens, heads, headDim}, 3);
    std::vector<std::uint8_t> mask = {};
};

struct MeshCase {
    std::string mode;
    int devices = 1;
    int ulyssesShards = -1;
    int chunks = 1;
};

const std::vector<MeshCase>& meshes() {
    static const std::vector<MeshCase> all{{"flash", 1},
                                           {"ulysses_custom", 1},
                                           {"ulysses", 2},
                                           {"ulysses_custom", 4},
                                           {"ulysses", 3},
                                           {"ulysses", 2, -1, 2},
                                           {"tokamax_ring", 2},
                                           {"tokamax_ring_custom", 3},
                                           {"tokamax_ring", 5},
                                           {"flash", 3},
                                           {"ulysses_ring", 4, 2},
                                           {"ulysses_ring_custom", 6, 2},
                                           {"ulysses_ring_custom_bidir", 4, 1},
                                           {"ulysses_ring_custom_bidir", 6, 2},
                                           {"ulysses_ring", 6, 3}};
    return all;
}

AttentionPlan planOf(const MeshCase& mesh, const std::optional<SparseRule>& rule) {
    AttentionPlan plan = planAttention(
        {.mode = findAttentionMode(mesh.mode),
         .blocks = {.blockQ = 192, .blockKv = 128, .blockKvCompute = 64},
         .ulyssesShards = mesh.ulyssesShards,
         .chunks = mesh.chunks},
        {.queryLength = tokens, .keyLength = tokens, .heads = heads, .contextDevices = mesh.devices});
    plan.sparse = rule;
    return plan;
}

/// [tokens, heads, headDim], and what the devices report.
struct Attended {
    std::vector<float> out = std::vector<float>(static_cast<std::size_t>(tokens * heads * headDim));
    std::vector<AttentionReport> reports;
};

Attended attend(const Whole& whole, const MeshCase& on, const std::optional<SparseRule>& rule,
                int workers = 1, bool checks = false, const TokenGrid& video = grid) {
    const AttentionPlan plan = planOf(on, rule);
    Attended attended;
    attended.reports.resize(static_cast<std::size_t>(on.devices));
    DeviceMesh mesh({.layout = MeshLayout({.context = on.devices}), .workersPerDevice = workers});
    mesh.run({}, nullptr, [&](Device& device) {
        const ShardRange own = shardRange(tokens, on.devices, device.at().context);
        const auto shardOf = [&](const Tensor& all) {
            Tensor shard = Tensor::empty({1, own.size(), heads, headDim});
            std::copy_n(all.data<float>().begin() + own.begin * heads * headDim, shard.elements(),
                        shard.data<float>().begin());
            return shard;
        };
        std::optional<SparseTokens> blocks;
        if (rule)
            blocks.emplace(plan, video, tokens);
        const ShardedAttentionInputs inputs{.queryLength = tokens,
                                            .keyLength = tokens,
                                            .query = shardOf(whole.query),
                                            .key = shardOf(whole.key),
                                            .value = shardOf(whole.value),
                                            .keyMask = whole.mask,
                                            .scale = scale,
                                            .sparse = blocks ? &*blocks : nullptr,
                                            .checksSparse = checks};
        Tensor out = Tensor::empty(inputs.query.shape());
        ScratchArena scratch;
        attended.reports[static_cast<std::size_t>(device.index())] =
            attendSharded(device, plan, inputs, out, scratch);
        std::ranges::copy(out.data<float>(), attended.out.begin() + own.begin * heads * headDim);
    });
    return attended;
}

/// Rows [tokens, heads, headDim] in f64.
std::vector<double> wide(const Tensor& rows) {
    const auto values = rows.data<float>();
    return {values.begin(), values.end()};
}

double at(const std::vector<double>& rows, std::int64_t token, std::int64_t head, std::int64_t i) {
    return rows[static_cast<std::size_t>((token * heads + head) * headDim + i)];
}

/// The rule of sol in f64, over blocks that each of `shards` cuts for itself: [tokens, heads, headDim].
std::vector<double> solReference(const Whole& whole, const SparseRule& rule, const MeshCase& on,
                                 const TokenGrid& video = grid) {
    struct Block {
        std::vector<std::int64_t> tokens;
        bool leavesOut = false;  // its queries
        bool isWhole = false;    // and may be left out itself
    };
    const AttentionPlan plan = planOf(on, rule);
    const SparseTokens cut(plan, video, tokens);
    std::vector<Block> blocks;
    for (int shard = 0; shard < cut.shards(); ++shard) {
        const TokenBlocks& of = cut.blocksOf(shard).front();
        for (std::int64_t block = 0; block < of.count(); ++block) {
            Block& one = blocks.emplace_back();
            one.isWhole = one.leavesOut = block < of.wholeBlocks;
            for (std::int64_t i = 0; i < of.sizeOf(block); ++i) {
                const std::int64_t token = cut.tokensOf(shard).begin +
                                           of.order[static_cast<std::size_t>(block * rule.blockTokens + i)];
                one.tokens.push_back(token);
                one.isWhole =
                    one.isWhole && (whole.mask.empty() || whole.mask[static_cast<std::size_t>(token)] != 0);
            }
        }
    }
    const std::vector<double> queries = wide(whole.query);
    const std::vector<double> keys = wide(whole.key);
    const std::vector<double> values = wide(whole.value);
    /// [blocks, heads, headDim]
    const auto meansOf = [&](const std::vector<double>& of) {
        std::vector<double> means;
        for (const Block& block : blocks)
            for (std::int64_t head = 0; head < heads; ++head)
                for (std::int64_t i = 0; i < headDim; ++i) {
                    double sum = 0;
                    for (const std::int64_t token : block.tokens)
                        sum += at(of, token, head, i);
                    means.push_back(sum / static_cast<double>(block.tokens.size()));
                }
        return means;
    };
    const std::vector<double> queryMeans = meansOf(queries);
    const std::vector<double> keyMeans = meansOf(keys);
    const std::vector<double> valueMeans = meansOf(values);
    std::vector<double> out(static_cast<std::size_t>(tokens * heads * headDim), 0.0);
    for (std::int64_t head = 0; head < heads; ++head)
        for (std::size_t own = 0; own < blocks.size(); ++own) {
            std::vector<double> scores;
            for (std::size_t block = 0; block < blocks.size(); ++block) {
                double score = 0;
                for (std::int64_t i = 0; i < headDim; ++i)
                    score += scale * at(queryMeans, static_cast<std::int64_t>(own), head, i) *
                             at(keyMeans, static_cast<std::int64_t>(block), head, i);
                scores.push_back(score);
            }
            double mean = 0;
            double squares = 0;
            for (const double score : scores)
                mean += score / static_cast<double>(scores.size());
            for (const double score : scores)
                squares += (score - mean) * (score - mean) / static_cast<double>(scores.size());
            const double threshold = mean + rule.tau * std::sqrt(squares);
            // A block of queries that is not full, or has tokens beside the video's, attends to everything; a
            // mask does not matter to queries.
            for (const std::int64_t query : blocks[own].tokens) {
                double sum = 0;
                std::vector<double> row(headDim, 0.0);
                const auto add = [&](double weight, const auto& valueOf) {
                    sum += weight;
                    for (std::int64_t i = 0; i < headDim; ++i)
                        row[static_cast<std::size_t>(i)] += weight * valueOf(i);
                };
                const auto score = [&](const auto& keyOf) {
                    double product = 0;
                    for (std::int64_t i = 0; i < headDim; ++i)
                        product += at(queries, query, head, i) * keyOf(i);
                    return std::exp(scale * product);
                };
                for (std::size_t other = 0; other < blocks.size(); ++other) {
                    const Block& block = blocks[other];
                    if (blocks[own].leavesOut && block.isWhole && other != own &&
                        scores[other] <= threshold) {
                        add(static_cast<double>(rule.blockTokens) * score([&](std::int64_t i) {
                                return at(keyMeans, static_cast<std::int64_t>(other), head, i);
                            }),
                            [&](std::int64_t i) {
                                return at(valueMeans, static_cast<std::int64_t>(other), head, i);
                            });
                        continue;
                    }
                    for (const std::int64_t key : block.tokens)
                        if (whole.mask.empty() || whole.mask[static_cast<std::size_t>(key)] != 0)
                            add(score([&](std::int64_t i) { return at(keys, key, head, i); }),
                                [&](std::int64_t i) { return at(values, key, head, i); });
                }
                for (std::int64_t i = 0; i < headDim; ++i)
                    out[static_cast<std::size_t>((query * heads + head) * headDim + i)] =
                        row[static_cast<std::size_t>(i)] / sum;
            }
        }
    return out;
}

double largestDifference(const std::vector<float>& found, const std::vector<double>& expected) {
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double difference = std::abs(static_cast<double>(found[i]) - expected[i]);
        largest = difference > largest || std::isnan(difference) ? difference : largest;
    }
    return largest;
}

std::vector<double> asDoubles(const std::vector<float>& values) {
    return {values.begin(), values.end()};
}

constexpr SparseRule sol{.method = SparseMethod::Sol, .blockTokens = 32, .tau = 0.5};
constexpr SparseRule radial{.method = SparseMethod::Radial, .blockTokens = 32, .decay = 0.2};
constexpr SparseRule svg{.method = SparseMethod::Svg, .blockTokens = 32, .density = 0.3, .profileQueries = 8};

double keptShareOf(const Attended& attended) {
    SparseCounts all;
    for (const AttentionReport& report : attended.reports)
        all += report.sparse;
    return all.keptShare();
}

TEST(SparseAttention, KeepingEverythingIsDenseAttentionOnEveryMesh) {
    const Whole whole;
    const std::vector<double> dense = asDoubles(attend(whole, {"flash", 1}, std::nullopt).out);
    SparseRule all = sol;
    all.tau = -1000;
    for (const MeshCase& mesh : meshes()) {
        const Attended attended = attend(whole, mesh, all);
        EXPECT_LE(largestDifference(attended.out, dense), 2e-5) << mesh.mode << " on " << mesh.devices;
        EXPECT_EQ(keptShareOf(attended), 1.0);
    }
}

TEST(SparseAttention, SolIsItsRuleOnEveryMesh) {
    const Whole whole;
    for (const MeshCase& mesh : meshes()) {
        const Attended attended = attend(whole, mesh, sol);
        EXPECT_LE(largestDifference(attended.out, solReference(whole, sol, mesh)), 5e-5)
            << mesh.mode << " on " << mesh.devices;
        EXPECT_LT(keptShareOf(attended), 0.75) << "blocks are really left out";
    }
}

TEST(SparseAttention, MaskedKeysAreExact) {
    Whole whole;
    whole.mask.assign(tokens, 1);
    for (const std::int64_t key : {0, 1, 77, 300, 301, 302, 539})
        whole.mask[static_cast<std::size_t>(key)] = 0;
    for (const MeshCase& mesh : meshes())
        EXPECT_LE(largestDifference(attend(whole, mesh, sol).out, solReference(whole, sol, mesh)), 5e-5)
            << mesh.mode << " on " << mesh.devices;
}

// A video of 450 tokens, and 90 of what a model sees beside it: subjects, references, the motion before.
TEST(SparseAttention, TokensBesideTheVideoAttendToAllAndAreAttendedToByAll) {
    constexpr TokenGrid video{.frames = 5, .rows = 9, .columns = 10};
    const Whole whole;
    for (const MeshCase& mesh : meshes())
        EXPECT_LE(largestDifference(attend(whole, mesh, sol, 1, false, video).out,
                                    solReference(whole, sol, mesh, video)),
                  5e-5)
            << mesh.mode << " on " << mesh.devices;
    const std::vector<float> dense = attend(whole, {"flash", 1}, std::nullopt).out;
    const auto beside = video.tokens() * heads * headDim;
    for (const SparseRule& rule : {sol, radial, svg}) {
        const std::vector<float> found = attend(whole, {"flash", 1}, rule, 1, false, video).out;
        EXPECT_LE(
            largestDifference({found.begin() + beside, found.end()}, {dense.begin() + beside, dense.end()}),
            2e-5)
            << rule.row().name;
        EXPECT_NE(found, dense) << rule.row().name;
    }
}

// Tokens are exchanged for heads before blocks are chosen.
TEST(SparseAttention, UlyssesHasTheBitsOfOneDevice) {
    const Whole whole;
    for (const SparseRule& rule : {sol, radial, svg}) {
        const Attended one = attend(whole, {"ulysses_custom", 1}, rule);
        for (const MeshCase& mesh :
             {MeshCase{"ulysses_custom", 2}, MeshCase{"ulysses_custom", 4}, MeshCase{"ulysses_custom", 3}})
            EXPECT_EQ(attend(whole, mesh, rule).out, one.out)
                << rule.row().name << " on " << mesh.devices << " devices";
    }
}

TEST(SparseAttention, WorkersDoNotChangeTheResult) {
    const Whole whole;
    for (const SparseRule& rule : {sol, radial, svg})
        EXPECT_EQ(attend(whole, {"ulysses_custom", 1}, rule, 3).out,
                  attend(whole, {"ulysses_custom", 1}, rule, 1).out)
            << rule.row().name;
}

TEST(SparseAttention, ARingInPlaceAndAGatherChooseTheSame) {
    const Whole whole;
    const Attended ring = attend(whole, {"tokamax_ring", 3}, radial);
    const Attended gather = attend(whole, {"flash", 3}, radial);
    EXPECT_LE(largestDifference(ring.out, asDoubles(gather.out)), 2e-5);
    EXPECT_EQ(keptShareOf(ring), keptShareOf(gather));
}

TEST(SparseAttention, ARingLeavesOutShardsThatNobodyReads) {
    const Whole whole;
    // Each block keeps its own tokens and the short blocks, which lie behind each shard: of a length that has
    // none, nothing else is read.
    SparseRule own = sol;
    own.tau = 1000;
    own.blockTokens = 30;
    constexpr int devices = 3;  // 180 tokens each
    const Attended ring = attend(whole, {"tokamax_ring", devices}, own);
    for (const AttentionReport& report : ring.reports) {
        EXPECT_EQ(report.sparse.hops, 0);
        EXPECT_EQ(report.sparse.skippedHops, devices - 1);
        EXPECT_EQ(report.rotations, 0);
    }
    EXPECT_LE(largestDifference(ring.out, solReference(whole, own, {"tokamax_ring", devices})), 5e-5)
        << "means stand for the others";
    const Attended all = attend(whole, {"tokamax_ring", devices}, sol);
    EXPECT_EQ(all.reports.front().sparse.hops, devices - 1);
}

TEST(SparseAttention, TheCheckSeesWhatIsLeftOut) {
    const Whole whole;
    SparseRule all = sol;
    all.tau = -1000;
    const auto errorOf = [&](const SparseRule& rule) {
        return attend(whole, {"ulysses_custom", 1}, rule, 1, true).reports.front().sparse.error().value();
    };
    EXPECT_LE(errorOf(all), 1e-5);
    SparseRule little = sol;
    little.tau = 1000;
    EXPECT_GT(errorOf(little), errorOf(sol)) << "fewer blocks, more error";
    EXPECT_EQ(attend(whole, {"ulysses_custom", 1}, sol).reports.front().sparse.error(), std::nullopt);
}

TEST(SparseAttention, NumbersStoredAsBf16AreAttendedInTheirType) {
    Whole whole;  // computed in tiles where this machine has them
    const auto bf16 = [](const Tensor& values) { return testing::toBf16(values).toF32(); };
    whole.query = bf16(whole.query);
    whole.key = bf16(whole.key);
    whole.value = bf16(whole.value);
    const MeshCase one{"ulysses_custom", 1};
    const AttentionPlan plan = planOf(one, sol);
    DeviceMesh mesh({.layout = MeshLayout({.context = 1}), .workersPerDevice = 1});
    std::vector<float> found;
    mesh.run({}, nullptr, [&](Device& device) {
        const SparseTokens blocks(plan, grid, tokens);
        const ShardedAttentionInputs inputs{.queryLength = tokens,
                                            .keyLength = tokens,
                                            .query = testing::toBf16(whole.query),
                                            .key = testing::toBf16(whole.key),
                                            .value = testing::toBf16(whole.value),
                                            .scale = scale,
                                            .sparse = &blocks};
        Tensor out = Tensor::empty(inputs.query.shape(), DType::BF16);
        ScratchArena scratch;
        static_cast<void>(attendSharded(device, plan, inputs, out, scratch));
        const Tensor result = out.toF32();
        found.assign(result.data<float>().begin(), result.data<float>().end());
    });
    // Means are rounded to bf16, and some blocks are at the threshold.
    const std::vector<double> expected = solReference(whole, sol, one);
    double difference = 0;
    double reference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += std::pow(static_cast<double>(found[i]) - expected[i], 2);
        reference += expected[i] * expected[i];
    }
    EXPECT_LE(std::sqrt(difference / reference), 0.05);
}

TEST(SparseAttention, TheExpectedShareIsThatOfTheRule) {
    const Whole whole;
    for (const SparseRule& rule : {radial, svg})
        EXPECT_NEAR(expectedKeptShare(rule, grid), keptShareOf(attend(whole, {"flash", 1}, rule)), 0.15)
            << rule.row().name;
    EXPECT_NEAR(expectedKeptShare({.tau = 1.0}, grid), 0.159, 0.001);
    EXPECT_NEAR(expectedKeptShare({.tau = 2.0}, grid), 0.023, 0.001);
}

}  // namespace
}  // namespace meshreel::sparse_attention_cases
