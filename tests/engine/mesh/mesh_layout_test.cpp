// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "engine/base/error.h"
#include "engine/mesh/mesh_layout.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using enum MeshAxis;
using enum ContextSharing;
using Axes = std::vector<MeshAxis>;

TEST(MeshShape, CountsItsDevices) {
    EXPECT_EQ(MeshShape{}.devices(), 1);
    EXPECT_EQ((MeshShape{.data = 2, .fsdp = 1, .context = 4, .tensor = 3}.devices()), 24);
}

TEST(MeshShape, IsSpelledAxisByAxis) {
    EXPECT_EQ((MeshShape{.data = 2, .context = 4}.text()), "data 2, fsdp 1, context 4, tensor 1");
}

TEST(MeshLayout, CountsTensorFastestInsideAHost) {
    const MeshLayout layout({.data = 2, .fsdp = 1, .context = 3, .tensor = 2});
    EXPECT_EQ(layout.devices(), 12);
    EXPECT_EQ(layout.coordinates(0), (DeviceCoordinates{}));
    EXPECT_EQ(layout.coordinates(1), (DeviceCoordinates{.tensor = 1}));
    EXPECT_EQ(layout.coordinates(2), (DeviceCoordinates{.context = 1}));
    EXPECT_EQ(layout.coordinates(6), (DeviceCoordinates{.data = 1}));
}

TEST(MeshLayout, CountsHostsSlowestAndSplitsAxesOverThem) {
    const MeshLayout layout({.context = 2, .tensor = 2}, {.data = 2, .context = 2});
    EXPECT_EQ(layout.shape(), (MeshShape{.data = 2, .context = 4, .tensor = 2}));
    EXPECT_EQ(layout.devices(), 16);
    // Devices 4…7 are the second host: the upper half of the context axis of data 0.
    EXPECT_EQ(layout.coordinates(4), (DeviceCoordinates{.context = 2}));
    EXPECT_EQ(layout.coordinates(7), (DeviceCoordinates{.context = 3, .tensor = 1}));
    EXPECT_EQ(layout.coordinates(8), (DeviceCoordinates{.data = 1}));
    const std::array context{MeshAxis::Context};
    EXPECT_THAT(layout.group(5, context), ElementsAre(1, 3, 5, 7));
    const std::array both{MeshAxis::Context, MeshAxis::Data};
    EXPECT_THAT(layout.group(5, both), ElementsAre(1, 9, 3, 11, 5, 13, 7, 15));
}

TEST(MeshLayout, NumbersReadBack) {
    const MeshLayout layout({.data = 2, .fsdp = 3, .context = 2, .tensor = 2},
                            {.data = 2, .fsdp = 1, .context = 3, .tensor = 1});
    for (int device = 0; device < layout.devices(); ++device) {
        const DeviceCoordinates at = layout.coordinates(device);
        EXPECT_EQ(layout.deviceAt(at), device);
        for (const MeshAxis axis : meshAxes) {
            EXPECT_GE(at.along(axis), 0);
            EXPECT_LT(at.along(axis), layout.shape().extent(axis));
        }
    }
}

TEST(MeshLayout, GroupsOverEverythingAreInCoordinateOrder) {
    const MeshLayout layout({.data = 2, .context = 2});
    EXPECT_THAT(layout.group(3, meshAxes), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(layout.group(3, {}), ElementsAre(3));
}

Axes over(ContextSharing self, ContextSharing cross, std::string_view axis) {
    const std::vector<LogicalAxisRule> rules = logicalAxisRules(self, cross);
    const auto axes = findMeshAxes(rules, axis);
    return {axes.begin(), axes.end()};
}

TEST(LogicalAxes, ShareTokensOverContextAndWeightsOverFsdpAndTensor) {
    EXPECT_EQ(over(Sequence, QueriesOnly, "activation_batch"), (Axes{Data, Fsdp}));
    EXPECT_EQ(over(Sequence, QueriesOnly, "activation_length"), Axes{Context});
    EXPECT_EQ(over(Sequence, QueriesOnly, "mlp"), Axes{Tensor});
    EXPECT_EQ(over(Sequence, QueriesOnly, "heads"), Axes{Tensor});
    EXPECT_EQ(over(Sequence, QueriesOnly, "embed"), Axes{Fsdp}) << "not over context";
}

TEST(LogicalAxes, FollowTheAttention) {
    EXPECT_EQ(over(Sequence, QueriesOnly, "activation_self_attn_kv_length"), Axes{Context});
    EXPECT_EQ(over(Sequence, QueriesOnly, "activation_cross_attn_kv_length"), Axes{});
    EXPECT_EQ(over(Sequence, Sequence, "activation_cross_attn_kv_length"), Axes{Context});
    EXPECT_EQ(over(QueriesOnly, QueriesOnly, "activation_self_attn_q_length"), Axes{Context});
    EXPECT_EQ(over(QueriesOnly, QueriesOnly, "activation_self_attn_kv_length"), Axes{});
    EXPECT_EQ(over(HeadsInstead, QueriesOnly, "activation_self_attn_heads"), (Axes{Context, Tensor}));
    EXPECT_EQ(over(HeadsInstead, QueriesOnly, "activation_self_attn_q_length"), Axes{});
}

TEST(LogicalAxes, CountTheirParts) {
    const MeshShape shape{.data = 2, .fsdp = 3, .context = 4, .tensor = 5};
    EXPECT_EQ(partsOf(shape, {}), 1);
    EXPECT_EQ(partsOf(shape, Axes{Data, Fsdp}), 6);
    EXPECT_THROW(findMeshAxes(logicalAxisRules(Sequence, Sequence), "nothing"), Error);
}

}  // namespace

}  // namespace meshreel
