// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Seeded numbers, uniform with deviation 1 times `deviation`, of dtype F32 or BF16.
Tensor randomRows(const Execution& execution, const Shape& shape, DType type, float deviation = 1.0F,
                  std::uint64_t seed = 0);

}  // namespace meshreel
