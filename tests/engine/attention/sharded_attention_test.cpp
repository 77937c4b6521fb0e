// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/sharded_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_volume.h"
#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/tensor_memory.h"
#include "tests/support/attention_reference.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

using testing::Mask;
using testing::WholeAttention;
using testing::WholeShape;

/// Tokens [begin, end) of every batch element.
Tensor tokenCount(const Tensor& whole, const ShardRange& tokens) {
    Tensor shard =
        Tensor::empty({whole.extent(0), tokens.size(), whole.extent(2), whole.extent(3)}, whole.dtype());
    const auto tokenBytes =
        static_cast<std::size_t>(whole.extent(2) * whole.extent(3)) * byteSize(whole.dtype());
    for (std::int64_t batch = 0; batch < whole.extent(0); ++batch)
        std::memcpy(
            shard.raw() + static_cast<std::size_t>(batch * tokens.size()) * tokenBytes,
            whole.raw() + static_cast<std::size_t>(batch * whole.extent(1) + tokens.begin) * tokenBytes,
            static_cast<std::size_t>(tokens.size()) * tokenBytes);
    return shard;
}

WholeAttention roundedAttention(WholeAttention attention) {
    for (Tensor* tensor : {&attention.query, &attention.key, &attention.value})
        *tensor = testing::toBf16(*tensor).toF32();
    return attention;
}

/// What one device found.
struct Finding {
    double error = 0.0;
    std::int64_t received = 0;
    AttentionReport report;
    Tensor out;
};

struct Case {
    AttentionSettings settings;
    const WholeAttention* attention = nullptr;
    const std::vector<double>* expected = nullptr;
    DType type = DType::F32;
    bool keysSharded = true;
    std::vector<BiasedKeys> biased = {};
    std::int64_t tokensPerFrame = 1;

    [[nodiscard]] std::string text() const {
        const auto& query = attention->query;
        return std::string(settings.mode->name) + " U " + std::to_string(settings.ulyssesShards) +
               " chunks " + std::to_string(settings.chunks) + " base2 " + std::to_string(settings.base2) +
               " uniform " + std::to_string(settings.uniformSharding) + " of " + query.shape().text() +
               " keys " + std::to_string(attention->key.extent(1)) +
               (attention->keyMask.empty() ? "" : " masked");
    }
};

AttentionPlan planned(const Case& test, int devices) {
    return planAttention(test.settings, {.queryLength = test.attention->query.extent(1),
                                         .keyLength = test.attention->key.extent(1),
                                         .heads = test.attention->query.extent(2),
                                         .contextDevices = devices,
                                         .keysSharded = test.keysSharded});
}

Finding attendCase(Device& device, const Case& test) {
    const WholeAttention& whole = *test.attention;
    const int devices = device.along(MeshAxis::Context).size();
    const std::int64_t queries = whole.query.extent(1);
    const std::int64_t keys = whole.key.extent(1);
    const ShardRange tokens = shardRange(queries, devices, device.at().context);
    const ShardRange keyTokens =
        test.keysSharded ? shardRange(keys, devices, device.at().context) : ShardRange{0, keys};
    const auto typed = [&](Tensor tensor) {
        return test.type == DType::BF16 ? testing::toBf16(tensor) : tensor;
    };
    const ShardedAttentionInputs inputs{.queryLength = queries,
                                        .keyLength = keys,
                                        .query = typed(tokenCount(whole.query, tokens)),
                                        .key = typed(tokenCount(whole.key, keyTokens)),
                                        .value = typed(tokenCount(whole.value, keyTokens)),
                                        .keyMask = whole.keyMask,
                                        .biasedKeys = test.biased,
                                        .tokensPerFrame = test.tokensPerFrame,
                                        .scale = whole.scale};
    Tensor out = Tensor::empty(inputs.query.shape(), test.type);
    ScratchArena scratch(Tensor::empty({1 << 12}));
    Finding finding;
    const std::int64_t before = device.counters().bytesReceived;
    finding.report = attendSharded(device, planned(test, devices), inputs, out, scratch);
    finding.received = device.counters().bytesReceived - before;

    finding.out = out;
    const Tensor result = out.toF32();
    const std::int64_t rowWidth = whole.query.extent(2) * whole.query.extent(3);
    for (std::int64_t i = 0; i < result.elements(); ++i) {
        const std::int64_t row = i / rowWidth;
        const std::int64_t at =
            ((row / tokens.size() * queries) + tokens.begin + row % tokens.size()) * rowWidth + i % rowWidth;
        const double error = std::abs(static_cast<double>(result.data<float>()[static_cast<std::size_t>(i)]) -
                                      (*test.expected)[static_cast<std::size_t>(at)]);
        finding.error = error <= finding.error ? finding.error : error;  // NaN sticks
    }
    return finding;
}

