// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/estimates/machine_rates.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/models/vae/wan_vae_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

// What is timed for rates on CPUs and on GPUs alike: transformers of random weights, in these precisions, and
// a VAE that decodes.

inline constexpr WanPrecision f32Precision{};
inline constexpr WanPrecision bf16Precision{.weights = Arithmetic::BF16, .activations = DType::BF16};
inline constexpr WanPrecision int8Precision{.weights = Arithmetic::Int8, .activations = DType::BF16};

/// Returns one block of Wan 2.1 1.3B. Throws as configOf() does.
WanTransformerConfig largeTransformer();
/// Returns four blocks of the embedded model's width.
WanTransformerConfig smallTransformer();

/// Decoding by a Wan 2.1 VAE.
struct VaeProbe {
    std::int64_t latentFrames;
    std::int64_t side;  ///< of the latents
    DType type;
};

/// Returns the sample of the probe on so many CPUs, with its work and without its seconds.
RateSample sampleOf(const WanVaeConfig& config, const VaeProbe& probe, int cpus);

}  // namespace meshreel
