// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/mesh_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/planning/run_plan.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

constexpr std::uint64_t plentyForTraffic = std::uint64_t{1} << 40;

/// The embedded model (8 heads): 64x64 pixels, 9 frames, 48 tokens, both halves of guidance.
PlanPtr planOf(const std::string& mode, const MeshShape& ici, const MeshShape& dcn, int ulyssesShards = -1) {
    Project project = testing::smallProject();
    project.height = project.width = 64;
    project.numFrames = 9;
    project.attention = mode;
    project.ulyssesShards = ulyssesShards;
    project.iciDataParallelism = ici.data;
    project.iciFsdpParallelism = ici.fsdp;
    project.iciContextParallelism = ici.context;
    project.iciTensorParallelism = ici.tensor;
    project.dcnDataParallelism = dcn.data;
    project.dcnFsdpParallelism = dcn.fsdp;
    project.dcnContextParallelism = dcn.context;
    project.dcnTensorParallelism = dcn.tensor;
    return makePlan(project, {.memoryBytes = plentyForTraffic});
}

std::int64_t trafficOf(const RunPlan& plan, std::string_view purpose) {
    const std::vector<MeshTraffic> traffic = trafficPerStep(plan);
    const auto found = std::ranges::find(traffic, purpose, &MeshTraffic::purpose);
    return found == traffic.end() ? 0 : found->bytes;
}

std::int64_t allTraffic(const RunPlan& plan) {
    std::int64_t bytes = 0;
    for (const MeshTraffic& traffic : trafficPerStep(plan))
        bytes += traffic.bytes;
    return bytes;
}

TEST(BytesBetweenHosts, AreNoneOnOneHost) {
    EXPECT_EQ(bytesBetweenHosts(*planOf("ulysses", {.data = 2, .context = 4}, {})), 0);
}

TEST(BytesBetweenHosts, AreAllThereAreWhereEveryDeviceIsAHost) {
    for (const char* mode : {"flash", "ulysses", "tokamax_ring", "ulysses_ring", "ulysses_ring_custom_bidir"})
        for (const MeshShape& mesh :
             {MeshShape{.context = 4}, MeshShape{.data = 2, .context = 4, .tensor = 2},
              MeshShape{.fsdp = 2, .context = 4}}) {
            const PlanPtr plan = planOf(mode, {}, mesh, 2);
            EXPECT_EQ(bytesBetweenHosts(*plan), allTraffic(*plan)) << mode << " on " << mesh.text();
        }
}

TEST(BytesBetweenHosts, AreThoseOfTheAxisBetweenHostsAlone) {
    constexpr int devicesPerHost = 2;
    const PlanPtr data = planOf("ulysses", {.context = 2}, {.data = 2});
    const WanTransformerConfig& config = data->model.transformer;
    EXPECT_EQ(bytesBetweenHosts(*data), devicesPerHost * 48 * config.patchElements() * config.outChannels * 4)
        << "the other half of guidance, to each device";
    const PlanPtr tensor = planOf("ulysses", {.context = 2}, {.tensor = 2});
    EXPECT_EQ(bytesBetweenHosts(*tensor), devicesPerHost * trafficOf(*tensor, "sums over the tensor axis"));
    const PlanPtr fsdp = planOf("ulysses", {.context = 2}, {.fsdp = 2});
    EXPECT_EQ(bytesBetweenHosts(*fsdp),
              bytesBetweenHosts(*data) + devicesPerHost * trafficOf(*fsdp, "gathered weights"));
}

TEST(BytesBetweenHosts, ARingCrossesAtOneDeviceAndAGatherAtAll) {
    const PlanPtr ring = planOf("tokamax_ring", {.context = 2}, {.context = 2});
    const PlanPtr gather = planOf("flash", {.context = 2}, {.context = 2});
    const std::int64_t keys = trafficOf(*ring, "self-attention");
    ASSERT_EQ(trafficOf(*gather, "self-attention"), keys);
    // Both gather the tokens of the prediction.
    const std::int64_t predictions = 2 * trafficOf(*ring, "predictions") * 2 / 3;
    EXPECT_EQ(bytesBetweenHosts(*ring), keys + predictions);
    EXPECT_EQ(bytesBetweenHosts(*gather), 2 * keys * 2 / 3 + predictions);
}

TEST(BytesBetweenHosts, AreFewestWithTheBatchBetweenHosts) {
    const auto between = [](const MeshShape& ici, const MeshShape& dcn) {
        return bytesBetweenHosts(*planOf("ulysses", ici, dcn));
    };
    EXPECT_LT(between({.context = 2}, {.data = 2}), between({.data = 2}, {.context = 2}));
    EXPECT_LT(between({.tensor = 2}, {.data = 2}), between({.data = 2}, {.tensor = 2}));
}

}  // namespace
}  // namespace meshreel
