// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/mesh/mesh_shape.h"

namespace meshreel {

/// How the devices of the context axis share an attention.
enum class ContextSharing : std::uint8_t {
    Sequence,      ///< queries and keys by tokens (ring, Ulysses and both)
    QueriesOnly,   ///< queries by tokens; every device has, or gathers, all keys
    HeadsInstead,  ///< by heads, with the whole sequence each
};

/// Which mesh axes share out a logical axis of a tensor, outermost first; none: every device has all of it.
struct LogicalAxisRule {
    std::string_view axis;  ///< as MaxDiffusion's logical_axis_rules spell it
    std::vector<MeshAxis> over;
};

/// The rules for a transformer whose attentions are shared like this. Other than MaxDiffusion's they leave
/// the context axis out of weights (embed, conv_batch, conv_out): every device of it keeps them whole.
std::vector<LogicalAxisRule> logicalAxisRules(ContextSharing selfAttention, ContextSharing crossAttention);

/// Throws Error{Internal} for an axis without a rule.
std::span<const MeshAxis> meshAxesOf(std::span<const LogicalAxisRule> rules, std::string_view axis);

/// Devices that share out the axis: the product of the extents.
int partsOf(const MeshShape& shape, std::span<const MeshAxis> over);

}  // namespace meshreel
