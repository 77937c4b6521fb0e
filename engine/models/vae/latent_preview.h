// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// A colour preview of latents without the decoder: one linear map from latent channels to RGB, fitted to a
/// VAE.
class LatentPreview {
  public:
    /// The version of fit(): another number, another result.
    static constexpr int fitVersion = 1;

    /// Returns the shape of the coefficients for latents of z channels.
    static Shape coefficientShape(std::int64_t z) { return {3, z + 1}; }

    /// Encodes two small synthetic clips (smooth and blocky colours) and fits the mean colour of the pixels
    /// that a latent stands for to its normalised channels, by ridge regression. Costs one encode of 2 clips
    /// of 5 frames, 8×8 latents each. Throws Error{Input} unless the VAE's video is RGB.
    static LatentPreview fit(const Execution& execution, const WanVae& vae);

    /// Uses `coefficients` of another preview. Throws Error{Internal} for another shape.
    explicit LatentPreview(const Tensor& coefficients);

    /// Returns what a latent's channels and, last, a constant 1 count in red, green and blue: f32 [3, z + 1].
    [[nodiscard]] Tensor coefficients() const;

    /// latents [1, z, F, H', W'], normalised as the transformer sees them. Returns u8 [F, H'·scale, W'·scale,
    /// 3], enlarged bilinearly. Throws Error{Internal} for another shape.
    [[nodiscard]] Tensor frames(const Tensor& latents, std::int64_t scale = 4) const;

  private:
    explicit LatentPreview(std::vector<float> coefficients) : m_coefficients(std::move(coefficients)) {}

    [[nodiscard]] std::int64_t channels() const { return std::ssize(m_coefficients) / 3 - 1; }
    [[nodiscard]] Tensor colours(const Tensor& latents) const;

    std::vector<float> m_coefficients;  // [3][z + 1], the constant last
};

}  // namespace meshreel
