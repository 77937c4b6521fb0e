// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns bytes u8 of any shape as colours f32 in [0, 1].
Tensor coloursOfBytes(const Execution& execution, const Tensor& bytes);

/// Returns colours f32 as bytes, clipped to [0, 1] and rounded to the nearest, as upscalers and interpolators
/// write them. NaN becomes 0.
Tensor bytesOfColours(const Execution& execution, const Tensor& colours);

}  // namespace meshreel
