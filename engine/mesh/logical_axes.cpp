// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/logical_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using enum MeshAxis;
using Axes = std::vector<MeshAxis>;

/// Of one attention: its heads, query tokens and key tokens.
struct AttentionAxes {
    std::string_view heads;
    std::string_view queryLength;
    std::string_view keyLength;
};

constexpr AttentionAxes selfAxes{.heads = "activation_self_attn_heads",
                                 .queryLength = "activation_self_attn_q_length",
                                 .keyLength = "activation_self_attn_kv_length"};
constexpr AttentionAxes crossAxes{.heads = "activation_cross_attn_heads",
                                  .queryLength = "activation_cross_attn_q_length",
                                  .keyLength = "activation_cross_attn_kv_length"};

/// The tensor axis shares out heads in every mode: projections make only a device's own.
void addAttention(std::vector<LogicalAxisRule>& rules, const AttentionAxes& axes, ContextSharing sharing) {
    const bool byHeads = sharing == ContextSharing::HeadsInstead;
    rules.push_back({axes.heads, byHeads ? Axes{Context, Tensor} : Axes{Tensor}});
    rules.push_back({axes.queryLength, byHeads ? Axes{} : Axes{Context}});
    rules.push_back({axes.keyLength, sharing == ContextSharing::Sequence ? Axes{Context} : Axes{}});
}

}  // namespace

std::vector<LogicalAxisRule> logicalAxisRules(ContextSharing selfAttention, ContextSharing crossAttention) {
    std::vector<LogicalAxisRule> rules{
        {"batch", {Data, Fsdp}},
        {"activation_batch", {Data, Fsdp}},
        {"activation_length", {Context}},
        {"activation_heads", {Tensor}},
    };
    addAttention(rules, selfAxes, selfAttention);
    addAttention(rules, crossAxes, crossAttention);
    rules.insert(rules.end(), {{"mlp", {Tensor}},
                               {"embed", {Fsdp}},
                               {"heads", {Tensor}},
                               {"norm", {Tensor}},
                               {"conv_batch", {}},
                               {"conv_out", {}}});
    return rules;
}

std::span<const MeshAxis> meshAxesOf(std::span<const LogicalAxisRule> rules, std::string_view axis) {
    const auto found = std::ranges::find(rules, axis, &LogicalAxisRule::axis);
    if (found == rules.end())
        throw Error(ErrorKind::Internal, fmt::format("There is no rule for the logical axis {}", axis));
    return found->over;
}

int partsOf(const MeshShape& shape, std::span<const MeshAxis> over) {
    int parts = 1;
    for (const MeshAxis axis : over)
        parts *= shape.extent(axis);
    return parts;
}

}  // namespace meshreel
