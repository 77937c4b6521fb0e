// SPDX-License-Identifier: GPL-3.0-or-later
// Attention whose heads the devices do not divide is that of one device, and moves what the formula says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/mesh/device_mesh.h"
#include "engine/verification/attention_case.h"
#include "engine/verification/attention_trial.h"
#include "engine/verification/equivalence_matrix.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

/// Every way to exchange heads between `devices` devices.
std::vector<AttentionSettings> exchangesOfHeads(int devices) {
    std::vector<AttentionSettings> all;
    for (const AttentionMode& mode : attentionModes())
        for (int shards = mode.hybrid() ? 2 : -1; shards <= (mode.hybrid() ? devices : -1); ++shards)
            for (const int chunks : {1, mode.chunked() ? 3 : 1}) {
                const AttentionSettings settings{.mode = &mode,
                                                 .ulyssesShards = shards,
                                                 .chunks = chunks,
                                                 .uniformSharding = mode.exchange != Exchange::Gather};
                if (mode.runs() && mode.exchange != Exchange::None &&
                    (all.empty() || all.back().mode != &mode || all.back().ulyssesShards != shards ||
                     all.back().chunks != chunks) &&
                    (!mode.hybrid() || devices % shards == 0))
                    all.push_back(settings);
            }
    return all;
}

AttentionCase unevenCase(const AttentionSettings& settings, int devices, std::int64_t all) {
    return {.settings = settings,
            .devices = devices,
            .batch = 2,
            .heads = all,
            .queryLength = 37,
            .keyLength = 29,
            .headDim = 12,
            .seed = static_cast<std::uint64_t>(all)};
}

class UnevenHeads : public ::testing::TestWithParam<int> {};

TEST_P(UnevenHeads, AreTheAttentionOfOneDevice) {
    const int devices = GetParam();
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    std::set<std::string_view> modes;
    int number = 0;
    for (const AttentionSettings& settings : exchangesOfHeads(devices)) {
        const std::int64_t sharers = settings.mode->hybrid() ? settings.ulyssesShards : devices;
        for (const std::int64_t all : {sharers, sharers + 1, 2 * sharers - 1, 3 * sharers + 1}) {
            AttentionCase attention = unevenCase(settings, devices, all);
            attention.type = number % 2 == 0 ? DType::F32 : DType::BF16;
            attention.mask = parseKeyMask(number % 3 == 0 ? "tail:20" : "none");
            ++number;
            SCOPED_TRACE(attention.text());
            const AttentionMeasurement trial = runTrial(mesh, attention, {}, {});
            ASSERT_NO_THROW(requireSound(trial, attention));
            ASSERT_LE(trial.maxAbsError, allowedError(attention));
            modes.insert(settings.mode->name);
        }
    }
    std::size_t exchanging = 0;
    for (const AttentionMode& mode : attentionModes())
        exchanging += mode.runs() && mode.exchange != Exchange::None ? 1 : 0;
    EXPECT_EQ(modes.size(), exchanging);
}

INSTANTIATE_TEST_SUITE_P(Devices, UnevenHeads, ::testing::Values(2, 3, 5, 6, 7, 8), testing::PrintedName());

TEST(UnevenHeadsOfWan, RunOnAsManyDevicesAsTheyAre) {
    struct Shared {
        std::int64_t all;
        int devices;
        std::int64_t most;
    };
    for (const Shared& shared :
         {Shared{40, 3, 14}, Shared{40, 6, 7}, Shared{40, 7, 6}, Shared{12, 5, 3}, Shared{12, 8, 2}}) {
        const AttentionCase attention =
            unevenCase({.mode = findAttentionMode("ulysses")}, shared.devices, shared.all);
        DeviceMesh mesh({.layout = MeshLayout({.context = shared.devices}), .workersPerDevice = 1});
        const AttentionMeasurement trial = runTrial(mesh, attention, {}, {});
        EXPECT_NO_THROW(requireSound(trial, attention));
        EXPECT_LE(trial.maxAbsError, allowedError(attention)) << attention.text();
        EXPECT_EQ(trial.devices.front().heads.size(), shared.most);
        EXPECT_EQ(trial.devices.back().heads.size(), shared.all / shared.devices);
    }
}

TEST(UnevenHeadsOfWan, AreRefusedWhereDevicesOutnumberThem) {
    const AttentionCase attention = unevenCase({.mode = findAttentionMode("ulysses")}, 8, 7);
    ASSERT_EQ(caseProblems(attention).size(), 1U);
    EXPECT_EQ(caseProblems(attention).front().id, ProblemId("heads-fewer-than-devices"));
}

TEST(EquivalenceMatrix, HoldsHeadsThatTheDevicesDoNotDivide) {
    for (const int devices : {2, 3, 8}) {
        std::set<std::string_view> uneven;
        std::set<std::string_view> exchanging;
        for (const MatrixCase& matrixCase : matrixCases(devices)) {
            const AttentionCase& attention = matrixCase.attention;
            if (!caseProblems(attention).empty())
                continue;
            const AttentionPlan plan = attention.plan();
            if (plan.headSharers() > 1)
                exchanging.insert(attention.settings.mode->name);
            if (plan.headExcess() > 1)
                uneven.insert(attention.settings.mode->name);
        }
        EXPECT_EQ(uneven, exchanging);
        EXPECT_GT(uneven.size(), 10U);
    }
}

}  // namespace
}  // namespace meshreel
