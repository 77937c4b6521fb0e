// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/weights/formats/safetensors.h"

namespace meshreel::testing {

/// A copy of the embedded model whose parts can be made as large as a test of memory needs, with weights of
/// zeros: they take the room of any others and compute to finite nothing.
class ZeroModel {
  public:
    ZeroModel(const std::filesystem::path& embedded, std::filesystem::path folder)
        : m_folder(std::move(folder)) {
        std::filesystem::copy(embedded, m_folder, std::filesystem::copy_options::recursive);
    }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

    /// `changes` go into the part's config.json.
    void setTransformer(const nlohmann::json& changes, DType type) {
        const auto config = WanTransformerConfig::fromJson(changed("transformer", changes), "transformer");
        std::vector<NamedTensor> tensors;
        for (const WanLayer& layer : wanLayers(config))
            for (const WanParameter& parameter : layer.parameters)
                if (!parameter.optional)
                    tensors.emplace_back(layer.prefix + parameter.name, Tensor::zeros(parameter.shape, type));
        writeSafetensors(m_folder / "transformer" / "diffusion_pytorch_model.safetensors", tensors);
    }

    void setTextEncoder(const nlohmann::json& changes, DType type) {
        const auto config = Umt5Config::fromJson(changed("text_encoder", changes), "text_encoder");
        const std::int64_t inner = config.heads * config.dKv;
        std::vector<NamedTensor> tensors;
        const auto add = [&](const std::string& name, const Shape& shape) {
            tensors.emplace_back(name + ".weight", Tensor::zeros(shape, type));
        };
        add("shared", {config.vocabSize, config.dModel});
        add("encoder.final_layer_norm", {config.dModel});
        for (std::int64_t layer = 0; layer < config.layers; ++layer) {
            const std::string block = "encoder.block." + std::to_string(layer) + ".layer.";
            add(block + "0.layer_norm", {config.dModel});
            for (const char* name : {"q", "k", "v"})
                add(block + "0.SelfAttention." + name, {inner, config.dModel});
            add(block + "0.SelfAttention.o", {config.dModel, inner});
            add(block + "0.SelfAttention.relative_attention_bias", {config.buckets, config.heads});
            add(block + "1.layer_norm", {config.dModel});
            add(block + "1.DenseReluDense.wi_0", {config.dFf, config.dModel});
            add(block + "1.DenseReluDense.wi_1", {config.dFf, config.dModel});
            add(block + "1.DenseReluDense.wo", {config.dModel, config.dFf});
        }
        writeSafetensors(m_folder / "text_encoder" / "model.safetensors", tensors);
    }

  private:
    nlohmann::json changed(const char* part, const nlohmann::json& changes) const {
        const std::filesystem::path file = m_folder / part / "config.json";
        nlohmann::json config = readJsonObject(file);
        config.update(changes);
        writeFileAtomically(file, config.dump(2));
        return config;
    }

    std::filesystem::path m_folder;
};

}  // namespace meshreel::testing
