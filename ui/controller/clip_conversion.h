// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/tensor/tensor.h"
#include "ui/player/clip.h"

namespace meshreel {

/// Copies `frames`, u8 [time, height, width, 3]; of a batch [batch, time, height, width, 3] the first video.
Clip clipOf(const Tensor& frames, double framesPerSecond);

/// The way back: u8 [time, height, width, 3] of a clip with frames of one size.
Tensor framesOf(const Clip& clip);

}  // namespace meshreel
