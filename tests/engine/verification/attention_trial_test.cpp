// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_trial.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

AttentionCase oddCase(std::string_view mode, int devices) {
    return {.settings = {.mode = findAttentionMode(mode)},
            .devices = devices,
            .batch = 2,
            .heads = 6,
            .queryLength = 37,
            .keyLength = 53,
            .headDim = 20,
            .seed = 9};
}

AttentionMeasurement trialOf(const AttentionCase& attention, const TrialOptions& options = {}) {
    DeviceMesh mesh(trialMesh(attention));
    return runTrial(mesh, attention, options, {});
}

/// Key of the first problem; empty when the case is legal.
std::string problemOf(const AttentionCase& attention) {
    const auto problems = caseProblems(attention);
    for (const Problem& problem : problems) {
        EXPECT_NE(problem.message, "");
        EXPECT_NE(problem.hint(), "");
    }
    return problems.empty() ? "" : problems.front().key;
}

TEST(AttentionMeasurement, OneDeviceMovesNothing) {
    const AttentionMeasurement trial = trialOf(oddCase("flash", 1));
    EXPECT_LE(trial.maxAbsError, 2e-5);
    EXPECT_GT(trial.maxAbsError, 0);
    EXPECT_LT(trial.meanAbsError, trial.maxAbsError);
    EXPECT_GT(trial.seconds, 0);
    EXPECT_EQ(trial.bytesMoved, 0);
    EXPECT_EQ(trial.rotations, 0);
    EXPECT_EQ(trial.effectiveMode, "flash");
    ASSERT_EQ(trial.devices.size(), 1U);
    EXPECT_EQ(trial.devices[0].heads, (ShardRange{0, 6}));
    EXPECT_EQ(trial.devices[0].queryTokens, (ShardRange{0, 37}));
}

TEST(AttentionMeasurement, ARingRotatesAllKeysPastAllQueries) {
    const AttentionMeasurement trial = trialOf(oddCase("tokamax_ring", 3));
    EXPECT_LE(trial.maxAbsError, 2e-5);
    EXPECT_EQ(trial.rotations, 2);
    // Each device receives the keys and values of the others once.
    EXPECT_EQ(trial.bytesMoved, 2 * 2 * (2 * 53 * 6 * 20) * 4);
    ASSERT_EQ(trial.devices.size(), 3U);
    EXPECT_EQ(trial.devices[0].queryTokens, (ShardRange{0, 13}));
    EXPECT_EQ(trial.devices[2].queryTokens, (ShardRange{26, 37}));
    for (const DeviceMeasurement& device : trial.devices) {
        EXPECT_EQ(device.heads, (ShardRange{0, 6}));
        EXPECT_GE(device.waitSeconds, 0);
        EXPECT_GE(device.computeSeconds, 0);
    }
}

TEST(AttentionMeasurement, UlyssesTradesTokensForHeads) {
    const AttentionMeasurement trial = trialOf(oddCase("ulysses", 3));
    EXPECT_LE(trial.maxAbsError, 2e-5);
    EXPECT_EQ(trial.rotations, 0);
    // Two thirds of query, key, value and output change hands.
    EXPECT_EQ(trial.bytesMoved, 2 * (2 * 37 + 2 * 53) * 4 * 20 * 4);
    ASSERT_EQ(trial.devices.size(), 3U);
    for (const DeviceMeasurement& device : trial.devices) {
        EXPECT_EQ(device.heads, (ShardRange{2 * device.device, 2 * device.device + 2}));
        EXPECT_EQ(device.queryTokens, (ShardRange{0, 37}));
    }
}

TEST(AttentionMeasurement, HeadsAndTokensOfTheHybridAreOfBothIndices) {
    AttentionCase attention = oddCase("ulysses_ring_custom", 4);
    attention.settings.ulyssesShards = 2;
    const AttentionMeasurement trial = trialOf(attention);
    EXPECT_LE(trial.maxAbsError, 2e-5);
    EXPECT_EQ(trial.rotations, 1);
    ASSERT_EQ(trial.devices.size(), 4U);
    EXPECT_EQ(trial.devices[3].heads, (ShardRange{3, 6}));
    EXPECT_EQ(trial.devices[3].queryTokens, (ShardRange{20, 37}));
    EXPECT_EQ(trial.devices[0].heads, (ShardRange{0, 3}));
    EXPECT_EQ(trial.devices[0].queryTokens, (ShardRange{0, 20}));
}

TEST(AttentionMeasurement, ChunksGiveADeviceSeveralRangesOfHeads) {
    AttentionCase attention = oddCase("ulysses", 2);
    attention.heads = 10;
    attention.settings.chunks = 3;
    EXPECT_EQ(headRanges(attention, 0), (std::vector<ShardRange>{{0, 2}, {4, 6}, {8, 9}}));
    EXPECT_EQ(headRanges(attention, 1), (std::vector<ShardRange>{{2, 4}, {6, 8}, {9, 10}}));
    EXPECT_NO_THROW(requireSound(trialOf(attention), attention));
    attention.settings.mode = findAttentionMode("tokamax_ring");
    EXPECT_EQ(headRanges(attention, 1), (std::vector<ShardRange>{{0, 10}}));
}

TEST(AttentionMeasurement, RepetitionsDoNotChangeNumbers) {
    const AttentionCase attention = oddCase("tokamax_ring_custom", 2);
    const AttentionMeasurement once = trialOf(attention);
    const AttentionMeasurement often = trialOf(attention, {.repeat = 4});
    EXPECT_EQ(often.maxAbsError, once.maxAbsError);
    EXPECT_EQ(often.meanAbsError, once.meanAbsError);
    EXPECT_EQ(often.bytesMoved, once.bytesMoved);
}