/// Runs all cases on one mesh: [case][device].
std::vector<std::vector<Finding>> attendCases(int devices, const std::vector<Case>& cases, int workers = 1) {
    std::vector<std::vector<Finding>> findings(cases.size(),
                                               std::vector<Finding>(static_cast<std::size_t>(devices)));
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = workers});
    mesh.run({}, nullptr, [&](Device& device) {
        for (std::size_t i = 0; i < cases.size(); ++i)
            findings[i][static_cast<std::size_t>(device.index())] = attendCase(device, cases[i]);
    });
    return findings;
}

/// Every legal settings of every mode on `devices` devices for 24 heads.
std::vector<AttentionSettings> everySettings(int devices, std::int64_t heads, std::int64_t smallHeadDim) {
    std::vector<AttentionSettings> all;
    for (const AttentionMode& mode : attentionModes())
        for (int shards = -1; shards <= devices; ++shards)
            for (const int chunks : {1, 2, 3, 5})
                for (const bool base2 : {true, false})
                    for (const bool uniform : {true, false}) {
                        const AttentionSettings settings{
                            .mode = &mode,
                            .blocks = {.blockQ = 5, .blockKv = 8, .blockKvCompute = 4, .blockKvComputeIn = 3},
                            .base2 = base2,
                            .ulyssesShards = shards,
                            .chunks = chunks,
                            .uniformSharding = uniform};
                        const bool pointless =
                            (!mode.hybrid() && shards != -1) || (!mode.chunked() && chunks != 1) ||
                            (!base2 && (mode.kernel < AttentionKernel::Custom || chunks != 1)) ||
                            (mode.exchange != Exchange::Gather && !uniform);
                        if (!pointless &&
                            attentionProblems(settings, heads, smallHeadDim, devices, 1).empty())
                            all.push_back(settings);
                    }
    return all;
}

constexpr std::int64_t heads = 24;  // divides by every number of devices that is tried
constexpr std::int64_t smallHeadDim = 8;

std::vector<WholeShape> shapes() {
    return {
        {.batch = 2, .queries = 37, .keys = 37, .heads = heads, .mask = Mask::Random},
        {.batch = 1, .queries = 24, .keys = 24, .heads = heads},
        {.batch = 2, .queries = 13, .keys = 29, .heads = heads, .mask = Mask::Tail},
        {.batch = 3, .queries = 9, .keys = 7, .heads = heads, .mask = Mask::OneRowEmpty},
        {.batch = 1, .queries = 3, .keys = 5, .heads = heads, .gain = 6.0F},
        {.batch = 1, .queries = 1, .keys = 11, .heads = heads},
        {.batch = 2, .queries = 10, .keys = 1, .heads = heads},
    };
}

class EveryMode : public ::testing::TestWithParam<int> {};

