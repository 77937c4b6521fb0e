// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/number_types.h"
#include "engine/models/encoders/umt5.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel::testing {

/// A UMT5 encoder with random weights of sizes that keep activations near 1, in a file of its own.
class RandomUmt5 {
  public:
    RandomUmt5(const Umt5Config& config, DType type, std::uint32_t seed)
        : m_config(config), m_type(type), m_seed(seed), m_file(m_folder.path() / "model.safetensors") {
        const std::int64_t inner = config.heads * config.dKv;
        add("shared.weight", {config.vocabSize, config.dModel});
        for (std::int64_t layer = 0; layer < config.layers; ++layer) {
            const std::string block = "encoder.block." + std::to_string(layer);
            const std::string attention = block + ".layer.0.";
            const std::string feedForward = block + ".layer.1.";
            add(attention + "layer_norm.weight", {config.dModel});
            for (const char* name : {"q", "k", "v"})
                add(attention + "SelfAttention." + name + ".weight", {inner, config.dModel});
            add(attention + "SelfAttention.o.weight", {config.dModel, inner});
            add(attention + "SelfAttention.relative_attention_bias.weight", {config.buckets, config.heads});
            add(feedForward + "layer_norm.weight", {config.dModel});
            add(feedForward + "DenseReluDense.wi_0.weight", {config.dFf, config.dModel});
            add(feedForward + "DenseReluDense.wi_1.weight", {config.dFf, config.dModel});
            add(feedForward + "DenseReluDense.wo.weight", {config.dModel, config.dFf});
        }
        add("encoder.final_layer_norm.weight", {config.dModel});
        writeSafetensors(m_file, m_tensors);
        m_tensors.clear();
    }

    [[nodiscard]] const Umt5Config& config() const { return m_config; }
    [[nodiscard]] Checkpoint checkpoint() const { return Checkpoint::open(m_file); }

  private:
    void add(std::string name, const Shape& shape) {
        Tensor values = randomTensor(shape, m_seed + static_cast<std::uint32_t>(m_tensors.size()));
        const float scale = shape.rank() == 1 ? 1.0F : 1.0F / std::sqrt(static_cast<float>(shape[1]));
        for (float& value : values.data<float>())
            value *= scale;
        if (m_type == DType::BF16) {
            Tensor rounded = Tensor::empty(shape, DType::BF16);
            std::ranges::transform(values.data<float>(), rounded.data<BFloat16>().begin(), toBFloat16);
            values = rounded;
        }
        m_tensors.emplace_back(std::move(name), std::move(values));
    }

    Umt5Config m_config;
    DType m_type;
    std::uint32_t m_seed;
    TemporaryFolder m_folder;
    std::filesystem::path m_file;
    std::vector<NamedTensor> m_tensors;
};

}  // namespace meshreel::testing
