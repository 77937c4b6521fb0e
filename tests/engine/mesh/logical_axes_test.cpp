// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/logical_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using enum MeshAxis;
using enum ContextSharing;
using Axes = std::vector<MeshAxis>;

Axes over(ContextSharing self, ContextSharing cross, std::string_view axis) {
    const std::vector<LogicalAxisRule> rules = logicalAxisRules(self, cross);
    const auto axes = meshAxesOf(rules, axis);
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
    EXPECT_THROW(meshAxesOf(logicalAxisRules(Sequence, Sequence), "nothing"), Error);
}

}  // namespace
}  // namespace meshreel
