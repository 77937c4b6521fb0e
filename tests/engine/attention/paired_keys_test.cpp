// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that only the queries of one frame see, on every split of the context axis.
#include "engine/attention/paired_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/sharded_attention.h"
#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/tensor/scratch_arena.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using testing::randomTensor;

constexpr std::int64_t pairedHeads = 5;
constexpr std::int64_t pairedWidth = 8;

/// Two batch elements of five frames of seven tokens, the last four of which are paired.
struct PairedCall {
    FramePairs pairs{.tokensPerFrame = 7, .frames = 5};
    Tensor query = tensorOf(pairs.queryLength(), 1);
    Tensor key = tensorOf(pairs.queryLength(), 2);
    Tensor value = tensorOf(pairs.queryLength(), 3);
    Tensor pairedKey = tensorOf(pairs.keyLength(), 4);
    Tensor pairedValue = tensorOf(pairs.keyLength(), 5);

    static Tensor tensorOf(std::int64_t tokens, std::uint32_t seed) {
        return randomTensor({2, tokens, pairedHeads, pairedWidth}, seed);
    }
};

std::span<const float> headRow(const Tensor& tensor, std::int64_t batch, std::int64_t token,
                               std::int64_t head) {
    const std::int64_t first =
        ((batch * tensor.extent(1) + token) * tensor.extent(2) + head) * tensor.extent(3);
    return tensor.data<float>().subspan(static_cast<std::size_t>(first), std::size_t{pairedWidth});
}

/// One softmax over the sequence's keys and those of the query's frame, in f64.
std::vector<double> attended(const PairedCall& call, std::int64_t batch, std::int64_t token,
                             std::int64_t head) {
    struct Seen {
        std::span<const float> key;
        std::span<const float> value;
    };
    std::vector<Seen> all;
    for (std::int64_t other = 0; other < call.pairs.queryLength(); ++other)
        all.push_back({headRow(call.key, batch, other, head), headRow(call.value, batch, other, head)});
    const std::int64_t frame = token / call.pairs.tokensPerFrame - call.pairs.firstPaired;
    for (std::int64_t own = 0; frame >= 0 && own < call.pairs.tokensPerFrame; ++own) {
        const std::int64_t at = frame * call.pairs.tokensPerFrame + own;
        all.push_back({headRow(call.pairedKey, batch, at, head), headRow(call.pairedValue, batch, at, head)});
    }
    const std::span<const float> query = headRow(call.query, batch, token, head);
    std::vector<double> result(std::size_t{pairedWidth}, 0.0);
    double sum = 0;
    for (const Seen& seen : all) {
        double score = 0;
        for (std::size_t i = 0; i < query.size(); ++i)
            score += static_cast<double>(query[i]) * static_cast<double>(seen.key[i]);
        const double weight = std::exp(score / std::sqrt(static_cast<double>(pairedWidth)));
        sum += weight;
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] += weight * static_cast<double>(seen.value[i]);
    }
    for (double& value : result)
        value /= sum;
    return result;
}

/// Tokens of each batch element.
Tensor shardOf(const Tensor& whole, const ShardRange& tokens) {
    Tensor shard = Tensor::empty(whole.shape().with(1, tokens.size()));
    const std::int64_t width = whole.extent(2) * whole.extent(3);
    for (std::int64_t batch = 0; batch < whole.extent(0); ++batch)
        std::ranges::copy(whole.data<float>().subspan(
                              static_cast<std::size_t>((batch * whole.extent(1) + tokens.begin) * width),
                              static_cast<std::size_t>(tokens.size() * width)),
                          shard.data<float>().begin() + batch * tokens.size() * width);
    return shard;
}