TEST(AttentionMeasurement, ErrorsAreOfAllOutputs) {
    const AttentionCase attention = oddCase("flash", 2);
    const AttentionMeasurement perturbed = trialOf(attention, {.perturbation = 0.25});
    EXPECT_NEAR(perturbed.maxAbsError, 0.25, 1e-4);
    EXPECT_NEAR(perturbed.meanAbsError, trialOf(attention).meanAbsError + 0.25 / (2 * 37 * 6 * 20), 1e-7);
}

TEST(AttentionMeasurement, KeepsItsToleranceForSinkHeadsAndMasks) {
    for (const double gain : {6.0, 40.0})
        for (const char* mask : {"none", "tail:20", "head:27", "random:0.5", "row:0", "tail:53"})
            for (const DType type : {DType::F32, DType::BF16}) {
                AttentionCase attention = oddCase("ulysses_ring_custom_fixed_m", 6);
                attention.settings.ulyssesShards = 3;
                attention.gain = gain;
                attention.mask = parseKeyMask(mask);
                attention.type = type;
                const AttentionMeasurement trial = trialOf(attention);
                EXPECT_NO_THROW(requireSound(trial, attention));
                EXPECT_LE(trial.maxAbsError, allowedError(attention)) << attention.text();
            }
}

TEST(AttentionMeasurement, UnsoundResultsAreMismatches) {
    const AttentionCase attention = oddCase("tokamax_ring", 2);
    const AttentionMeasurement good = trialOf(attention);
    EXPECT_NO_THROW(requireSound(good, attention));
    const auto refusal = [&](const auto& spoil) {
        AttentionMeasurement bad = good;
        spoil(bad);
        return testing::refusalOf(ErrorKind::Mismatch, [&] { requireSound(bad, attention); });
    };
    const auto moved = refusal([](AttentionMeasurement& t) { t.bytesMoved += 4; });
    EXPECT_THAT(moved, testing::Names(std::to_string(good.bytesMoved + 4)));
    const auto rotated = refusal([](AttentionMeasurement& t) { t.rotations = 2; });
    EXPECT_THAT(rotated, testing::Names("2"));
    const auto mode = refusal([](AttentionMeasurement& t) { t.effectiveMode = "flash"; });
    EXPECT_THAT(mode, testing::Names("flash"));
    const auto infinite =
        refusal([](AttentionMeasurement& t) { t.maxAbsError = std::numeric_limits<double>::infinity(); });
    testing::expectFaults({{"moved", moved}, {"rotated", rotated}, {"mode", mode}, {"infinite", infinite}});
}

TEST(AttentionMeasurement, IllegalCasesAreNamedWithTheirFix) {
    EXPECT_EQ(problemOf(oddCase("flash", 2)), "");
    for (const auto& [key, spoil] : std::initializer_list<std::pair<std::string, void (*)(AttentionCase&)>>{
             {"heads", [](AttentionCase& c) { c.heads = 0; }},
             {"seq", [](AttentionCase& c) { c.queryLength = -4; }},
             {"kv-seq", [](AttentionCase& c) { c.keyLength = 0; }},
             {"head-dim", [](AttentionCase& c) { c.headDim = 0; }},
             {"batch", [](AttentionCase& c) { c.batch = 0; }},
             {"chunks", [](AttentionCase& c) { c.settings.chunks = 0; }},
             {"devices", [](AttentionCase& c) { c.devices = 0; }},
             {"devices", [](AttentionCase& c) { c.devices = 100'000; }},
             {"seq", [](AttentionCase& c) { c.queryLength = std::int64_t{1} << 62; }},
             {"mask", [](AttentionCase& c) { c.mask = parseKeyMask("tail:54"); }},
             {"mask", [](AttentionCase& c) { c.mask = parseKeyMask("row:2"); }},
             {"mask", [](AttentionCase& c) { c.mask = parseKeyMask("random:1.5"); }},
             {"mask", [](AttentionCase& c) { c.mask = parseKeyMask("random:nan"); }},
             {"gain", [](AttentionCase& c) { c.gain = std::numeric_limits<double>::infinity(); }},
             {"ulysses_shards", [](AttentionCase& c) { c.settings.ulyssesShards = 2; }},
         }) {
        AttentionCase attention = oddCase("flash", 2);
        spoil(attention);
        EXPECT_EQ(problemOf(attention), key) << attention.text();
        EXPECT_THROW(requireLegal(attention), Error);
    }
}

TEST(AttentionMeasurement, UlyssesShardsMayStateWhatIsSo) {
    AttentionCase attention = oddCase("ulysses", 3);
    attention.settings.ulyssesShards = 3;
    EXPECT_EQ(problemOf(attention), "");
    attention.settings.ulyssesShards = 2;
    EXPECT_EQ(problemOf(attention), "ulysses_shards");
}

TEST(KeyMask, IsReadAsItIsWritten) {
    for (const char* text : {"none", "tail:0", "head:12", "row:3", "random:0.25"})
        EXPECT_EQ(parseKeyMask(text).text(), text);
    for (const char* text : {"", "tail", "tail:", "tail:x", "tail:1.5", "random:", "random:0.5x", "middle:3"})
        EXPECT_THROW(static_cast<void>(parseKeyMask(text)), Error) << text;
}

}  // namespace
}  // namespace meshreel
