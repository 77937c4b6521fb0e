// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/stop_token.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// How far two videos are from each other.
struct FrameDistance {
    double psnr = 0;  ///< dB, for all values together; infinite for equal videos
    double ssim = 0;  ///< mean of colours, frames and windows: 1 for equal videos
};

/// Measures the distance of frames u8 [..., height, width, 3] of one shape. SSIM is Wang's (2004): Gaussian
/// windows of 11 x 11 with a standard deviation of 1.5, each colour separately; windows are no larger than
/// the frames. Throws Error{Input} for other shapes.
FrameDistance measureDistance(const Tensor& frames, const Tensor& reference);

/// Distances frame by frame, as many as the shorter of the two has: u8 [time, height, width, 3]. Throws
/// Error{Input} when the sizes differ, Error{Cancelled}.
std::vector<FrameDistance> compareFrames(const Tensor& first, const Tensor& second,
                                         const StopToken& stop = {});

/// Returns the absolute difference times `gain`, clipped, of as many frames. Throws as compareFrames() does.
Tensor frameDifferences(const Tensor& first, const Tensor& second, int gain);

/// Returns the distance of all frames together: PSNR of their mean squared error, mean SSIM. Zeros without
/// frames.
FrameDistance overall(const std::vector<FrameDistance>& frames);

}  // namespace meshreel
