// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/kernels/rows/activations.h"

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

    /// A config of the vision model, or of a whole CLIP with a vision_config. Throws Error{Input} at `where`
    /// naming the key that is out of range or not supported.
    static ClipVisionConfig fromJson(const nlohmann::json& json, const std::string& where);

    /// Of a picture: its patches and the class token before them.
    [[nodiscard]] std::int64_t tokens() const {
        const std::int64_t side = imageSize / patchSize;
        return side * side + 1;
    }
};

}  // namespace meshreel
