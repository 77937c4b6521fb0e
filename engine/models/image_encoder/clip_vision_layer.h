// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/models/image_encoder/clip_vision_config.h"
#include "engine/models/layers/streamed_tensors.h"

namespace meshreel {

/// gamma and beta of a layer norm, f32.
struct ClipNorm {
    Tensor gamma;
    Tensor beta;
};

/// The weights of one layer of a CLIP vision model.
struct ClipVisionLayer {
    ClipNorm attentionNorm;
    PackedMatrix query, key, value, output;
    ClipNorm featuresNorm;
    PackedMatrix up, down;
};

/// The tensors of a layer under transformers' names, in the order in which readClipVisionLayer wants them.
std::vector<StreamedTensor> clipVisionLayerTensors(const ClipVisionConfig& config, std::int64_t index);

/// As readAsF32 and readLinear: the layer is used up when the arena's frame ends.
ClipVisionLayer readClipVisionLayer(const Execution& execution, const Checkpoint& checkpoint,
                                    const std::vector<StreamedTensor>& tensors, Arithmetic arithmetic,
                                    ScratchArena& memory);

}  // namespace meshreel
