// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "engine/base/stop_token.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns how restless a video is, in levels of 255: how far the brightness (luma of BT.709) of a pixel is
/// from the mean of the frames before and after it, on average over the frames; the median over the pixels.
/// Steady changes cancel out, and what moves does not count as long as it covers less than half of the
/// picture. `frames` u8 [time, height, width, 3]; nothing for fewer than three frames. Throws
/// Error{Cancelled}.
std::optional<double> measureFlicker(const Tensor& frames, const StopToken& stop = {});

/// Returns how much detail a video has, in levels of 255: the standard deviation of the Laplacian of the
/// brightness (Pech-Pacheco et al., Diatom autofocusing in brightfield microscopy, ICPR 2000), the mean over
/// the frames. Noise counts as detail, too. `frames` as above; nothing for pictures below 3 x 3. Throws
/// Error{Cancelled}.
std::optional<double> measureSharpness(const Tensor& frames, const StopToken& stop = {});

}  // namespace meshreel
