// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/vae/wan_vae_config.h"
#include "engine/tensor/shape.h"

namespace meshreel {

struct VideoExtent {
    std::int64_t frames = 0;
    std::int64_t height = 0;  ///< in pixels
    std::int64_t width = 0;
};

/// Floating-point operations, a multiply-add being two, of decoding latents [1, z, T, H, W]: convolutions,
/// and attention within the frames. An enlarged input counts as if it were multiplied out.
double vaeDecodeFlops(const WanVaeConfig& config, const Shape& latents);

/// The same of encoding a video of 4 k + 1 frames.
double vaeEncodeFlops(const WanVaeConfig& config, const VideoExtent& video);

}  // namespace meshreel
