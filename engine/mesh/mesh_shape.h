// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace meshreel {

/// The axes of a device mesh, in the order of MaxDiffusion's mesh_axes.
enum class MeshAxis : std::uint8_t { Data, Fsdp, Context, Tensor };

inline constexpr std::array meshAxes{MeshAxis::Data, MeshAxis::Fsdp, MeshAxis::Context, MeshAxis::Tensor};

/// "data", "fsdp", "context", "tensor".
std::string_view nameOf(MeshAxis axis);

/// Extents of the device mesh.
struct MeshShape {
    int data = 1;     ///< shares out the batch; the two halves of classifier-free guidance are a batch of two
    int fsdp = 1;     ///< shards of the weights; shares out the batch as well
    int context = 1;  ///< shards of the token sequence
    int tensor = 1;   ///< shards of heads and feed-forward features

    [[nodiscard]] constexpr int devices() const { return data * fsdp * context * tensor; }
    [[nodiscard]] int extent(MeshAxis axis) const;

    /// "data 1, fsdp 1, context 1, tensor 1".
    [[nodiscard]] std::string text() const;

    friend bool operator==(const MeshShape&, const MeshShape&) = default;
};

}  // namespace meshreel
