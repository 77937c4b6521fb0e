// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/stop_token.h"
#include "engine/media/frame_distance.h"

namespace meshreel {

/// Frame by frame, as many as the shorter of the two has: u8 [time, height, width, 3]. Throws Error{Input}
/// when the sizes differ, Error{Cancelled}.
std::vector<FrameDistance> compareFrames(const Tensor& first, const Tensor& second,
                                         const StopToken& stop = {});

/// The absolute difference times `gain`, clipped, of as many frames. Throws as compareFrames.
Tensor frameDifferences(const Tensor& first, const Tensor& second, int gain);

/// Of all frames together: PSNR of their mean squared error, mean SSIM. Zeros without frames.
FrameDistance overall(const std::vector<FrameDistance>& frames);

}  // namespace meshreel
