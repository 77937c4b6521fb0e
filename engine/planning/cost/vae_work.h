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

/// Convolutions, and attention within the frames. A multiply-add is two operations; an enlarged input counts
/// as if it were multiplied out.
struct VaeWork {
    double flops = 0;          ///< what a rate is stated by
    double computedFlops = 0;  ///< without products with the zeros that stand before the first frame
    double values = 0;         ///< that the layers read and write
    double layers = 0;         ///< convolutions, each counted once for every latent frame
};

/// Of latents [1, z, T, H, W].
VaeWork vaeDecodeWork(const WanVaeConfig& config, const Shape& latents);

/// Of a video of 4 k + 1 frames.
VaeWork vaeEncodeWork(const WanVaeConfig& config, const VideoExtent& video);

}  // namespace meshreel
