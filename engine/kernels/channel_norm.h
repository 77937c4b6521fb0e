// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/kernels/activations.h"
#include "engine/kernels/execution.h"

namespace meshreel {

/// The Wan VAE's normalisation over the channels of every pixel: y = x / max(‖x‖₂, 1e-12) · √C · gamma,
/// followed by `activation` where one is given. x and y are [pixels, C] with C = gamma.size() and may be the
/// same memory.
void channelNorm(const Execution& execution, std::span<const float> x, std::span<const float> gamma,
                 Activation* activation, std::span<float> y);

}  // namespace meshreel
