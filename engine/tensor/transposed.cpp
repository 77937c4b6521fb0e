// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tensor/transposed.h"

#include <utility>

namespace meshreel {

Tensor transposed(const Tensor& matrix) {
    const Tensor values = matrix.toF32();
    Tensor result = Tensor::empty({values.extent(1), values.extent(0)});
    const auto from = std::as_const(values).data<float>();
    const auto to = result.data<float>();
    const auto rows = static_cast<std::size_t>(values.extent(0));
    const auto columns = static_cast<std::size_t>(values.extent(1));
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column)
            to[column * rows + row] = from[row * columns + column];
    return result;
}

}  // namespace meshreel
