// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/temporary_folder.h"

namespace meshreel::testing {

/// A transformer with random weights of sizes that keep activations near 1, in a file of its own.
class RandomWan {
  public:
    RandomWan(const WanTransformerConfig& config, std::uint32_t seed)
        : m_config(config), m_file(m_folder.path() / "transformer.safetensors") {
        std::mt19937 generator(seed);
        std::vector<NamedTensor> tensors;
        for (const WanLayer& layer : wanLayers(config))
            for (const WanParameter& parameter : layer.parameters)
                if (!parameter.optional)
                    tensors.emplace_back(layer.prefix + parameter.name,
                                         randomParameter(parameter, generator));
        writeSafetensors(m_file, tensors);
    }

    [[nodiscard]] const WanTransformerConfig& config() const { return m_config; }
    [[nodiscard]] Checkpoint checkpoint() const { return Checkpoint::open(m_file); }

  private:
    static Tensor randomParameter(const WanParameter& parameter, std::mt19937& generator) {
        const auto inputs = static_cast<float>(parameter.shape.elements() / parameter.shape[0]);
        const bool vector = parameter.shape.rank() == 1;
        const bool gamma = vector && parameter.name.ends_with(".weight");
        std::normal_distribution<float> normal(gamma ? 1.0F : 0.0F, vector ? 0.1F : 1.0F / std::sqrt(inputs));
        Tensor values = Tensor::empty(parameter.shape);
        for (float& value : values.data<float>())
            value = normal(generator);
        return values;
    }

    WanTransformerConfig m_config;
    TemporaryFolder m_folder;
    std::filesystem::path m_file;
};

}  // namespace meshreel::testing
