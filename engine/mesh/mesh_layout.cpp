// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// Number of a position in a mesh, tensor fastest.
int numberOf(const DeviceCoordinates& at, const MeshShape& shape) {
    return ((at.data * shape.fsdp + at.fsdp) * shape.context + at.context) * shape.tensor + at.tensor;
}

/// Inverse of numberOf.
DeviceCoordinates positionOf(int number, const MeshShape& shape) {
    const int tensor = number % shape.tensor;
    number /= shape.tensor;
    const int context = number % shape.context;
    number /= shape.context;
    return {.data = number / shape.fsdp, .fsdp = number % shape.fsdp, .context = context, .tensor = tensor};
}

int& coordinate(DeviceCoordinates& at, MeshAxis axis) {
    const std::array members{&at.data, &at.fsdp, &at.context, &at.tensor};
    return *members[static_cast<std::size_t>(axis)];
}

using enum MeshAxis;
using Axes = std::vector<MeshAxis>;

/// The logical axes of one attention.
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

/// The tensor axis divides heads in every mode: projections make only a device's own.
void addAttention(std::vector<LogicalAxisRule>& rules, const AttentionAxes& axes, ContextSharing sharing) {
    const bool byHeads = sharing == ContextSharing::HeadsInstead;
    rules.push_back({axes.heads, byHeads ? Axes{Context, Tensor} : Axes{Tensor}});
    rules.push_back({axes.queryLength, byHeads ? Axes{} : Axes{Context}});
    rules.push_back({axes.keyLength, sharing == ContextSharing::Sequence ? Axes{Context} : Axes{}});
}

}  // namespace

std::string_view nameOf(MeshAxis axis) {
    constexpr std::array<std::string_view, meshAxes.size()> names{"data", "fsdp", "context", "tensor"};
    return names[static_cast<std::size_t>(axis)];
}

int MeshShape::extent(MeshAxis axis) const {
    const std::array extents{data, fsdp, context, tensor};
    return extents[static_cast<std::size_t>(axis)];
}

std::string MeshShape::text() const {
    return fmt::format("data {}, fsdp {}, context {}, tensor {}", data, fsdp, context, tensor);
}

int DeviceCoordinates::along(MeshAxis axis) const {
    const std::array members{data, fsdp, context, tensor};
    return members[static_cast<std::size_t>(axis)];
}

MeshLayout::MeshLayout(const MeshShape& ici, const MeshShape& dcn) : m_ici(ici), m_dcn(dcn) {}

MeshShape MeshLayout::shape() const {
    return {.data = m_dcn.data * m_ici.data,
            .fsdp = m_dcn.fsdp * m_ici.fsdp,
            .context = m_dcn.context * m_ici.context,
            .tensor = m_dcn.tensor * m_ici.tensor};
}

DeviceCoordinates MeshLayout::coordinates(int device) const {
    DeviceCoordinates at = positionOf(device % m_ici.devices(), m_ici);
    const DeviceCoordinates outer = positionOf(device / m_ici.devices(), m_dcn);
    for (const MeshAxis axis : meshAxes)
        coordinate(at, axis) += outer.along(axis) * m_ici.extent(axis);
    return at;
}

int MeshLayout::deviceAt(const DeviceCoordinates& at) const {
    DeviceCoordinates outer;
    DeviceCoordinates inner;
    for (const MeshAxis axis : meshAxes) {
        coordinate(outer, axis) = at.along(axis) / m_ici.extent(axis);
        coordinate(inner, axis) = at.along(axis) % m_ici.extent(axis);
    }
    return numberOf(outer, m_dcn) * m_ici.devices() + numberOf(inner, m_ici);
}

std::vector<int> MeshLayout::group(int device, std::span<const MeshAxis> axes) const {
    const MeshShape extents = shape();
    std::vector<DeviceCoordinates> members{coordinates(device)};
    for (const MeshAxis axis : axes) {
        std::vector<DeviceCoordinates> wider;
        for (const DeviceCoordinates& member : members)
            for (int index = 0; index < extents.extent(axis); ++index) {
                wider.push_back(member);
                coordinate(wider.back(), axis) = index;
            }
        members = std::move(wider);
    }
    std::vector<int> devices;
    devices.reserve(members.size());
    for (const DeviceCoordinates& member : members)
        devices.push_back(deviceAt(member));
    return devices;
}

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

std::span<const MeshAxis> findMeshAxes(std::span<const LogicalAxisRule> rules, std::string_view axis) {
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
