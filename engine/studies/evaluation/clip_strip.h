// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Frames u8 [time, height, width, 3] side by side, as one picture [height, time * width, 3].
Tensor stripOf(const Tensor& frames);

/// The frames of a strip again. Throws Error{Input} when its width is no multiple of `frames`.
Tensor framesOf(const Tensor& strip, std::int64_t frames);

}  // namespace meshreel
