// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/tensor/matrix_view.h"

namespace meshreel {

/// One input frame, channels last, of f32 or bf16. A frame that is a strip of a wider one brings the columns
/// next to it; where there are none the image ends and zeros are read.
struct ConvolutionFrame {
    MatrixView pixels = {};  ///< [height·width, in]; no rows: a frame of zeros, whose work is skipped
    MatrixView left = {};    ///< [height, in]: the column before the first; no rows: there is none
    MatrixView right = {};   ///< [height, in]: the column behind the last
};

/// A rectangle of source pixels, which may reach over the borders of the frame.
struct PatchPlace {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// Copies the pixels of a patch side by side to `to`, [rows, columns, in] of f32 or bf16 (`type`), rounded
/// where that is bf16 and the frame is f32. Beyond the border are the columns that the frame knows, then
/// zeros.
void gatherPatch(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, DType type,
                 void* to);

}  // namespace meshreel
