// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/tensor/tensor.h"

namespace meshreel {

/// [rows, columns] of any type that toF32() takes, as f32 [columns, rows].
Tensor transposed(const Tensor& matrix);

}  // namespace meshreel
