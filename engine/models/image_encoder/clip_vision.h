// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/execution.h"
#include "engine/models/image_encoder/clip_vision_config.h"
#include "engine/models/image_encoder/clip_vision_layer.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The CLIP image encoder (ViT-H) of Wan 2.1's image models and of Animate. Its weights stay in the
/// checkpoint's map: each call brings one layer after the other into memory and lets it go again.
class ClipVisionEncoder {
  public:
    /// Throws Error{Input} for missing tensors and wrong shapes.
    ClipVisionEncoder(const ClipVisionConfig& config, const Checkpoint& checkpoint,
                      Arithmetic arithmetic = Arithmetic::F32);

    [[nodiscard]] const ClipVisionConfig& config() const { return m_config; }

    /// What the transformer is given: transformers' hidden_states[-2], the output of all layers but the last
    /// without the norm behind it, f32 [B, tokens, hiddenSize]. `pixels`: f32 [B, 3, imageSize, imageSize],
    /// normalised (see engine/media/image_processor.h). Throws Error{Input} for another shape,
    /// NonFiniteError, Error{Cancelled}. Probes get layer0_out …, penultimate, and last_layer_out, for which
    /// the last layer runs as well.
    [[nodiscard]] Tensor encode(const Execution& execution, const Tensor& pixels,
                                const Probe& probe = {}) const;

  private:
    struct Workspace;

    [[nodiscard]] Tensor embed(const Execution& execution, const Tensor& pixels) const;
    void runLayer(const Execution& execution, const ClipVisionLayer& layer, Workspace& work) const;

    ClipVisionConfig m_config;
    Checkpoint m_checkpoint;
    Arithmetic m_arithmetic;
};

}  // namespace meshreel
