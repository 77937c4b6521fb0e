// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/tensor/tensor.h"

namespace meshreel {

/// Computes classifier-free guidance: uncond + scale * (cond - uncond), element-wise in f32. Both tensors are
/// f32 and of one shape.
Tensor guide(const Tensor& cond, const Tensor& uncond, double scale);

/// Phantom's guidance in two parts, neither + imageScale·(uncond − neither) + scale·(cond − uncond): uncond
/// has the pictures without the prompt, `neither` has neither.
Tensor guide(const Tensor& cond, const Tensor& uncond, const Tensor& neither, double scale,
             double imageScale);

}  // namespace meshreel
