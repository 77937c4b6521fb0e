// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/image_encoder/clip_vision_layer.h"

#include <fmt/format.h>

namespace meshreel {
namespace {

/// The layer's modules, each of a weight and a bias, in the order of clipVisionLayerTensors.
enum class Module : std::size_t { AttentionNorm, Query, Key, Value, Output, FeaturesNorm, Up, Down };

class LayerReader {
  public:
    LayerReader(const Execution& execution, const Checkpoint& checkpoint,
                const std::vector<StreamedTensor>& tensors, Arithmetic arithmetic, ScratchArena& memory)
        : m_execution(execution),
          m_checkpoint(checkpoint),
          m_tensors(tensors),
          m_arithmetic(arithmetic),
          m_memory(memory) {}

    [[nodiscard]] ClipNorm norm(Module module) const {
        return {readAsF32(m_execution, m_checkpoint, weightOf(module), m_memory), biasOf(module)};
    }

    [[nodiscard]] PackedMatrix linear(Module module) const {
        const Tensor bias = biasOf(module);
        return readLinear(m_execution, m_checkpoint, weightOf(module), &bias, m_arithmetic, m_memory);
    }

  private:
    [[nodiscard]] const StreamedTensor& weightOf(Module module) const {
        return m_tensors[2 * static_cast<std::size_t>(module)];
    }
    [[nodiscard]] Tensor biasOf(Module module) const {
        return readAsF32(m_execution, m_checkpoint, m_tensors[2 * static_cast<std::size_t>(module) + 1],
                         m_memory);
    }

    const Execution& m_execution;
    const Checkpoint& m_checkpoint;
    const std::vector<StreamedTensor>& m_tensors;
    Arithmetic m_arithmetic;
    ScratchArena& m_memory;
};

}  // namespace

std::vector<StreamedTensor> clipVisionLayerTensors(const ClipVisionConfig& config, std::int64_t index) {
    const std::string layer = fmt::format("vision_model.encoder.layers.{}.", index);
    std::vector<StreamedTensor> tensors;
    const auto norm = [&](const std::string& name) {
        tensors.push_back({layer + name + ".weight", {config.hiddenSize}});
        tensors.push_back({layer + name + ".bias", {config.hiddenSize}});
    };
    const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
        tensors.push_back({layer + name + ".weight", {out, in}, true});
        tensors.push_back({layer + name + ".bias", {out}});
    };
    norm("layer_norm1");
    for (const char* projection : {"q_proj", "k_proj", "v_proj", "out_proj"})
        linear(fmt::format("self_attn.{}", projection), config.hiddenSize, config.hiddenSize);
    norm("layer_norm2");
    linear("mlp.fc1", config.intermediateSize, config.hiddenSize);
    linear("mlp.fc2", config.hiddenSize, config.intermediateSize);
    return tensors;
}

ClipVisionLayer readClipVisionLayer(const Execution& execution, const Checkpoint& checkpoint,
                                    const std::vector<StreamedTensor>& tensors, Arithmetic arithmetic,
                                    ScratchArena& memory) {
    const LayerReader reader(execution, checkpoint, tensors, arithmetic, memory);
    return {
        .attentionNorm = reader.norm(Module::AttentionNorm),
        .query = reader.linear(Module::Query),
        .key = reader.linear(Module::Key),
        .value = reader.linear(Module::Value),
        .output = reader.linear(Module::Output),
        .featuresNorm = reader.norm(Module::FeaturesNorm),
        .up = reader.linear(Module::Up),
        .down = reader.linear(Module::Down),
    };
}

}  // namespace meshreel
