// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// A picture to read: f32 [height · width, channels], line by line. Its pixels may be columns of wider rows.
struct PictureView {
    MatrixView pixels;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

/// A picture to write, as PictureView has it. It overlaps nothing that is read with it.
struct PictureSpan {
    MatrixSpan pixels;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

// Each computes in the memory of its pictures, in f32: on the host the workers share the lines. All throw
// Error{Internal} for pictures that do not fit each other, are no f32, or lie in two memories.

/// Computes into = factor · `from` in the size of `into`, as torch's F.interpolate(mode="bilinear",
/// align_corners=False): between the nearest pixels, whatever the step. One size is a copy.
void resizePicture(const Execution& execution, const PictureView& from, const PictureSpan& into,
                   float factor = 1.0F);

/// Computes each pixel of `into` (y, x) as `from` at (y + flow₁, x + flow₀), bilinear; places outside are
/// those at the border: torch's grid_sample(padding_mode="border", align_corners=True) on a flow in pixels.
/// `flow`: [height · width, 2]. All have one size.
void warpPicture(const Execution& execution, const PictureView& from, const MatrixView& flow,
                 const PictureSpan& into);

/// Makes squares of side × side pixels of the channels of each pixel: torch's PixelShuffle. Channel (c · side
/// + y) · side + x is channel c of the pixel at (y, x) of its square.
void unfoldPixels(const Execution& execution, const PictureView& from, std::int64_t side,
                  const PictureSpan& into);

/// Computes into = one · σ(weight) + other · (1 - σ(weight)), σ(v) = 1/(1 + e^-v). `weight`: [rows, 1].
void blendBySigmoid(const Execution& execution, const MatrixView& one, const MatrixView& other,
                    const MatrixView& weight, const MatrixSpan& into);

}  // namespace meshreel
