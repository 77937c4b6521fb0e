// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/stop_token.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// How near a frame is to another one.
struct FrameLikeness {
    double psnr = 0;  ///< decibels over the three colours; infinite for equal frames
    double ssim =
        0;  ///< mean structural similarity of the luma (Gaussian window of 11, sigma 1.5): 1 for equal
};

/// Frame by frame, as many as the shorter of the two has: u8 [time, height, width, 3]. Throws Error{Input}
/// when the sizes differ, Error{Cancelled}.
std::vector<FrameLikeness> compareFrames(const Tensor& first, const Tensor& second,
                                         const StopToken& stop = {});

/// The absolute difference times `gain`, clipped, of as many frames. Throws as compareFrames.
Tensor frameDifferences(const Tensor& first, const Tensor& second, int gain);

/// The same of all frames together: PSNR of their mean squared error, mean SSIM. Zeros without frames.
FrameLikeness overall(const std::vector<FrameLikeness>& frames);

}  // namespace meshreel
