// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/wav2vec2_config.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/error.h"
#include "engine/models/config_reader.h"

namespace meshreel {
namespace {

constexpr std::string_view layerKind = "layer";
constexpr std::string_view groupKind = "group";

void requireGelu(const ConfigReader& reader, std::string_view key) {
    if (const std::string name = reader.text(key).value_or("gelu"); name != "gelu")
        reader.refuse(key, sentence("The activation {} is not supported", name), useOriginal());
}

bool readLayerNorms(const ConfigReader& reader) {
    constexpr std::string_view key = "feat_extract_norm";
    const std::string kind = reader.text(key).value_or(std::string(groupKind));
    if (kind != layerKind && kind != groupKind)
        reader.refuse(key, sentence("The norm {} is not supported", kind),
                      sentence("Supported are {} and {}", layerKind, groupKind));
    return kind == layerKind;
}

}  // namespace

Wav2Vec2Config Wav2Vec2Config::fromJson(const nlohmann::json& json, const std::string& where) {
    const ConfigReader reader(json, where);
    Wav2Vec2Config config;
    config.hiddenSize = reader.size("hidden_size", config.hiddenSize);
    config.intermediateSize = reader.size("intermediate_size", config.intermediateSize);
    config.layers = reader.size("num_hidden_layers", config.layers);
    config.heads = reader.size("num_attention_heads", config.heads);
    config.channels = reader.sizes("conv_dim", config.channels);
    config.kernels = reader.sizes("conv_kernel", config.kernels);
    config.strides = reader.sizes("conv_stride", config.strides);
    config.convolutionBias = reader.flag("conv_bias", config.convolutionBias);
    config.layerNorms = readLayerNorms(reader);
    config.positionTaps = reader.size("num_conv_pos_embeddings", config.positionTaps);
    config.positionGroups = reader.size("num_conv_pos_embedding_groups", config.positionGroups);
    config.stableLayerNorm = reader.flag("do_stable_layer_norm", config.stableLayerNorm);
    config.epsilon = reader.number("layer_norm_eps", config.epsilon);
    config.normalises = reader.flag("do_normalize", config.layerNorms);
    requireGelu(reader, "feat_extract_activation");
    requireGelu(reader, "hidden_act");
    if (config.hiddenSize % config.heads != 0)
        reader.refuse(
            "num_attention_heads",
            sentence("{} channels cannot be shared out to {} heads", config.hiddenSize, config.heads),
            useOriginal());
    if (config.hiddenSize % config.positionGroups != 0)
        reader.refuse("num_conv_pos_embedding_groups",
                      sentence("{} channels cannot be shared out to {} groups", config.hiddenSize,
                               config.positionGroups),
                      useOriginal());
    return config;
}

std::int64_t Wav2Vec2Config::frames(std::int64_t samples) const {
    for (std::size_t layer = 0; layer < kernels.size(); ++layer)
        samples = samples < kernels[layer] ? 0 : (samples - kernels[layer]) / strides[layer] + 1;
    return samples;
}

std::int64_t Wav2Vec2Config::samples(std::int64_t frames) const {
    for (std::size_t layer = kernels.size(); layer > 0; --layer)
        frames = (frames - 1) * strides[layer - 1] + kernels[layer - 1];
    return frames;
}

std::int64_t Wav2Vec2Config::hop() const {
    std::int64_t product = 1;
    for (const std::int64_t stride : strides)
        product *= stride;
    return product;
}

}  // namespace meshreel