void expectAttended(const PairedCall& call, const AttentionSettings& settings, int devices) {
    const AttentionPlan plan = planAttention(settings, {.queryLength = call.pairs.queryLength(),
                                                        .keyLength = call.pairs.queryLength(),
                                                        .heads = pairedHeads,
                                                        .contextDevices = devices});
    DeviceMesh mesh({.layout = MeshLayout(MeshShape{.context = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const int position = device.along(MeshAxis::Context).position();
        const auto own = [&](const Tensor& whole) {
            return shardOf(whole, shardRange(whole.extent(1), devices, position));
        };
        const PairedKeys paired{.pairs = call.pairs,
                                .key = gatherPaired(device, plan, call.pairs, own(call.pairedKey)),
                                .value = gatherPaired(device, plan, call.pairs, own(call.pairedValue))};
        const Tensor query = own(call.query);
        Tensor out = Tensor::empty(query.shape());
        ScratchArena scratch;
        attendSharded(device, plan,
                      {.queryLength = call.pairs.queryLength(),
                       .keyLength = call.pairs.queryLength(),
                       .query = query,
                       .key = own(call.key),
                       .value = own(call.value),
                       .paired = &paired,
                       .scale = 1.0 / std::sqrt(static_cast<double>(pairedWidth))},
                      out, scratch);
        const std::int64_t first = shardRange(call.pairs.queryLength(), devices, position).begin;
        for (std::int64_t batch = 0; batch < out.extent(0); ++batch)
            for (std::int64_t token = 0; token < out.extent(1); ++token)
                for (std::int64_t head = 0; head < pairedHeads; ++head) {
                    const std::vector<double> expected = attended(call, batch, first + token, head);
                    const std::span<const float> found = headRow(out, batch, token, head);
                    for (std::size_t i = 0; i < expected.size(); ++i)
                        ASSERT_NEAR(static_cast<double>(found[i]), expected[i], 2e-5)
                            << "token " << first + token << ", head " << head;
                }
    });
}

TEST(PairedKeys, AreOneSoftmaxWithTheSequencesInEveryModeOnAnyMesh) {
    const PairedCall call;
    for (const AttentionMode& mode : attentionModes()) {
        if (!mode.runs())
            continue;
        for (const int devices : {1, 2, 3, 4}) {
            AttentionSettings settings{.mode = &mode};
            if (mode.hybrid()) {
                if (devices % 2 != 0)
                    continue;
                settings.ulyssesShards = 2;
            }
            for (const int chunks : {1, 2}) {
                settings.chunks = chunks;
                SCOPED_TRACE(std::string(mode.name) + " on " + std::to_string(devices) + " in " +
                             std::to_string(chunks));
                expectAttended(call, settings, devices);
            }
        }
    }
}

TEST(PairedKeys, MayBeFewerThanDevices) {
    PairedCall call;
    call.pairs = {.tokensPerFrame = 1, .frames = 2};
    call.query = PairedCall::tensorOf(2, 1);
    call.key = PairedCall::tensorOf(2, 2);
    call.value = PairedCall::tensorOf(2, 3);
    call.pairedKey = PairedCall::tensorOf(1, 4);
    call.pairedValue = PairedCall::tensorOf(1, 5);
    expectAttended(call, {.mode = findAttentionMode("ulysses")}, 4);
    expectAttended(call, {.mode = findAttentionMode("tokamax_ring")}, 4);
}

TEST(PairedShare, IsOfWholeFramesWhereTheQueriesAre) {
    const FramePairs pairs{.tokensPerFrame = 6, .frames = 4};  // 24 queries, 18 keys
    const auto planOf = [](std::string_view mode) {
        return planAttention({.mode = findAttentionMode(mode)},
                             {.queryLength = 24, .keyLength = 24, .heads = 5, .contextDevices = 3});
    };
    const AttentionPlan ring = planOf("tokamax_ring");  // 8 queries each
    EXPECT_EQ(pairedShare(ring, pairs, 0).tokens, (ShardRange{0, 6})) << "frame 0 sees none";
    EXPECT_EQ(pairedShare(ring, pairs, 1).tokens, (ShardRange{0, 12}));
    EXPECT_EQ(pairedShare(ring, pairs, 2).tokens, (ShardRange{6, 18}));
    EXPECT_THAT(pairedShare(ring, pairs, 2).heads, ElementsAre(ShardRange{0, 5}));
    const AttentionPlan ulysses = planOf("ulysses");
    EXPECT_EQ(pairedShare(ulysses, pairs, 2).tokens, (ShardRange{0, 18}));
    EXPECT_THAT(pairedShare(ulysses, pairs, 0).heads, ElementsAre(ShardRange{0, 2}));
    EXPECT_THAT(pairedShare(ulysses, pairs, 2).heads, ElementsAre(ShardRange{4, 5}));

    const std::vector<QueryKeyPair> parts = pairsOf(pairs, pairedShare(ring, pairs, 1), {8, 16});
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].firstQuery, 0);
    EXPECT_EQ(parts[0].queries, 4);
    EXPECT_EQ(parts[0].firstKey, 0);
    EXPECT_EQ(parts[1].firstQuery, 4);
    EXPECT_EQ(parts[1].queries, 4);
    EXPECT_EQ(parts[1].firstKey, 6);
    EXPECT_EQ(parts[1].keys, 6);
}

TEST(PairedKeys, OfAnotherSizeAreRefused) {
    const PairedCall call;
    const AttentionPlan plan = planAttention({.mode = findAttentionMode("flash")},
                                             {.queryLength = 35, .keyLength = 35, .heads = pairedHeads});
    WorkerPool pool({.workers = 1});
    LoneDevice lone({pool, {}});
    EXPECT_THROW(static_cast<void>(gatherPaired(lone.device(), plan, call.pairs, call.key)), Error);
    const PairedKeys paired{.pairs = call.pairs, .key = {call.key}, .value = {call.value}};
    Tensor out = Tensor::empty(call.query.shape());
    ScratchArena scratch;
    EXPECT_THROW(attendSharded(lone.device(), plan,
                               {.queryLength = 35,
                                .keyLength = 35,
                                .query = call.query,
                                .key = call.key,
                                .value = call.value,
                                .paired = &paired,
                                .scale = 1},
                               out, scratch),
                 Error);
}

}  // namespace
}  // namespace meshreel
