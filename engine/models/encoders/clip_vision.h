// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/models/encoders/encoder_weights.h"
#include "engine/models/probe.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// Hugging Face's CLIPVisionModel config.json; absent keys have the values of the ViT-H that Wan 2.1's image
/// models use.
struct ClipVisionConfig {
    std::int64_t hiddenSize = 1280;        ///< hidden_size
    std::int64_t intermediateSize = 5120;  ///< intermediate_size
    std::int64_t layers = 32;              ///< num_hidden_layers
    std::int64_t heads = 16;               ///< num_attention_heads
    std::int64_t imageSize = 224;          ///< image_size: pixels of a side
    std::int64_t patchSize = 14;           ///< patch_size
    double epsilon = 1e-5;                 ///< layer_norm_eps
    Activation* activation = geluErf;      ///< hidden_act: "gelu" or "quick_gelu"

    /// Returns a config of the vision model, or of a whole CLIP with a vision_config. Throws Error{Input} at
    /// `where` naming the key that is out of range or not supported.
    static ClipVisionConfig fromJson(const nlohmann::json& json, const std::string& where);

    /// Tokens of a picture: its patches and the class token before them.
    [[nodiscard]] std::int64_t tokens() const {
        const std::int64_t side = imageSize / patchSize;
        return side * side + 1;
    }
};

/// The CLIP image encoder (ViT-H) of Wan 2.1's image models and of Animate. Its weights stay in the
/// checkpoint's map: each call brings one layer after the other into memory and lets it go again.
class ClipVisionEncoder {
  public:
    /// Computes on the GPU of `memory`, or on the workers. Throws Error{Input} for missing tensors and wrong
    /// shapes.
    ClipVisionEncoder(const ClipVisionConfig& config, const Checkpoint& checkpoint,
                      Arithmetic arithmetic = Arithmetic::F32, Memory* memory = nullptr);

    /// Returns how the checkpoint holds the layers' matrices: see storedLinearType().
    static DType storedType(const ClipVisionConfig& config, const Checkpoint& checkpoint);

    /// Returns the bytes of a GPU's memory that encoding so many images together takes, of weights that are
    /// stored as storedType() says: a layer, and what the images compute in.
    static std::size_t gpuBytes(const ClipVisionConfig& config, DType stored, Arithmetic arithmetic,
                                std::int64_t images);

    [[nodiscard]] const ClipVisionConfig& config() const { return m_config; }

    /// Returns the transformer's input: transformers' hidden_states[-2], the output of all layers but the
    /// last without the norm after it, f32 [B, tokens, hiddenSize]. `pixels`: f32 [B, 3, imageSize,
    /// imageSize], normalised as the encoder's image processor does. Throws Error{Input} for another shape,
    /// NonFiniteError, Error{Cancelled}. Probes get layer0_out …, penultimate, and last_layer_out, for which
    /// the last layer runs as well.
    [[nodiscard]] Tensor encode(const Execution& execution, const Tensor& pixels,
                                const Probe& probe = {}) const;

  private:
    struct Layer;
    struct Workspace;

    [[nodiscard]] Tensor embed(const Execution& execution, const Tensor& pixels) const;
    void runLayer(const Execution& execution, const Layer& layer, Workspace& work) const;

    ClipVisionConfig m_config;
    Checkpoint m_checkpoint;
    EncoderPlace m_place;
};

}  // namespace meshreel
