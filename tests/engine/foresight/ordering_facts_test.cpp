// SPDX-License-Identifier: GPL-3.0-or-later
// What pull request 430 of MaxDiffusion and its neighbours measured on TPU v7x follows from the physics:
// other links give another order.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/foresight/mesh_foresight.h"
#include "published_v7x.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::Le;
using ::testing::Lt;
using testing::V7xSplit;

const Foresight& knowledge() {
    static const Foresight foresight = readForesight();
    return foresight;
}

AcceleratorCase v7x(const V7xSplit& split) {
    return statedCase(testing::v7xStep(split), knowledge().profiles).found.value();
}

double stepSeconds(const AcceleratorCase& of) {
    return knowledge().efficiencies.foresee(of).step.total();
}

double stepSeconds(const V7xSplit& split) {
    return stepSeconds(v7x(split));
}

/// By how much `faster` takes less than `slower`.
double gain(double slower, double faster) {
    return 1 - faster / slower;
}

constexpr int ulyssesQ = 8448;  // block_q published for pure Ulysses

TEST(OrderingFacts, AtFourContextDevicesTwoByTwoBeatsUlyssesAndARingIsSlowest) {
    const double square = stepSeconds(V7xSplit{.ulysses = 2, .ring = 2});
    const double ulysses =
        stepSeconds(V7xSplit{.ulysses = 4, .attention = "ulysses_custom", .blockQ = ulyssesQ});
    const double ring = stepSeconds(V7xSplit{.ring = 4, .attention = "tokamax_ring_custom"});
    EXPECT_THAT(gain(ulysses, square), AllOf(Ge(0.06), Le(0.14)));
    EXPECT_GT(ring, ulysses);
}

TEST(OrderingFacts, AtEightContextDevicesUlyssesTiesWithFourByTwo) {
    const double hybrid = stepSeconds(V7xSplit{.data = 1, .ulysses = 4, .ring = 2});
    const double ulysses =
        stepSeconds(V7xSplit{.data = 1, .ulysses = 8, .attention = "ulysses_custom", .blockQ = ulyssesQ});
    EXPECT_NEAR(ulysses / hybrid, 1, 0.03);
}

TEST(OrderingFacts, AtSixteenContextDevicesUlyssesIsRefusedAndEightByTwoIsBest) {
    AcceleratorCase of = v7x({.data = 1, .ulysses = 8, .ring = 2});
    const MeshForesight meshes = foreseeMeshes(of, 16, knowledge());
    ASSERT_NE(meshes.best(), nullptr);
    EXPECT_EQ(meshes.best()->of.mesh.label(), "dp1-cp16-U8R2");
    const auto refused = std::ranges::find_if(
        meshes.refused, [](const RefusedMesh& mesh) { return mesh.what == "dp1-cp16 ulysses_custom"; });
    ASSERT_NE(refused, meshes.refused.end());
    EXPECT_THAT(testing::valuesOf(refused->why), ::testing::ElementsAre("maxdiffusion", "40", "16"));
}

TEST(OrderingFacts, LargeBlocksOfQueriesGainWhereTheKernelDecides) {
    const double large = stepSeconds(V7xSplit{.data = 1, .ulysses = 4, .ring = 2});
    const double small = stepSeconds(V7xSplit{.data = 1, .ulysses = 4, .ring = 2, .blockQ = 4096});
    EXPECT_THAT(gain(small, large), AllOf(Ge(0.15), Le(0.25)));
}

TEST(OrderingFacts, ARingThatIsBoundByItsHopsGainsLessAndSaysSo) {
    const V7xSplit large{.ring = 4, .attention = "tokamax_ring_custom"};
    V7xSplit small = large;
    small.blockQ = 4096;
    EXPECT_THAT(gain(stepSeconds(small), stepSeconds(large)), AllOf(Gt(0.0), Lt(0.10)));
    ForeseenMesh mesh{.of = v7x(large)};
    mesh.seconds = knowledge().efficiencies.foresee(mesh.of);
    const auto milliseconds = [](double seconds) { return fmt::format("{:.1f}", 1e3 * seconds); };
    EXPECT_THAT(adviceFor(mesh),
                ::testing::Contains(testing::Names("4", milliseconds(mesh.seconds.transferPerHop),
                                                   milliseconds(mesh.seconds.kernelPerHop))));
}

TEST(OrderingFacts, TheCustomKernelBeatsTheStandardOneInARingOfFour) {
    const double standard =
        stepSeconds(V7xSplit{.ring = 4, .attention = "tokamax_ring", .blockQ = 4096, .blockKv = 2048});
    const double custom =
        stepSeconds(V7xSplit{.ring = 4, .attention = "tokamax_ring_custom", .blockQ = 4096});
    EXPECT_THAT(gain(standard, custom), AllOf(Ge(0.18), Le(0.28)));
}

TEST(OrderingFacts, AFixedBoundGainsALittleWithOwnBlocksAndMoreWithEqualOnes) {
    const V7xSplit fixed{
        .ulysses = 2, .ring = 2, .attention = "ulysses_ring_custom_fixed_m", .blockQ = 6400, .blockKv = 2048};
    V7xSplit running = fixed;
    running.attention = "ulysses_ring_custom";
    EXPECT_THAT(gain(stepSeconds(V7xSplit{.ulysses = 2, .ring = 2}), stepSeconds(fixed)),
                AllOf(Ge(0.02), Le(0.06)));
    EXPECT_THAT(gain(stepSeconds(running), stepSeconds(fixed)), AllOf(Ge(0.11), Le(0.20)));
}

