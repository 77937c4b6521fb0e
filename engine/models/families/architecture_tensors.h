// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/weights/tensor_spec.h"

namespace meshreel {

/// Grows by tensors whose names share a prefix.
class TensorList {
  public:
    void add(const std::string& name, const Shape& shape);
    /// NAME.weight of `weight` and NAME.bias of its first extent.
    void layer(const std::string& name, const Shape& weight);
    /// NAME.weight and NAME.bias [width].
    void norm(const std::string& name, std::int64_t width);

    [[nodiscard]] std::vector<TensorSpec> take() { return std::move(m_tensors); }

  private:
    std::vector<TensorSpec> m_tensors;
};

/// diffusers' WanTransformer3DModel with its image, VACE and Animate variants.
std::vector<TensorSpec> wanTransformerTensors(const nlohmann::json& config);
/// diffusers' AutoencoderKLWan, of Wan 2.1 and (is_residual) Wan 2.2.
std::vector<TensorSpec> wanVaeTensors(const nlohmann::json& config);
/// transformers' UMT5EncoderModel.
std::vector<TensorSpec> umt5Tensors(const nlohmann::json& config);
/// transformers' CLIPVisionModelWithProjection.
std::vector<TensorSpec> clipVisionTensors(const nlohmann::json& config);

}  // namespace meshreel