TEST_P(EveryMode, IsTheAttentionOfTheWholeSequenceAndMovesWhatTheFormulaSays) {
    const int devices = GetParam();
    std::vector<WholeAttention> attentions;
    std::vector<std::vector<double>> expected;
    for (const WholeShape& shape : shapes()) {
        attentions.push_back(testing::randomAttention(shape, 11));
        expected.push_back(testing::referenceAttention(attentions.back()));
    }
    std::vector<Case> cases;
    for (const AttentionSettings& settings : everySettings(devices, heads, smallHeadDim))
        for (std::size_t i = 0; i < attentions.size(); ++i)
            cases.push_back({.settings = settings, .attention = &attentions[i], .expected = &expected[i]});
    const auto findings = attendCases(devices, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& test = cases[i];
        SCOPED_TRACE(test.text());
        const AttentionDimensions dimensions{.batch = test.attention->query.extent(0),
                                             .queryLength = test.attention->query.extent(1),
                                             .keyLength = test.attention->key.extent(1),
                                             .heads = heads,
                                             .headDim = smallHeadDim};
        const std::vector<CollectiveVolume> volume = attentionVolume(planned(test, devices), dimensions);
        const int ring = contextSplit(test.settings, devices).ring;
        for (int device = 0; device < devices; ++device) {
            const auto index = static_cast<std::size_t>(device);
            const Finding& finding = findings[i][index];
            ASSERT_LE(finding.error, 2e-5) << "device " << device;
            std::int64_t bytes = 0;
            for (const CollectiveVolume& collective : volume)
                bytes += collective.bytesReceived[index];
            ASSERT_EQ(finding.received, bytes) << "device " << device;
            ASSERT_EQ(finding.report.effectiveMode, test.settings.mode->name);
            ASSERT_EQ(finding.report.rotations,
                      test.settings.mode->rotation == Rotation::None ? 0 : ring - 1);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryMode, ::testing::Values(1, 2, 3, 4, 6, 8), testing::PrintedName());

/// Keys of a video of frames that get biases, in two neighbouring ranges and at the very beginning.
struct TimedVideo {
    static constexpr std::int64_t tokensPerFrame = 8;

    explicit TimedVideo(std::int64_t batch)
        : attention(
              testing::randomAttention({.batch = batch, .queries = 37, .keys = 29, .heads = heads}, 31)) {
        attention.bias.assign(37 * 29, 0.0F);
        for (const BiasedKeys& range : biased())
            for (std::int64_t query = 0; query < 37; ++query)
                for (std::int64_t key = range.keys.begin; key < range.keys.end; ++key)
                    attention.bias[static_cast<std::size_t>(query * 29 + key)] =
                        range.ofFrames[static_cast<std::size_t>(query / tokensPerFrame)];
    }

    [[nodiscard]] std::vector<BiasedKeys> biased() const {
        return {{{0, 4}, frames[0]}, {{9, 15}, frames[1]}, {{15, 15}, frames[1]}, {{15, 20}, frames[2]}};
    }

    std::vector<std::vector<float>> frames{{0.0F, -1.5F, -24.0F, -7730.0F, -7730.0F},
                                           {-95.0F, -2.0F, 0.0F, -2.0F, -95.0F},
                                           {-7.0F, -7.0F, -0.5F, 0.0F, 0.0F}};
    WholeAttention attention;
};

class BiasedEveryMode : public ::testing::TestWithParam<int> {};

TEST_P(BiasedEveryMode, AddsTheBiasOfEachFrameExactly) {
    const int devices = GetParam();
    const TimedVideo one(1);
    const TimedVideo two(2);
    const std::vector<double> expectedOne = testing::referenceAttention(one.attention);
    const std::vector<double> expectedTwo = testing::referenceAttention(two.attention);
    const WholeAttention narrow = roundedAttention(one.attention);
    const std::vector<double> expectedNarrow = testing::referenceAttention(narrow);
    std::vector<Case> cases;
    for (const AttentionSettings& settings : everySettings(devices, heads, smallHeadDim))
        for (const bool sharded : {true, false}) {
            if (settings.chunks > 2)
                continue;
            const auto add = [&](const TimedVideo& video, const WholeAttention& attention,
                                 const std::vector<double>& expected, DType type) {
                cases.push_back({.settings = settings,
                                 .attention = &attention,
                                 .expected = &expected,
                                 .type = type,
                                 .keysSharded = sharded,
                                 .biased = video.biased(),
                                 .tokensPerFrame = TimedVideo::tokensPerFrame});
            };
            add(one, one.attention, expectedOne, DType::F32);
            add(two, two.attention, expectedTwo, DType::F32);
            add(one, narrow, expectedNarrow, DType::BF16);
        }
    const auto findings = attendCases(devices, cases);
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (const Finding& finding : findings[i])
            ASSERT_LE(finding.error, cases[i].type == DType::BF16 ? 2e-2 : 2e-5) << cases[i].text();
}

INSTANTIATE_TEST_SUITE_P(Devices, BiasedEveryMode, ::testing::Values(1, 2, 4, 6), testing::PrintedName());

TEST(ShardedAttention, BiasesOfOtherKeysOrFramesAreDefects) {
    const TimedVideo video(1);
    const std::vector<double> expected = testing::referenceAttention(video.attention);
    const auto run = [&](std::vector<BiasedKeys> biased, std::int64_t tokensPerFrame) {
        attendCases(1, {{.settings = everySettings(1, heads, smallHeadDim).front(),
                         .attention = &video.attention,
                         .expected = &expected,
                         .biased = std::move(biased),
                         .tokensPerFrame = tokensPerFrame}});
    };
    EXPECT_NO_THROW(run(video.biased(), TimedVideo::tokensPerFrame));
    EXPECT_THROW(run(video.biased(), 7), Error);  // frames for 35 of 37 tokens
    EXPECT_THROW(run({{{28, 30}, video.frames[0]}}, TimedVideo::tokensPerFrame), Error);
    EXPECT_THROW(run({{{3, 5}, video.frames[0]}, {{4, 6}, video.frames[0]}}, TimedVideo::tokensPerFrame),
                 Error);
}

/// The least settings with which each mode runs on `devices` devices.
std::vector<AttentionSettings> oneOfEachMode(int devices) {
    std::vector<AttentionSettings> all;
    for (const AttentionSettings& settings : everySettings(devices, heads, smallHeadDim))
        if (all.empty() || all.back().mode != settings.mode)
            all.push_back(settings);
    return all;
}

TEST(ShardedAttention, StoresBFloat16AndComputesInFloats) {
    const WholeAttention attention = roundedAttention(testing::randomAttention(
        {.batch = 2, .queries = 21, .keys = 30, .heads = heads, .mask = Mask::Random}, 5));
    const std::vector<double> expected = testing::referenceAttention(attention);
    for (const int devices : {1, 4}) {
        std::vector<Case> cases;
        for (AttentionSettings settings : everySettings(devices, heads, smallHeadDim))
            if (settings.base2 && settings.chunks < 3)
                cases.push_back({.settings = settings,
                                 .attention = &attention,
                                 .expected = &expected,
                                 .type = DType::BF16});
        const auto findings = attendCases(devices, cases);
        for (std::size_t i = 0; i < cases.size(); ++i)
            for (const Finding& finding : findings[i])
                ASSERT_LE(finding.error, 2e-2) << cases[i].text();
    }
}

TEST(ShardedAttention, LoudHeadsAreAsExact) {
    for (const float gain : {6.0F, 40.0F}) {
        const WholeAttention attention = testing::randomAttention(
            {.batch = 1, .queries = 40, .keys = 40, .heads = 6, .headDim = 64, .gain = gain}, 17);
        const std::vector<double> expected = testing::referenceAttention(attention);
        for (const int devices : {1, 2, 3}) {
            std::vector<Case> cases;
            for (const AttentionSettings& settings : everySettings(devices, 6, 64))
                cases.push_back({.settings = settings, .attention = &attention, .expected = &expected});
            const auto findings = attendCases(devices, cases);
            for (std::size_t i = 0; i < cases.size(); ++i)
                for (const Finding& finding : findings[i])
                    ASSERT_LE(finding.error, 2e-5) << cases[i].text() << " gain " << gain;
        }
    }
}

/// Makes query and key of a head of a batch row so large that no bound of its scores serves.
void makeLoud(WholeAttention& attention, std::int64_t row, std::int64_t head) {
    constexpr float gain = 7.0F;
    for (Tensor* tensor : {&attention.query, &attention.key}) {
        const std::int64_t width = tensor->extent(3);
        for (std::int64_t token = 0; token < tensor->extent(1); ++token) {
            const std::int64_t at = ((row * tensor->extent(1) + token) * tensor->extent(2) + head) * width;
            for (float& value :
                 tensor->data<float>().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(width)))
                value *= gain;
        }
    }
}

/// A head is what the device says for which it went worst.
FixedMOutcome ofAllDevices(const std::vector<Finding>& findings) {
    FixedMOutcome all = findings.front().report.fixedM;
    for (const Finding& finding : findings)
        std::ranges::transform(all.heads, finding.report.fixedM.heads, all.heads.begin(),
                               [](FixedMHead a, FixedMHead b) { return std::max(a, b); });
    return all;
}

TEST(ShardedAttention, LoudHeadsFallBackFromFixedMBesideOthersThatDoNot) {
    constexpr std::int64_t mixedHeads = 12;
    WholeAttention attention = testing::randomAttention(
        {.batch = 2, .queries = 41, .keys = 43, .heads = mixedHeads, .headDim = 64}, 23);
    makeLoud(attention, 0, 3);
    makeLoud(attention, 1, 3);
    makeLoud(attention, 1, 10);
    for (const DType type : {DType::F32, DType::BF16}) {
        const WholeAttention given = type == DType::BF16 ? roundedAttention(attention) : attention;
        const std::vector<double> expected = testing::referenceAttention(given);
        for (const int devices : {1, 2, 4}) {
            std::vector<Case> cases;
            for (const AttentionSettings& settings : everySettings(devices, mixedHeads, 64))
                if (settings.mode->kernel == AttentionKernel::CustomFixedM)
                    cases.push_back(
                        {.settings = settings, .attention = &given, .expected = &expected, .type = type});
            ASSERT_FALSE(cases.empty());
            const auto findings = attendCases(devices, cases);
            for (std::size_t i = 0; i < cases.size(); ++i) {
                SCOPED_TRACE(cases[i].text());
                for (const Finding& finding : findings[i]) {
                    ASSERT_LE(finding.error, type == DType::BF16 ? 5e-2 : 2e-5);
                    ASSERT_GT(finding.report.fixedM.boundedBlocks, 0);
                }
                const FixedMOutcome all = ofAllDevices(findings[i]);
                ASSERT_EQ(all.count(FixedMHead::BoundTooLarge), 3);
                ASSERT_EQ(all.count(FixedMHead::Bounded), 2 * mixedHeads - 3);
                ASSERT_EQ(all.heads[3], FixedMHead::BoundTooLarge);
                ASSERT_EQ(all.heads[mixedHeads + 10], FixedMHead::BoundTooLarge);
            }
        }
    }
}

// Six loud queries of one head: with a bound for the whole head, none of its blocks runs on it.
TEST(ShardedAttention, ABoundPerBlockLeavesTheOtherBlocksOfAHeadOnIt) {
    WholeAttention attention =
        testing::randomAttention({.batch = 1, .queries = 96, .keys = 96, .heads = 4, .headDim = 64}, 29);
    constexpr float gain = 60.0F;
    constexpr std::int64_t loudHead = 2;
    for (std::int64_t token = 50; token < 56; ++token)
        for (std::int64_t column = 0; column < 64; ++column)
            attention.query.data<float>()[static_cast<std::size_t>((token * 4 + loudHead) * 64 + column)] *=
                gain;
    const std::vector<double> expected = testing::referenceAttention(attention);
    for (const int devices : {1, 2, 4})
        for (const int workers : {1, 3}) {
            std::vector<Case> cases;
            for (const AttentionMode& mode : attentionModes())
                if (mode.kernel == AttentionKernel::CustomFixedM)
                    cases.push_back({.settings = {.mode = &mode,
                                                  .blocks = {.blockQ = 12, .blockKv = 32},
                                                  .ulyssesShards = mode.hybrid() ? 1 : -1},
                                     .attention = &attention,
                                     .expected = &expected});
            ASSERT_EQ(cases.size(), 4U);
            const auto findings = attendCases(devices, cases, workers);
            for (std::size_t i = 0; i < cases.size(); ++i) {
                SCOPED_TRACE(cases[i].text());
                const AttentionMode& mode = *cases[i].settings.mode;
                const int shards = mode.hybrid() ? devices : 1;
                std::int64_t bounded = 0;
                std::int64_t fallback = 0;
                for (const Finding& finding : findings[i]) {
                    ASSERT_LE(finding.error, 2e-5);
                    bounded += finding.report.fixedM.boundedBlocks;
                    fallback += finding.report.fixedM.fallbackBlocks;
                }
                // Eight blocks of twelve queries in a head; those from 48 to 60 are loud.
                const int loudQueries = mode.hybrid() ? 96 / devices : 96;
                EXPECT_EQ(fallback, (mode.boundPerBlock ? 1 : loudQueries / 12) * shards);
                EXPECT_EQ(bounded + fallback, 4 * 8 * shards);
                EXPECT_EQ(ofAllDevices(findings[i]).count(FixedMHead::BoundTooLarge), 1);
            }
        }
}

TEST(ShardedAttention, KeysHeldByEveryDeviceAreNotExchanged) {
    const WholeAttention attention = testing::randomAttention(
        {.batch = 2, .queries = 19, .keys = 12, .heads = heads, .mask = Mask::Tail}, 7);
    const std::vector<double> expected = testing::referenceAttention(attention);
    for (const int devices : {1, 3}) {
        std::vector<Case> cases;
        for (const AttentionSettings& settings : oneOfEachMode(devices))
            cases.push_back(
                {.settings = settings, .attention = &attention, .expected = &expected, .keysSharded = false});
        const auto findings = attendCases(devices, cases);
        for (std::size_t i = 0; i < cases.size(); ++i)
            for (const Finding& finding : findings[i]) {
                EXPECT_LE(finding.error, 2e-5) << cases[i].text();
                EXPECT_EQ(finding.received, 0);
                EXPECT_EQ(finding.report.rotations, 0);
            }
    }
}

TEST(ShardedAttention, ShortSequencesUseDotProductAndSaySo) {
    const WholeAttention attention =
        testing::randomAttention({.batch = 1, .queries = 19, .keys = 12, .heads = heads}, 7);
    const std::vector<double> expected = testing::referenceAttention(attention);
    constexpr int devices = 4;
    std::vector<Case> cases;
    for (AttentionSettings settings : oneOfEachMode(devices)) {
        settings.flashMinSeqLength = 13;
        cases.push_back({.settings = settings, .attention = &attention, .expected = &expected});
    }
    const auto findings = attendCases(devices, cases);
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (const Finding& finding : findings[i]) {
            const AttentionMode& mode = *cases[i].settings.mode;
            EXPECT_LE(finding.error, 2e-5) << cases[i].text();
            EXPECT_EQ(finding.report.effectiveMode, mode.minimumLength ? "dot_product" : mode.name);
        }
}

TEST(ShardedAttention, WorkersDoNotChangeABit) {
    const WholeAttention attention = testing::randomAttention(
        {.batch = 2, .queries = 26, .keys = 26, .heads = heads, .mask = Mask::Random}, 3);
    const std::vector<double> expected = testing::referenceAttention(attention);
    std::vector<Case> cases;
    for (const AttentionSettings& settings : oneOfEachMode(4))
        cases.push_back({.settings = settings, .attention = &attention, .expected = &expected});
    const auto one = attendCases(4, cases, 1);
    const auto three = attendCases(4, cases, 3);
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (std::size_t device = 0; device < one[i].size(); ++device)
            EXPECT_EQ(
                std::memcmp(one[i][device].out.raw(), three[i][device].out.raw(), one[i][device].out.bytes()),
                0)
                << cases[i].text();
}

TEST(ShardedAttention, HeadsOfATileHaveTheBitsOfHeadsAlone) {
    const WholeAttention attention = testing::randomAttention(
        {.batch = 2, .queries = 26, .keys = 26, .heads = heads, .mask = Mask::Random}, 3);
    const std::vector<double> expected = testing::referenceAttention(attention);
    std::vector<Case> alone;
    std::vector<Case> together;
    for (AttentionSettings settings : oneOfEachMode(4)) {
        if (!settings.mode->headsPerTile)
            continue;
        alone.push_back({.settings = settings, .attention = &attention, .expected = &expected});
        settings.blocks.headsPerTile = 5;
        together.push_back({.settings = settings, .attention = &attention, .expected = &expected});
    }
    ASSERT_EQ(alone.size(), 4U);
    const auto one = attendCases(4, alone);
    const auto five = attendCases(4, together);
    for (std::size_t i = 0; i < alone.size(); ++i)
        for (std::size_t device = 0; device < one[i].size(); ++device)
            EXPECT_EQ(
                std::memcmp(one[i][device].out.raw(), five[i][device].out.raw(), one[i][device].out.bytes()),
                0)
                << alone[i].text();
}

/// Shards of query, key, value or output that the second device of four takes, at most, besides those it was
/// given.
double peakShards(const AttentionSettings& settings, DType type = DType::F32) {
    constexpr int devices = 4;
    const AttentionPlan plan = planAttention(
        settings, {.queryLength = 64, .keyLength = 64, .heads = heads, .contextDevices = devices});
    const WholeAttention attention =
        testing::randomAttention({.batch = 1, .queries = 64, .keys = 64, .heads = heads, .headDim = 32}, 7);
    const auto meter = std::make_shared<MemoryMeter>();
    std::size_t shard = 0;
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const ShardRange tokens = shardRange(64, devices, device.index());
        const auto part = [&](const Tensor& whole) {
            const Tensor floats = tokenCount(whole, tokens);
            return type == DType::BF16 ? testing::toBf16(floats) : floats;
        };
        const ShardedAttentionInputs inputs{.queryLength = 64,
                                            .keyLength = 64,
                                            .query = part(attention.query),
                                            .key = part(attention.key),
                                            .value = part(attention.value),
                                            .scale = attention.scale};
        Tensor out = Tensor::empty(inputs.query.shape(), type);
        std::optional<MeterScope> scope;
        if (device.index() == 1) {
            scope.emplace(meter);
            shard = out.bytes();
        }
        ScratchArena scratch;
        attendSharded(device, plan, inputs, out, scratch);
    });
    return static_cast<double>(meter->peak()) / static_cast<double>(shard);
}

