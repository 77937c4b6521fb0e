// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mesh_shape.h"

#include <fmt/format.h>

namespace meshreel {

std::string MeshShape::text() const {
    return fmt::format("data {}, fsdp {}, context {}, tensor {}", data, fsdp, context, tensor);
}

}  // namespace meshreel
