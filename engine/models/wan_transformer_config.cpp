// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_transformer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/models/config_reader.h"

namespace meshreel {

namespace {

// Keys whose presence makes another transformer of the weights.
struct UnsupportedKey {
    std::string_view key;
    std::string_view belongsTo;
};
constexpr std::array unsupportedKeys = {
    UnsupportedKey{"vace_layers", "VACE models"},
    UnsupportedKey{"vace_in_channels", "VACE models"},
    UnsupportedKey{"motion_encoder_size", "Animate models"},
};

constexpr std::string_view supportedQkNorm = "rms_norm_across_heads";

// Absent: the default, which is on. null and false: off. Upstream's documentation calls it a boolean, its
// checkpoints hold the name.
bool readQkNorm(const nlohmann::json& json, const ConfigReader& reader) {
    const auto found = json.find("qk_norm");
    if (found == json.end() || found->is_boolean())
        return reader.flag("qk_norm", true);
    const auto norm = reader.text("qk_norm");
    if (norm && *norm != supportedQkNorm)
        reader.refuse("qk_norm", fmt::format("The norm '{}' of queries and keys is not supported", *norm),
                      fmt::format("Supported are {} and null", supportedQkNorm));
    return norm.has_value();
}

// Absent or null: not of this model.
std::int64_t sizeOrNone(const ConfigReader& reader, std::string_view key) {
    return reader.absent(key) ? 0 : reader.size(key);
}

void readImage(WanTransformerConfig& config, const ConfigReader& reader) {
    constexpr const char* hint = "Use the config.json that came with the weights";
    config.imageDim = sizeOrNone(reader, "image_dim");
    config.addedKvDim = sizeOrNone(reader, "added_kv_proj_dim");
    config.imagePositions = sizeOrNone(reader, "pos_embed_seq_len");
    if ((config.imageDim > 0) != (config.addedKvDim > 0))
        reader.refuse(config.imageDim > 0 ? "image_dim" : "added_kv_proj_dim",
                      "A model of images has both image_dim and added_kv_proj_dim", hint);
    if (config.addedKvDim > 0 && config.addedKvDim != config.innerDim())
        reader.refuse("added_kv_proj_dim",
                      fmt::format("Keys of {} features do not fit a model of {} x {}", config.addedKvDim,
                                  config.heads, config.headDim),
                      hint);
    if (config.imagePositions > 0 && (config.imageDim == 0 || config.imagePositions % 2 != 0))
        reader.refuse("pos_embed_seq_len", "Positions are those of two images of equal length", hint);
}

}  // namespace

WanTransformerConfig WanTransformerConfig::fromJson(const nlohmann::json& json, const std::string& where) {
    const ConfigReader reader(json, where);
    for (const auto& [key, belongsTo] : unsupportedKeys)
        if (!reader.absent(key))
            reader.refuse(key,
                          fmt::format("The key belongs to {}, which this version does not run", belongsTo),
                          "Choose a checkpoint of another task");
    WanTransformerConfig config;
    std::ranges::copy(reader.sizes("patch_size", {config.patch.begin(), config.patch.end()}),
                      config.patch.begin());
    config.heads = reader.size("num_attention_heads", config.heads);
    config.headDim = reader.size("attention_head_dim", config.headDim);
    config.inChannels = reader.size("in_channels", config.inChannels);
    config.outChannels = reader.size("out_channels", config.inChannels);
    config.textDim = reader.size("text_dim", config.textDim);
    config.freqDim = reader.size("freq_dim", config.freqDim);
    config.ffnDim = reader.size("ffn_dim", config.ffnDim);
    config.layers = reader.size("num_layers", config.layers);
    config.crossAttentionNorm = reader.flag("cross_attn_norm", config.crossAttentionNorm);
    config.epsilon = reader.number("eps", config.epsilon);
    config.rotaryMaxLength = reader.size("rope_max_seq_len", config.rotaryMaxLength);
    if (config.headDim % 2 != 0)
        reader.refuse(
            "attention_head_dim",
            fmt::format("The head dimension {} is odd, which rotary embedding cannot pair", config.headDim),
            "Use the config.json that came with the weights");
    config.qkNorm = readQkNorm(json, reader);
    readImage(config, reader);
    return config;
}

}  // namespace meshreel