TEST(OrderingFacts, TheSearchFindsTheSameGainOfAFixedBound) {
    const MeshForesight meshes = foreseeMeshes(v7x({.ulysses = 2, .ring = 2}), 8, knowledge());
    const auto bestOf = [&](std::string_view mode) {
        return std::ranges::find_if(meshes.meshes,
                                    [&](const ForeseenMesh& mesh) {
                                        return mesh.of.mesh.label() == "dp2-cp4-U2R2" &&
                                               mesh.mode->name == mode;
                                    })
            ->seconds.step.total();
    };
    EXPECT_THAT(gain(bestOf("ulysses_ring_custom"), bestOf("ulysses_ring_custom_fixed_m")),
                AllOf(Ge(0.02), Le(0.06)));
}

TEST(OrderingFacts, TheSearchFindsTheTieAtEightContextDevices) {
    const MeshForesight meshes = foreseeMeshes(v7x({.data = 1, .ulysses = 4, .ring = 2}), 8, knowledge());
    const auto seconds = [&](std::string_view label, std::string_view mode) {
        return std::ranges::find_if(meshes.meshes,
                                    [&](const ForeseenMesh& mesh) {
                                        return mesh.of.mesh.label() == label && mesh.mode->name == mode;
                                    })
            ->seconds.step.total();
    };
    EXPECT_NEAR(seconds("dp1-cp8-U8R1", "ulysses_custom") / seconds("dp1-cp8-U4R2", "ulysses_ring_custom"), 1,
                0.03);
}

TEST(OrderingFacts, LongRingsAreSlowBecauseTheirHopsAreExposed) {
    double before = stepSeconds(V7xSplit{.data = 1, .ulysses = 4, .ring = 2});
    for (const int ring : {4, 8}) {
        const AcceleratorCase of = v7x({.data = 1, .ulysses = 8 / ring, .ring = ring});
        const CaseSeconds seconds = knowledge().efficiencies.foresee(of);
        EXPECT_GT(seconds.step.total(), before) << ring;
        EXPECT_GT(seconds.step.hops, 0.2 * seconds.step.total()) << ring;
        before = seconds.step.total();
    }
}

TEST(OrderingFacts, OnSixteenCoresARingOfEightLosesToGatheredKeysForTheStandardKernel) {
    const double ring =
        stepSeconds(V7xSplit{.ring = 8, .attention = "tokamax_ring", .blockQ = 2048, .blockKv = 2048});
    const double gather =
        stepSeconds(V7xSplit{.attention = "tokamax_flash", .blockQ = 2048, .blockKv = 2048, .gathered = 8});
    EXPECT_GT(ring, gather);
}

/// The case on hardware whose links between chips have `factor` times the bandwidth.
AcceleratorCase withLinks(AcceleratorCase of, double factor) {
    auto changed = std::make_shared<HardwareProfile>(*of.hardware);
    for (LinkClass& link : changed->links)
        if (link.devices > 2)
            link.bandwidth *= factor;
    of.hardware = changed;
    return of;
}

TEST(OrderingFacts, OtherLinksGiveAnotherOrder) {
    const AcceleratorCase square = v7x({.ulysses = 2, .ring = 2});
    const AcceleratorCase ulysses = v7x({.ulysses = 4, .attention = "ulysses_custom", .blockQ = ulyssesQ});
    const AcceleratorCase ring = v7x({.ring = 4, .attention = "tokamax_ring_custom"});
    // Slow links: even one hop is exposed, and Ulysses, which overlaps nothing, falls further behind.
    const double slowHop = knowledge().efficiencies.foresee(withLinks(square, 0.25)).step.hops;
    EXPECT_LT(knowledge().efficiencies.foresee(square).step.hops, 0.01);
    EXPECT_GT(slowHop, 1);
    // Fast links: the ring hides all hops, moves no heads, and is the best.
    EXPECT_LT(stepSeconds(withLinks(ring, 8)), stepSeconds(withLinks(ulysses, 8)));
    EXPECT_LT(stepSeconds(withLinks(ring, 8)), stepSeconds(withLinks(square, 8)));
    EXPECT_GT(stepSeconds(ring), stepSeconds(ulysses));
}

TEST(OrderingFacts, OnLinksWithoutAWayAroundALongRingBothWaysBeatsOneWay) {
    AcceleratorCase of = v7x({.data = 1, .ulysses = 8, .ring = 2});
    const auto bothWays = [](const ForeseenMesh& mesh) { return mesh.of.bothWays; };
    EXPECT_TRUE(std::ranges::none_of(foreseeMeshes(of, 16, knowledge()).meshes, bothWays))
        << "a torus has a way around";
    auto line = std::make_shared<HardwareProfile>(*of.hardware);
    line->links = {{.name = "line",
                    .devices = 1 << 20,
                    .bandwidth = 100e9,
                    .ports = 2,
                    .latency = 1e-6,
                    .topology = "line"}};
    of.hardware = line;
    const MeshForesight meshes = foreseeMeshes(of, 16, knowledge());
    const auto fastest = [&](bool both) {
        return std::ranges::find_if(meshes.meshes, [both](const ForeseenMesh& mesh) {
            return mesh.of.mesh.label() == "dp1-cp16-U2R8" && mesh.of.bothWays == both &&
                   mesh.of.kernel->name == "custom";
        });
    };
    ASSERT_NE(fastest(true), meshes.meshes.end());
    ASSERT_NE(fastest(false), meshes.meshes.end());
    EXPECT_LT(fastest(true)->step.seconds, fastest(false)->step.seconds);
}

}  // namespace
}  // namespace meshreel
