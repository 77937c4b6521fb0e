// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_resolution.h"
#include "tests/support/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;

MeshLayout layoutOf(const MeshRequest& request) {
    const auto resolved = resolveMesh(request);
    if (const auto* fault = std::get_if<Problem>(&resolved)) {
        ADD_FAILURE() << fault->key << ": " << fault->message << ". " << fault->hint();
        return {};
    }
    return std::get<MeshLayout>(resolved);
}

Problem faultOf(const MeshRequest& request) {
    const auto resolved = resolveMesh(request);
    const auto* fault = std::get_if<Problem>(&resolved);
    if (fault == nullptr)
        ADD_FAILURE() << "accepted as " << std::get<MeshLayout>(resolved).shape().text();
    return fault == nullptr ? Problem{} : *fault;
}

std::vector<std::string> fixesOf(const Problem& problem) {
    std::vector<std::string> fixes;
    for (const Fix& fix : problem.fixes)
        for (const KeyChange& change : fix.changes)
            fixes.push_back(change.key + "=" + change.value);
    return fixes;
}

TEST(MeshResolution, TheDefaultsAreOneDevice) {
    EXPECT_EQ(layoutOf({}), MeshLayout());
}

TEST(MeshResolution, AnAxisIsTakenAsAskedFor) {
    EXPECT_EQ(layoutOf({.ici = {.data = 2, .context = -1}}), MeshLayout({.data = 2}));
    EXPECT_EQ(layoutOf({.ici = {.context = 4}, .dcn = {.data = 2}}), MeshLayout({.context = 4}, {.data = 2}));
}

TEST(MeshResolution, TheOpenAxisTakesTheDevicesThatAreLeft) {
    EXPECT_EQ(layoutOf({.devices = 6}), MeshLayout({.context = 6}));
    EXPECT_EQ(layoutOf({.ici = {.data = 2, .context = -1}, .devices = 8}),
              MeshLayout({.data = 2, .context = 4}));
    EXPECT_EQ(layoutOf({.ici = {.tensor = -1}, .dcn = {.data = 2}, .devices = 8}),
              MeshLayout({.tensor = 4}, {.data = 2}));
    EXPECT_EQ(layoutOf({.ici = {.context = 2}, .devices = 8}), MeshLayout({.context = 2}, {.context = 4}))
        << "ici has no -1, so that of dcn takes them";
}

TEST(MeshResolution, RanksStandInForTheDevicesThatNobodyNamed) {
    EXPECT_EQ(layoutOf({.ranks = 4}), MeshLayout({.context = 4}));
    EXPECT_EQ(layoutOf({.ici = {.data = 2, .context = -1}, .ranks = 4}),
              MeshLayout({.data = 2, .context = 2}));
    EXPECT_EQ(layoutOf({.ici = {.data = 4, .context = -1}, .ranks = 2}), MeshLayout({.data = 4}))
        << "two devices for each rank";
    EXPECT_EQ(layoutOf({.ici = {.context = 2}, .ranks = 4}), MeshLayout({.context = 2}, {.context = 2}));
    EXPECT_EQ(layoutOf({.devices = 8, .ranks = 2}), MeshLayout({.context = 8}));
}

TEST(MeshResolution, RefusesWithTheNearestLegalValues) {
    const Problem second = faultOf({.ici = {.data = -1, .context = -1}});
    EXPECT_EQ(second.key, "ici_context_parallelism");
    EXPECT_TRUE(second.id == ProblemId("mesh-axes-both-automatic"));
    EXPECT_THAT(fixesOf(second), ElementsAre("ici_context_parallelism=1"));
    EXPECT_EQ(faultOf({.dcn = {.fsdp = -1, .tensor = -1}}).key, "dcn_tensor_parallelism");

    const Problem uneven = faultOf({.ici = {.data = 4, .context = -1}, .devices = 6});
    EXPECT_EQ(uneven.key, "devices");
    EXPECT_TRUE(uneven.id == ProblemId("mesh-does-not-divide"));
    EXPECT_THAT(fixesOf(uneven), ElementsAre("devices=4", "devices=8"));
    EXPECT_THAT(fixesOf(faultOf({.ici = {.data = 4, .context = -1}, .devices = 7})),
                ElementsAre("devices=8", "devices=4"))
        << "the nearer first";
    EXPECT_THAT(fixesOf(faultOf({.ici = {.data = 4, .context = -1}, .devices = 2})),
                ElementsAre("devices=4"));

    const Problem product = faultOf({.ici = {.data = 2, .context = 3}, .dcn = {}, .devices = 4});
    EXPECT_EQ(product.key, "devices");
    EXPECT_TRUE(product.id == ProblemId("mesh-product-differs"));
    EXPECT_THAT(fixesOf(product), ElementsAre("devices=6"));
    EXPECT_THAT(faultOf({.ici = {.data = 2, .context = 2}, .dcn = {.context = 1}, .devices = 8}),
                AllOf(testing::Fault("mesh-product-differs"), testing::Names("8", "4")));

    const Problem ranks = faultOf({.ici = {.context = 4}, .dcn = {}, .ranks = 3});
    EXPECT_TRUE(ranks.id == ProblemId("ranks-do-not-divide"));
    EXPECT_THAT(testing::valuesOf(ranks), ElementsAre("3", "4", "2", "4", "6"));
    EXPECT_THAT(testing::valuesOf(faultOf({.devices = 2, .ranks = 4})), ElementsAre("4", "2", "2", "4"));

    const Problem large = faultOf({.ici = {.data = 4096, .context = 2}, .dcn = {.context = 1}});
    EXPECT_THAT(large, AllOf(testing::Fault("mesh-too-large"), testing::Names("4096")));
    EXPECT_THAT(fixesOf(large), ElementsAre("ici_data_parallelism=2048"));
}

TEST(MeshResolution, KnowsWhenRanksDecide) {
    EXPECT_TRUE(dependsOnRanks({}));
    EXPECT_FALSE(dependsOnRanks({.devices = 2}));
    EXPECT_FALSE(dependsOnRanks({.ici = {.context = 2}, .dcn = {.context = 1}}));
}

bool isExtentOf(const MeshShape& shape, const MeshShape& asked, MeshAxis axis) {
    const int extent = shape.extent(axis);
    return asked.extent(axis) > 0 ? extent == asked.extent(axis) : extent >= 1;
}

TEST(MeshResolution, WhatIsAcceptedHoldsWhatWasAskedFor) {
    std::mt19937 random(7);
    const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    const auto drawShape = [&] {
        MeshShape shape{draw(1, 3), draw(1, 2), draw(1, 4), draw(1, 2)};
        if (draw(0, 1) == 1)
            shape.context = -1;
        return shape;
    };
    int accepted = 0;
    for (int i = 0; i < 2000; ++i) {
        const MeshRequest request{drawShape(), drawShape(), draw(0, 2) == 0 ? 0 : draw(1, 48), draw(1, 4)};
        const auto resolved = resolveMesh(request);
        if (std::holds_alternative<Problem>(resolved)) {
            EXPECT_FALSE(std::get<Problem>(resolved).hint().empty());
            continue;
        }
        ++accepted;
        const MeshLayout& layout = std::get<MeshLayout>(resolved);
        EXPECT_EQ(layout.devices() % request.ranks, 0);
        EXPECT_TRUE(request.devices == 0 || layout.devices() == request.devices);
        for (const MeshAxis axis : meshAxes) {
            EXPECT_TRUE(isExtentOf(layout.ici(), request.ici, axis));
            EXPECT_TRUE(isExtentOf(layout.dcn(), request.dcn, axis));
        }
    }
    EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace meshreel
