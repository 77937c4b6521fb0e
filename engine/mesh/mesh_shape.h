// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace meshreel {

/// Extents of the device mesh, in the order of MaxDiffusion's mesh_axes.
struct MeshShape {
    int data = 1;     ///< copies of the model; the doubled batch of classifier-free guidance is split over it
    int fsdp = 1;     ///< shards of the weights
    int context = 1;  ///< shards of the token sequence
    int tensor = 1;   ///< shards of heads and feed-forward features

    [[nodiscard]] constexpr int devices() const { return data * fsdp * context * tensor; }

    /// "data 1, fsdp 1, context 1, tensor 1".
    [[nodiscard]] std::string text() const;

    friend bool operator==(const MeshShape&, const MeshShape&) = default;
};

}  // namespace meshreel
