// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// A tensor of a file, without its values.
struct TensorSpec {
    std::string name;
    DType dtype = DType::F32;
    Shape shape;

    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(shape.elements()) * sizeOf(dtype);
    }
};

}  // namespace meshreel
