// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// What from.toF32() holds, into memory of as many elements.
void copyAsF32(const Tensor& from, std::span<float> to);

}  // namespace meshreel
