// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/models/vae/wan_vae_config.h"
#include "engine/tensor/shape.h"

namespace meshreel {

/// Floating-point operations, a multiply-add being two, of decoding latents [1, z, T, H, W]: convolutions,
/// and attention within the frames. An enlarged input counts as if it were multiplied out.
double vaeDecodeFlops(const WanVaeConfig& config, const Shape& latents);

}  // namespace meshreel
