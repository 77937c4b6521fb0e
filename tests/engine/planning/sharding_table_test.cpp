// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/estimates/run_work.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/sharding_table.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t plentyForSharding = std::uint64_t{1} << 40;

/// The embedded model (8 heads, 768 feed-forward features): 64x64 pixels, 9 frames, 48 tokens.
PlanPtr shardedPlan(const std::string& mode, const MeshShape& mesh, int ulyssesShards = -1) {
    Project project = testing::smallProject();
    project.height = project.width = 64;
    project.numFrames = 9;
    project.attention = mode;
    project.ulyssesShards = ulyssesShards;
    project.iciDataParallelism = mesh.data;
    project.iciFsdpParallelism = mesh.fsdp;
    project.iciContextParallelism = mesh.context;
    project.iciTensorParallelism = mesh.tensor;
    return makePlan(project, {.memoryBytes = plentyForSharding});
}

TensorSharding rowOf(const RunPlan& plan, std::string_view tensor) {
    const std::vector<TensorSharding> table = shardingTable(plan);
    const auto found = std::ranges::find_if(
        table, [&](const TensorSharding& row) { return row.tensor.find(tensor) != std::string::npos; });
    if (found == table.end()) {
        ADD_FAILURE() << "no row for " << tensor;
        return {};
    }
    return *found;
}

std::vector<std::int64_t> ownShape(const TensorSharding& row) {
    std::vector<std::int64_t> extents;
    std::ranges::transform(row.axes, std::back_inserter(extents), &ShardedAxis::perDevice);
    return extents;
}

using Extents = std::vector<std::int64_t>;

TEST(ShardingTable, SharesEveryKindOverItsAxes) {
    const PlanPtr plan = shardedPlan("flash", {.data = 2, .fsdp = 1, .context = 3, .tensor = 2});
    const WanTransformerConfig& config = plan->model.transformer;
    EXPECT_EQ(ownShape(rowOf(*plan, "hidden states")), (Extents{1, 16, config.innerDim()}));
    EXPECT_EQ(rowOf(*plan, "hidden states").axes[1].over, "context 3");
    EXPECT_EQ(ownShape(rowOf(*plan, "self-attention q, k, v")), (Extents{1, 16, 4, config.headDim}));
    EXPECT_EQ(ownShape(rowOf(*plan, "feed-forward")), (Extents{1, 16, config.ffnDim / 2}));
    EXPECT_EQ(ownShape(rowOf(*plan, "cross-attention keys")), (Extents{1, 64, 4, config.headDim}));
    EXPECT_EQ(ownShape(rowOf(*plan, "keys, values in the kernel")), (Extents{1, 48, 4, config.headDim}));
    EXPECT_EQ(rowOf(*plan, "keys, values in the kernel").note, "gathered");
    EXPECT_EQ(ownShape(rowOf(*plan, "latents")), (Extents{1, 16, 3, 8, 8}));
    EXPECT_EQ(rowOf(*plan, "VAE features").axes[2].parts, 6) << "of 12 devices, the divisor nearest to 8";
}

TEST(ShardingTable, FollowsTheAttention) {
    const TensorSharding ring =
        rowOf(*shardedPlan("tokamax_ring", {.context = 4}), "keys, values in the kernel");
    EXPECT_EQ(ring.axes[1].over, "ring 4");
    EXPECT_EQ(ring.note, "rotate 3 times");
    const TensorSharding ulysses =
        rowOf(*shardedPlan("ulysses", {.context = 4}), "keys, values in the kernel");
    EXPECT_EQ(ulysses.axes[2].over, "context 4");
    EXPECT_EQ(ulysses.axes[1].parts, 1);
    const TensorSharding both =
        rowOf(*shardedPlan("ulysses_ring", {.context = 4, .tensor = 2}, 2), "queries in the kernel");
    EXPECT_EQ(both.axes[1].over, "ring 2");
    EXPECT_EQ(both.axes[2].over, "ulysses 2 x tensor 2");
    EXPECT_EQ(both.axes[2].perDevice(), 2);
    EXPECT_EQ(rowOf(*shardedPlan("ulysses", {.context = 4}), "cross-attention keys").axes[1].over,
              "context 4");
}

