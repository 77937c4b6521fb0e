// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// The beginning of a buffer's memory under another shape, which must fit.
inline Tensor frontOf(const Tensor& buffer, Shape shape) {
    return Tensor::view(buffer.raw(), std::move(shape), buffer.dtype(), std::make_shared<Tensor>(buffer));
}

}  // namespace meshreel