TEST(ShardedAttention, TakesTheMemoryThatTheHeaderSays) {
    constexpr double statistics = 2.0 / 32.0;  // maxima and sums of heads of 32, in f32
    const auto settings = [](std::string_view mode, int chunks = 1, int shards = -1) {
        return AttentionSettings{.mode = findAttentionMode(mode), .ulyssesShards = shards, .chunks = chunks};
    };
    EXPECT_DOUBLE_EQ(peakShards(settings("flash")), 8);
    EXPECT_DOUBLE_EQ(peakShards(settings("ulysses")), 2);
    EXPECT_LE(peakShards(settings("ulysses", 2)), 4);
    EXPECT_LE(peakShards(settings("ulysses", 6)), 4);
    EXPECT_DOUBLE_EQ(peakShards(settings("tokamax_ring")), statistics) << "keys are read in place";
    EXPECT_DOUBLE_EQ(peakShards(settings("tokamax_ring"), DType::BF16), 2 + 2 * statistics);
    EXPECT_DOUBLE_EQ(peakShards(settings("ulysses_ring", 1, 2)), 2 + statistics);
    EXPECT_LE(peakShards(settings("ulysses_ring", 3, 2)), 4 + statistics);
    EXPECT_DOUBLE_EQ(peakShards(settings("ulysses_ring_custom_bidir", 1, 1)), statistics);
    EXPECT_DOUBLE_EQ(peakShards(settings("ulysses_ring_custom_bidir", 1, 2)), 2 + statistics);
}

