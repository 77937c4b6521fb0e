// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/vae/wan_vae_config.h"
#include "engine/tensor/dtype.h"

// What the VAEs' features take of memory. On the host a pool keeps memory of every size that was needed; a
// GPU gives freed memory out again at once.

namespace meshreel {

/// Elements of features and of the past that convolutions remember, alive at most while the decoder works on
/// chunks of `latentFrames` of frames (or strips) of `pixels` pixels.
double vaeDecodeElements(const WanVaeConfig& config, double pixels, std::int64_t latentFrames);

/// Elements alive at most while the encoder works on chunks of `frames` frames.
double vaeEncodeElements(const WanVaeConfig& config, double pixels, std::int64_t frames);

/// What is decoded on a GPU: whole frames, or strips of them in turn.
struct GpuDecoding {
    double framePixels = 0;
    double partPixels = 0;  ///< pixels of a strip with what it depends on; without strips those of the frame
    std::int64_t latentFrames = 0;
    std::int64_t chunk = 1;  ///< latent frames that are decoded together, after the first
};

/// Returns the bytes of features that a GPU holds at most while it decodes a video, of the whole VAE's layers
/// or of a small decoder's.
double vaeDecodeBytesOnGpu(const WanVaeConfig& config, DType activations, const GpuDecoding& video);

/// Returns the bytes of features that a GPU holds at most while it encodes frames of `pixels`, `chunk` of
/// them together.
double vaeEncodeBytesOnGpu(const WanVaeConfig& config, DType activations, double pixels, std::int64_t frames,
                           std::int64_t chunk);

}  // namespace meshreel
