// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/foresight_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/estimates/work.h"
#include "engine/foresight/mesh_foresight.h"
#include "published_v7x.h"

namespace meshreel {
namespace {

/// Hardware whose numbers make seconds easy to tell: 1 TFLOP/s, 1 GB/s everywhere, pairs of devices on links
/// of 4 GB/s.
Hardware plainHardware(AcceleratorKind kind) {
    HardwareProfile profile;
    profile.id = profile.title = profile.efficienciesOf = "plain";
    profile.publishedAs = {"plain"};
    profile.kind = kind;
    profile.bf16 = profile.warp = profile.fp8 = profile.convolution = 1e12;
    profile.exponentials = 1e18;
    profile.memory = 1e12;
    profile.bandwidth = 1e9;
    profile.scratch = kind == AcceleratorKind::Tpu ? 64e6 : 0;
    profile.matrixDepth = kind == AcceleratorKind::Tpu ? 256 : 16;
    profile.links = {
        {.name = "near", .devices = 2, .bandwidth = 4e9, .ports = 1, .latency = 0, .topology = "pair"},
        {.name = "far", .devices = 1024, .bandwidth = 1e9, .ports = 2, .latency = 0, .topology = "torus"}};
    return std::make_shared<const HardwareProfile>(profile);
}

AcceleratorCase plainCase(const testing::V7xSplit& split, AcceleratorKind kind = AcceleratorKind::Tpu) {
    AcceleratorCase of = statedCase(testing::v7xStep(split), hardwareProfiles()).found.value();
    of.hardware = plainHardware(kind);
    return of;
}

EfficiencyValues perfect() {
    return {.linear = 1,
            .attention = 1,
            .bytesPerValue = 10,
            .convolution = 1,
            .conditioning = 0,
            .link = 1,
            .startRows = 0,
            .whole = 1};
}

constexpr double tokens720p = 75600;
constexpr double width = 5120;
constexpr double layers = 40;

TEST(ForesightModel, LinearLayersAreTheWorkOverTheRate) {
    const AcceleratorCase of = plainCase({.ulysses = 2, .ring = 2});
    const WanTransformerConfig& config = of.model->transformer;
    const double flops = linearFlops(config, of.tokens()) + crossAttentionFlops(config, of.tokens(), 512);
    EXPECT_NEAR(foreseeSeconds(of, perfect()).step.matrix, flops / 4 / 1e12, 1e-6);
}

TEST(ForesightModel, HeadsOf128FillHalfOfADeepMatrixUnitWithTheirScores) {
    const CaseSeconds seconds = foreseeSeconds(plainCase({.ulysses = 2, .ring = 2}), perfect());
    const double flops = 4 * tokens720p * tokens720p * width * layers / 4;
    EXPECT_NEAR(seconds.step.attention, 1.5 * flops / 1e12, 1e-3);
    AcceleratorCase shallow = plainCase({.ulysses = 2, .ring = 2});
    auto profile = std::make_shared<HardwareProfile>(*shallow.hardware);
    profile->matrixDepth = 128;
    shallow.hardware = profile;
    EXPECT_NEAR(foreseeSeconds(shallow, perfect()).step.attention, flops / 1e12, 1e-3);
}

TEST(ForesightModel, BlocksAreFilledUp) {
    // 37,800 rows and keys of a hop: 4 blocks of 9,472 are 37,888, 37 of 1,024 likewise.
    const CaseSeconds seconds = foreseeSeconds(plainCase({.ulysses = 2, .ring = 2}), perfect());
    EXPECT_NEAR(seconds.step.padding / seconds.step.attention, 37888.0 * 37888 / (37800.0 * 37800) - 1, 1e-9);
    const CaseSeconds small = foreseeSeconds(plainCase({.ulysses = 2, .ring = 2, .blockQ = 4096}), perfect());
    EXPECT_NEAR(small.step.padding / small.step.attention, 40960.0 * 37888 / (37800.0 * 37800) - 1, 1e-9);
}

TEST(ForesightModel, StartsOfBlocksAndTooLittleScratchCost) {
    EfficiencyValues values = perfect();
    values.startRows = 947.2;
    const CaseSeconds seconds = foreseeSeconds(plainCase({.ulysses = 2, .ring = 2}), values);
    EXPECT_NEAR(seconds.step.softmax / (seconds.step.attention + seconds.step.padding), 0.1, 1e-9);
    const AcceleratorKernel& custom = *findAcceleratorKernel("custom");
    EXPECT_EQ(scratchBytes(custom, {.q = 6400, .kv = 2048}), 6400.0 * 2048 * 6);
    const CaseSeconds spilling =
        foreseeSeconds(plainCase({.ulysses = 2, .ring = 2, .blockQ = 6400, .blockKv = 2048}), perfect());
    EXPECT_GT(spilling.step.softmax, 0.05 * spilling.step.attention);
}

TEST(ForesightModel, AHopIsExposedByWhatItOutlastsTheKernel) {
    AcceleratorCase of = plainCase({.ulysses = 2, .ring = 2});
    const CaseSeconds hidden = foreseeSeconds(of, perfect());
    EXPECT_NEAR(hidden.transferPerHop, 2 * tokens720p / 4 * width * 2 / 1e9,
                1e-9);  // between pairs: the far link
    EXPECT_EQ(hidden.step.hops, 0);
    EfficiencyValues slow = perfect();
    slow.link = 1e-3;
    const CaseSeconds exposed = foreseeSeconds(of, slow);
    EXPECT_NEAR(exposed.step.hops, layers * (exposed.transferPerHop - exposed.kernelPerHop), 1e-6);
}

/// Links of 1 GB/s that lead no way around, with so many ports.
AcceleratorCase onALine(const testing::V7xSplit& split, int ports, bool bothWays) {
    AcceleratorCase of = plainCase(split);
    auto profile = std::make_shared<HardwareProfile>(*of.hardware);
    profile->links = {{.name = "line",
                       .devices = 1024,
                       .bandwidth = 1e9,
                       .ports = ports,
                       .latency = 0,
                       .topology = "line"}};
    of.hardware = profile;
    of.bothWays = bothWays;
    return of;
}

TEST(ForesightModel, BothWaysGainsOnALineOnly) {
    const testing::V7xSplit split{.data = 1, .ring = 8};
    const double bytes = 2 * tokens720p / 8 * width * 2;
    EXPECT_NEAR(foreseeSeconds(onALine(split, 2, false), perfect()).transferPerHop, 7 * bytes / 1e9, 1e-9);
    EXPECT_NEAR(foreseeSeconds(onALine(split, 2, true), perfect()).transferPerHop, bytes / 1e9, 1e-9);
    EXPECT_NEAR(foreseeSeconds(onALine(split, 1, true), perfect()).transferPerHop, 2 * bytes / 1e9, 1e-9)
        << "one port sends the one behind the other";
    AcceleratorCase torus = plainCase(split);
    const double ring = foreseeSeconds(torus, perfect()).transferPerHop;
    torus.bothWays = true;
    EXPECT_EQ(foreseeSeconds(torus, perfect()).transferPerHop, ring);
}

TEST(ForesightModel, ChunksHideTheExchangeThatLiesBetweenThem) {
    AcceleratorCase of = plainCase({.data = 1, .ulysses = 8, .attention = "ulysses_custom"});
    const double whole = foreseeSeconds(of, perfect()).step.exchange;
    of.chunks = 4;
    EXPECT_NEAR(foreseeSeconds(of, perfect()).step.exchange, whole / 4, whole * 1e-6)
        << "the kernel of a chunk outlasts its exchange";
    of.chunks = 64;
    EXPECT_EQ(headChunkCount(of), 5) << "a device has five heads";
    EfficiencyValues instant = perfect();
    instant.attention = 1e6;
    of.chunks = 5;
    EXPECT_NEAR(foreseeSeconds(of, instant).step.exchange, whole, whole * 1e-2) << "nothing to hide behind";
}

TEST(ForesightModel, HeadsAreExchangedOverEveryLinkAtOnce) {
    const double queries = tokens720p / 4 * width * 2;
    const CaseSeconds near = foreseeSeconds(plainCase({.ulysses = 2, .ring = 2}), perfect());
    EXPECT_NEAR(near.step.exchange, layers * 4 * queries / 2 / 4e9, 1e-9);
    // Two of four are beyond the pair, each reached by a port of its own.
    const CaseSeconds far =
        foreseeSeconds(plainCase({.ulysses = 4, .attention = "ulysses_custom"}), perfect());
    EXPECT_NEAR(far.step.exchange, layers * 4 * queries / 4 * 2 / (1e9 * 2), 1e-9);
}

TEST(ForesightModel, GatheredKeysCrossFarLinksOnceForAPair) {
    AcceleratorCase of =
        plainCase({.attention = "tokamax_flash", .blockQ = 2048, .blockKv = 2048, .gathered = 4});
    EfficiencyValues instant = perfect();
    instant.linear = 1e9;  // nothing to hide behind
    // Two shards of keys and values beyond the pair: one comes to each device of it, over a port of its own.
    const double shard = 2 * tokens720p / 4 * width * 2;
    const double far = shard / (1e9 * 2);
    // In the pair go the neighbour's shard and the one that it received.
    const double near = 2 * shard / 4e9;
    EXPECT_NEAR(foreseeSeconds(of, instant).step.gather, layers * std::max(far, near), 1e-3);
}

TEST(ForesightModel, GuidanceIsABatchOfTwoWithoutADataAxis) {
    testing::V7xSplit split{.data = 1, .ulysses = 4, .ring = 2};
    AcceleratorCase of = plainCase(split);
    const double off = foreseeSeconds(of, perfect()).step.matrix;
    of.forwards = 2;
    EXPECT_NEAR(foreseeSeconds(of, perfect()).step.matrix, 2 * off, 1e-9);
    of.mesh.data = 2;
    EXPECT_NEAR(foreseeSeconds(of, perfect()).step.matrix, off, 1e-9);
}

TEST(ForesightModel, OldKernelsOfGpusAddTheSoftmaxAndNewOnesHideIt) {
    AcceleratorCase of = plainCase({.ulysses = 2, .ring = 2}, AcceleratorKind::Gpu);
    auto profile = std::make_shared<HardwareProfile>(*of.hardware);
    profile->exponentials =
        tokens720p / 4 * tokens720p / 4;  // a head's scores of a pair of shards take a second
    of.hardware = profile;
    of.kernel = findAcceleratorKernel("fa2");
    const double heads = 40.0 / 2 * 4;  // of a device's 20 heads, 2 x 2 shards a hop
    const double hops = layers * 2;
    EXPECT_NEAR(foreseeSeconds(of, perfect()).step.softmax, hops * heads, 1e-3);
    of.kernel = findAcceleratorKernel("fa3");
    EXPECT_LT(foreseeSeconds(of, perfect()).step.softmax, hops * heads);
}

TEST(ForesightModel, SumsOverTheTensorAxisAndWeightsOverFsdpCost) {
    AcceleratorCase of = plainCase({.data = 1, .ulysses = 4, .ring = 1, .attention = "ulysses_custom"});
    EXPECT_EQ(foreseeSeconds(of, perfect()).step.reductions, 0);
    of.mesh.tensor = 2;
    of.mesh.ulysses = 2;
    EXPECT_GT(foreseeSeconds(of, perfect()).step.reductions, 0);
    const double whole = foreseeMemory(of).weights;
    of.mesh.fsdp = 2;
    EXPECT_GT(foreseeSeconds(of, perfect()).step.weights, 0);
    EXPECT_LT(foreseeMemory(of).weights, 0.6 * whole);
}

TEST(ForesightModel, DecodingIsSharedOutOnlyByProgramsThatDo) {
    AcceleratorCase of = plainCase({.ulysses = 2, .ring = 2});
    const double formatting = 6.7e-9 * 1280 * 720 * 81;
    const double shared = foreseeSeconds(of, perfect()).decode - formatting;
    of.program = &requireProgram("wan");
    EXPECT_NEAR(foreseeSeconds(of, perfect()).decode - formatting, 8 * shared, 1e-6);
}

TEST(ForesightModel, StatedSplitsKeepTheirMeshAndOthersTakeTheProgramsOwn) {
    const std::vector<Hardware> profiles = hardwareProfiles();
    PublishedTime row = testing::v7xStep({.ulysses = 2, .ring = 2});
    EXPECT_EQ(statedCase(row, profiles).found->mesh.label(), "dp2-cp4-U2R2");
    row.framework = "SGLang diffusion";
    row.hardware = "H100";
    row.attention.clear();
    row.data = row.context = row.ring = row.ulysses = 0;
    const StatedCase assumed = statedCase(row, profiles);
    EXPECT_EQ(assumed.found->mesh.label(), "dp2-cp4-U4R1");
    EXPECT_TRUE(assumed.found->splitAssumed);
    row.frames = 0;
    EXPECT_FALSE(statedCase(row, profiles).found);
    EXPECT_FALSE(statedCase(row, profiles).whyNot.empty());
}

}  // namespace
}  // namespace meshreel