TEST(ShardedAttention, TakesNoMoreThanIsPlanned) {
    constexpr int devices = 4;
    for (const AttentionMode& mode : attentionModes())
        for (const int ulysses : {1, 2, 4})
            for (const int chunks : {1, 2, 3})
                for (const DType type : {DType::F32, DType::BF16}) {
                    const AttentionSettings settings{
                        .mode = &mode, .ulyssesShards = mode.hybrid() ? ulysses : -1, .chunks = chunks};
                    if (!mode.runs() || !attentionProblems(settings, heads, 32, devices, 1).empty())
                        continue;
                    const double statistics = type == DType::BF16 ? 4.0 / 32.0 : 2.0 / 32.0;
                    const AttentionPlan plan = planAttention(
                        settings,
                        {.queryLength = 64, .keyLength = 64, .heads = heads, .contextDevices = devices});
                    EXPECT_LE(peakShards(settings, type),
                              plan.exchangedShards(type, RingMemory::Shared) + statistics)
                        << mode.name << ", ulysses_shards " << ulysses << ", chunks " << chunks;
                }
}

TEST(ShardedAttention, ReportsWhatADeviceComputed) {
    const WholeAttention attention =
        testing::randomAttention({.batch = 1, .queries = 21, .keys = 21, .heads = heads}, 7);
    const std::vector<double> expected = testing::referenceAttention(attention);
    const auto reportOf = [&](AttentionSettings settings, std::size_t device) {
        return attendCases(6, {{.settings = settings, .attention = &attention, .expected = &expected}})
            .front()[device]
            .report;
    };
    const AttentionReport hybrid =
        reportOf({.mode = findAttentionMode("ulysses_ring"), .ulyssesShards = 3, .chunks = 2}, 4);
    EXPECT_EQ(hybrid.heads, (ShardRange{4, 8}));
    EXPECT_EQ(hybrid.queryTokens, (ShardRange{12, 21}));
    EXPECT_EQ(hybrid.rotations, 1);
    const AttentionReport ring = reportOf({.mode = findAttentionMode("tokamax_ring")}, 5);
    EXPECT_EQ(ring.heads, (ShardRange{0, 24}));
    EXPECT_EQ(ring.queryTokens, (ShardRange{20, 21}));
    EXPECT_EQ(ring.rotations, 5);
}

