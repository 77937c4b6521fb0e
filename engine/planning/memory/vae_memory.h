// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/vae/wan_vae_config.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// Elements of features and of the past that convolutions remember, alive at most while the decoder works on
/// chunks of `latentFrames` of frames (or strips) of `pixels` pixels.
double vaeDecodeElements(const WanVaeConfig& config, double pixels, std::int64_t latentFrames);

/// The same of the encoder and chunks of `frames` frames.
double vaeEncodeElements(const WanVaeConfig& config, double pixels, std::int64_t frames);

/// Of so many weights, nearly all of which are those of convolutions, as the kernels of this CPU hold them.
std::uint64_t vaeWeightBytes(std::uint64_t weights, DType activations);

}  // namespace meshreel