TEST(ShardingTable, WeighsWhatTheTransformerKeeps) {
    for (const MeshShape& mesh :
         {MeshShape{}, MeshShape{.fsdp = 2}, MeshShape{.tensor = 4}, MeshShape{.fsdp = 2, .tensor = 2}}) {
        const PlanPtr plan = shardedPlan("flash", mesh);
        std::uint64_t weights = 0;
        for (const TensorSharding& row : shardingTable(*plan))
            if (row.tensor.find(" weights: ") != std::string::npos)
                weights += row.bytesPerDevice();
        const auto kept = wanWeightBytes(plan->model.transformer, mesh.fsdp, mesh.tensor).resident;
        EXPECT_NEAR(static_cast<double>(weights), static_cast<double>(kept), 0.01 * static_cast<double>(kept))
            << mesh.text();
    }
}

std::int64_t shardedTraffic(const RunPlan& plan, std::string_view purpose) {
    const std::vector<MeshTraffic> traffic = trafficPerStep(plan);
    const auto found = std::ranges::find(traffic, purpose, &MeshTraffic::purpose);
    return found == traffic.end() ? 0 : found->bytes;
}

TEST(MeshTraffic, IsThatOfTheFormulas) {
    EXPECT_TRUE(trafficPerStep(*shardedPlan("flash", {})).empty());
    const PlanPtr ring = shardedPlan("tokamax_ring", {.context = 4});
    const WanTransformerConfig& config = ring->model.transformer;
    const std::int64_t ownKeys = 12 * config.innerDim() * 4;
    EXPECT_EQ(shardedTraffic(*ring, "self-attention"), 2 * config.layers * 3 * 2 * ownKeys)
        << "two passes, three rotations of keys and values";
    EXPECT_EQ(shardedTraffic(*ring, "cross-attention"), 0);
    EXPECT_EQ(ring->attentions.self.rotations(), 3);
    const PlanPtr halves = shardedPlan("tokamax_ring", {.data = 2, .context = 4});
    EXPECT_EQ(shardedTraffic(*halves, "self-attention"), shardedTraffic(*ring, "self-attention") / 2);
    EXPECT_GT(shardedTraffic(*halves, "predictions"), 0);
    const PlanPtr tensor = shardedPlan("flash", {.tensor = 2});
    EXPECT_EQ(shardedTraffic(*tensor, "sums over the tensor axis"),
              2 * config.layers * 3 * 48 * config.innerDim() * 4);
    EXPECT_GT(shardedTraffic(*shardedPlan("flash", {.fsdp = 2}), "gathered weights"), 0);
}

TEST(PlanText, TellsTheMeshAndWhoKeepsWhat) {
    const PlanPtr plan = shardedPlan("ulysses_ring", {.data = 2, .context = 4}, 2);
    EXPECT_THAT(describePlan(*plan), AllOf(HasSubstr("data 2, fsdp 1, context 4, tensor 1"),
                                           HasSubstr("ring 2 x ulysses 2"), HasSubstr("cross: tokamax_flash"),
                                           HasSubstr("hidden states"), HasSubstr("tokens: context 4")));
}

TEST(PlanText, SaysThatFixedMIsNoFasterOnCpus) {
    const auto text = [](const std::string& mode) {
        return describePlan(*shardedPlan(mode, {.context = 4}, 2));
    };
    EXPECT_THAT(text("ulysses_ring_custom_fixed_m"), HasSubstr("no faster on CPUs"));
    EXPECT_THAT(text("ulysses_ring_custom"), Not(HasSubstr("no faster on CPUs")));
}

TEST(PlanJson, HoldsTheSameForPrograms) {
    const PlanPtr plan = shardedPlan("ulysses_ring", {.data = 2, .context = 4}, 2);
    const nlohmann::ordered_json json = planJson(*plan);
    EXPECT_EQ(json.at("mesh").at("devices"), 8);
    EXPECT_EQ(json.at("mesh").at("axes").at("context"), 4);
    EXPECT_EQ(json.at("attention").at("rotations"), 1);
    EXPECT_EQ(json.at("attention").at("cross"), "tokamax_flash");
    EXPECT_EQ(json.at("sharding").size(), shardingTable(*plan).size());
    EXPECT_EQ(json.at("memory_bytes").at("peak"), plan->memory.peak());
}

}  // namespace
}  // namespace meshreel
