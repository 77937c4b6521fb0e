// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/image_encoder/clip_vision_config.h"

#include <nlohmann/json.hpp>

#include "engine/base/sentence.h"
#include "engine/models/config_reader.h"

namespace meshreel {
namespace {

Sentence useWanEncoder() {
    return sentence("Use the image encoder that belongs to the Wan checkpoint");
}

Activation* activationOf(const ConfigReader& reader) {
    const std::string name = reader.text("hidden_act").value_or("gelu");
    if (name == "gelu")
        return geluErf;
    if (name == "quick_gelu")
        return geluQuick;
    reader.refuse("hidden_act", sentence("The activation {} is not supported", name), useWanEncoder());
}

}  // namespace

ClipVisionConfig ClipVisionConfig::fromJson(const nlohmann::json& json, const std::string& where) {
    if (json.is_object() && json.contains("vision_config"))
        return fromJson(json.at("vision_config"), where);
    const ConfigReader reader(json, where);
    ClipVisionConfig config;
    config.hiddenSize = reader.size("hidden_size", config.hiddenSize);
    config.intermediateSize = reader.size("intermediate_size", config.intermediateSize);
    config.layers = reader.size("num_hidden_layers", config.layers);
    config.heads = reader.size("num_attention_heads", config.heads);
    config.imageSize = reader.size("image_size", config.imageSize);
    config.patchSize = reader.size("patch_size", config.patchSize, config.imageSize);
    config.epsilon = reader.number("layer_norm_eps", config.epsilon);
    config.activation = activationOf(reader);
    if (reader.size("num_channels", 3) != 3)
        reader.refuse("num_channels", sentence("Only encoders of RGB images are supported"), useWanEncoder());
    if (config.hiddenSize % config.heads != 0)
        reader.refuse(
            "num_attention_heads",
            sentence("{} channels cannot be shared out to {} heads", config.hiddenSize, config.heads),
            useWanEncoder());
    return config;
}

}  // namespace meshreel