TEST(ShardedAttention, RefusesThePlanOfAnotherMeshOrModel) {
    const WholeAttention attention =
        testing::randomAttention({.batch = 1, .queries = 8, .keys = 8, .heads = 4}, 1);
    const AttentionSettings ulysses{.mode = findAttentionMode("ulysses")};
    const auto run = [&](const AttentionPlan& plan) {
        DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .workersPerDevice = 1});
        mesh.run({}, nullptr, [&](Device& device) {
            const ShardRange own = shardRange(8, 2, device.index());
            const ShardedAttentionInputs inputs{.queryLength = 8,
                                                .keyLength = 8,
                                                .query = tokenCount(attention.query, own),
                                                .key = tokenCount(attention.key, own),
                                                .value = tokenCount(attention.value, own),
                                                .scale = attention.scale};
            Tensor out = Tensor::empty(inputs.query.shape());
            ScratchArena scratch;
            attendSharded(device, plan, inputs, out, scratch);
        });
    };
    EXPECT_NO_THROW(run(planAttention(ulysses, {.heads = 4, .contextDevices = 2})));
    EXPECT_THROW(run(planAttention(ulysses, {.heads = 4, .contextDevices = 4})), Error);
    EXPECT_THROW(run(planAttention(ulysses, {.heads = 8, .contextDevices = 2})), Error);
}

TEST(ShardedAttention, RefusesTensorsOfWrongShape) {
    DeviceMesh mesh({.layout = MeshLayout({.context = 1})});
    EXPECT_THROW(mesh.run({}, nullptr,
                          [](Device& device) {
                              Tensor out = Tensor::empty({1, 4, 2, 8});
                              ScratchArena scratch;
                              attendSharded(device, planAttention({}, {.heads = 2}),
                                            {.queryLength = 4,
                                             .keyLength = 5,
                                             .query = Tensor::zeros({1, 4, 2, 8}),
                                             .key = Tensor::zeros({1, 4, 2, 8}),
                                             .value = Tensor::zeros({1, 4, 2, 8}),
                                             .scale = 1.0},
                                            out, scratch);
                          }),
                 Error);
}

}  // namespace
}  // namespace meshreel
