// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

struct OnHost;
struct OnVulkan;

/// The Wan VAE's normalisation over the channels of every pixel: y = x / max(‖x‖₂, 1e-12) · √C · gamma,
/// followed by SiLU if requested. A pixel's result depends only on the pixel.
class ChannelNorm {
  public:
    enum class After : std::uint8_t { Nothing, Silu };

    /// gamma: f32 of C elements, in any shape, in the memory of what it is applied to.
    explicit ChannelNorm(Tensor gamma, After after = After::Silu);

    [[nodiscard]] std::int64_t channels() const { return m_gamma.elements(); }
    [[nodiscard]] ChannelNorm followedBy(After after) const { return ChannelNorm(m_gamma, after); }

    /// One pixel, on the calling thread; y may be x.
    void apply(std::span<const float> x, std::span<float> y) const;

    /// x and y: [pixels, C] of f32 or bf16 each, in the memory of gamma; on the host the workers share the
    /// pixels. y may be x. Throws Error{Internal} when the shapes do not fit.
    void apply(const Execution& execution, const MatrixView& x, const MatrixSpan& y) const;

  private:
    void applyOn(const OnHost& on, const MatrixView& x, const MatrixSpan& y) const;
    void applyOn(const OnVulkan& on, const MatrixView& x, const MatrixSpan& y) const;

    using Row = void(const float* x, const float* gamma, std::size_t channels, float* y);

    Tensor m_gamma;
    After m_after;
    Row* m_row;
};

}  // namespace meshreel
