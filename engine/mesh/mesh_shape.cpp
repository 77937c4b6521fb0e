// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_shape.h"

#include <fmt/format.h>

namespace meshreel {

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

}  // namespace meshreel
