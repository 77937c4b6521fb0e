// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/kernels/execution.h"
#include "engine/media/image_processor.h"
#include "engine/models/image_encoder/clip_vision.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Pictures u8 [H, W, 3] of any size as CLIP takes them, f32 [images, 3, side, side].
Tensor clipPixels(const ImageProcessor& processor, const std::vector<Tensor>& pictures);

/// What the transformer attends to of pictures, f32 [images, tokens, hiddenSize].
Tensor imageTokensOf(const Execution& execution, const ClipVisionEncoder& encoder,
                     const ImageProcessor& processor, const std::vector<Tensor>& pictures);

}  // namespace meshreel
