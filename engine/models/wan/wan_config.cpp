// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_config.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/models/config_reader.h"

namespace meshreel {
namespace {

constexpr std::int64_t smallestSide = 8;
constexpr std::int64_t lastSide = 4;
constexpr std::int64_t halvings = 2;  // of time, in the face encoder

/// Features for images of a given side, of the released model and of configs that leave it open.
struct SideChannels {
    std::int64_t side;
    std::int64_t channels;
};
constexpr std::array defaultChannels = {SideChannels{4, 512},  SideChannels{8, 512},  SideChannels{16, 512},
                                        SideChannels{32, 512}, SideChannels{64, 256}, SideChannels{128, 128},
                                        SideChannels{256, 64}, SideChannels{512, 32}, SideChannels{1024, 16}};

std::int64_t countChannels(std::int64_t side, const nlohmann::json* table, const ConfigReader& reader) {
    constexpr const char* key = "motion_encoder_channel_sizes";
    if (table != nullptr)
        return ConfigReader(*table, reader.place(key)).size(std::to_string(side));
    for (const SideChannels& known : defaultChannels)
        if (known.side == side)
            return known.channels;
    reader.refuse("motion_encoder_size",
                  sentence("How many features images of {} pixels a side have, {} has to say", side, key),
                  useOriginal());
}

}  // namespace

std::int64_t AnimateConfig::latentFrames(std::int64_t faceFrames) {
    for (std::int64_t halving = 0; halving < halvings; ++halving)
        faceFrames = (faceFrames - 1) / 2 + 1;
    return faceFrames + 1;
}

AnimateConfig AnimateConfig::read(const nlohmann::json& json, const ConfigReader& reader,
                                  std::int64_t blocks) {
    AnimateConfig config;
    config.poseChannels = reader.size("latent_channels", config.poseChannels);
    config.faceSide = reader.size("motion_encoder_size", config.faceSide);
    config.styleDim = reader.size("motion_style_dim", config.styleDim);
    config.directions = reader.size("motion_dim", config.directions);
    config.motionDim = reader.size("motion_encoder_dim", config.motionDim);
    config.hiddenDim = reader.size("face_encoder_hidden_dim", config.hiddenDim);
    config.heads = reader.size("face_encoder_num_heads", config.heads);
    config.blocksPerAdapter = reader.size("inject_face_latents_blocks", config.blocksPerAdapter);
    if (config.faceSide < smallestSide || !std::has_single_bit(static_cast<std::uint64_t>(config.faceSide)))
        reader.refuse(
            "motion_encoder_size",
            sentence("Faces of {}x{} pixels are not halved down to 4x4", config.faceSide, config.faceSide),
            useOriginal());
    if (config.motionDim < config.directions)
        reader.refuse("motion_encoder_dim",
                      sentence("{} directions of motion do not fit into {} features", config.directions,
                               config.motionDim),
                      useOriginal());
    if (blocks % config.blocksPerAdapter != 0)
        reader.refuse("inject_face_latents_blocks",
                      sentence("{} blocks cannot be shared out in groups of {}, each with a face adapter",
                               blocks, config.blocksPerAdapter),
                      useOriginal());
    const auto found = json.find("motion_encoder_channel_sizes");
    const nlohmann::json* table = found == json.end() || found->is_null() ? nullptr : &*found;
    config.channels.clear();
    for (std::int64_t side = config.faceSide; side >= lastSide; side /= 2)
        config.channels.push_back(countChannels(side, table, reader));
    return config;
}

namespace {

constexpr std::string_view vaceClass = "WanVACETransformer3DModel";
constexpr std::string_view animateClass = "WanAnimateTransformer3DModel";
constexpr std::string_view soundClass = "WanS2VTransformer3DModel";

bool isOfClass(const ConfigReader& reader, std::string_view name, std::string_view ownKey) {
    return reader.text("_class_name") == name || !reader.absent(ownKey);
}

// Absent: the default, which is on. null and false: off. Upstream's documentation calls it a boolean, its
// checkpoints hold the name.
bool readQkNorm(const nlohmann::json& json, const ConfigReader& reader) {
    constexpr std::string_view supportedQkNorm = "rms_norm_across_heads";
    const auto found = json.find("qk_norm");
    if (found == json.end() || found->is_boolean())
        return reader.flag("qk_norm", true);
    const auto norm = reader.text("qk_norm");
    if (norm && *norm != supportedQkNorm)
        reader.refuse("qk_norm", sentence("The norm '{}' of queries and keys is not supported", *norm),
                      sentence("Supported are {} and null", supportedQkNorm));
    return norm.has_value();
}

// Absent or null: not of this model.
std::int64_t sizeOrNone(const ConfigReader& reader, std::string_view key) {
    return reader.absent(key) ? 0 : reader.size(key);
}

void readImage(WanTransformerConfig& config, const ConfigReader& reader) {
    config.imageDim = sizeOrNone(reader, "image_dim");
    config.addedKvDim = sizeOrNone(reader, "added_kv_proj_dim");
    config.imagePositions = sizeOrNone(reader, "pos_embed_seq_len");
    if ((config.imageDim > 0) != (config.addedKvDim > 0))
        reader.refuse(config.imageDim > 0 ? "image_dim" : "added_kv_proj_dim",
                      sentence("A model of images has both image_dim and added_kv_proj_dim"), useOriginal());
    if (config.addedKvDim > 0 && config.addedKvDim != config.innerDim())
        reader.refuse("added_kv_proj_dim",
                      sentence("Keys of {} features do not fit a model of {} x {}", config.addedKvDim,
                               config.heads, config.headDim),
                      useOriginal());
    if (config.imagePositions > 0 && (config.imageDim == 0 || config.imagePositions % 2 != 0))
        reader.refuse("pos_embed_seq_len", sentence("Positions are those of two images of equal length"),
                      useOriginal());
}

// VideoX-Fun's configs say how many channels ref_conv has where there is none, too.
void readReference(WanTransformerConfig& config, const ConfigReader& reader) {
    constexpr const char* key = "in_dim_ref_conv";
    if (!reader.flag("add_ref_conv", true))
        return;
    config.referenceChannels = sizeOrNone(reader, key);
    if (config.referenceChannels > 0 && config.patch[0] != 1)
        reader.refuse(key, sentence("A reference picture is one frame, and patches have {}", config.patch[0]),
                      useOriginal());
}

void readVace(WanTransformerConfig& config, const nlohmann::json& json, const ConfigReader& reader) {
    constexpr const char* key = "vace_layers";
    config.vaceChannels = reader.size("vace_in_channels", 96);
    config.vaceLayers = {0, 5, 10, 15, 20, 25, 30, 35};
    if (!reader.absent(key)) {
        const nlohmann::json& list = json.at(key);
        const auto isIndex = [](const nlohmann::json& value) {
            return value.is_number_integer() && value.get<std::int64_t>() >= 0;
        };
        if (!list.is_array() || list.empty() || !std::ranges::all_of(list, isIndex))
            reader.refuse(key, sentence("The value is not a list of blocks"), useOriginal());
        config.vaceLayers = list.get<std::vector<std::int64_t>>();
    }
    const std::vector<std::int64_t>& layers = config.vaceLayers;
    const bool ascending = std::ranges::adjacent_find(layers, std::greater_equal<>()) == layers.end();
    if (!ascending || layers.front() != 0 || layers.back() >= config.layers)
        reader.refuse(key,
                      sentence("VACE layers ascend from 0 and stay below the {} of the model", config.layers),
                      useOriginal());
}

// "in_channels should be 2 * latent_channels + 4": noise, mask and condition.
void readAnimate(WanTransformerConfig& config, const nlohmann::json& json, const ConfigReader& reader) {
    constexpr std::int64_t maskChannels = 4;
    config.animate = AnimateConfig::read(json, reader, config.layers);
    const std::int64_t poseChannels = config.animate->poseChannels;
    config.inChannels = reader.size("in_channels", 2 * poseChannels + maskChannels);
    config.outChannels = reader.size("out_channels", poseChannels);
    if (config.inChannels != 2 * poseChannels + maskChannels)
        reader.refuse("in_channels",
                      sentence("{} channels are not those of noise, mask and condition of {}",
                               config.inChannels, poseChannels),
                      useOriginal());
}

}  // namespace

std::int64_t WanTransformerConfig::imageTokens() const {
    constexpr std::int64_t clipTokens = 257;  // 16 x 16 patches of 14 x 14 pixels, and the class
    if (imagePositions > 0)
        return imagePositions;
    return imageDim > 0 ? clipTokens : 0;
}

WanTransformerConfig WanTransformerConfig::fromJson(const nlohmann::json& json, const std::string& where) {
    const ConfigReader reader(json, where);
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
            sentence("The head dimension {} is odd, which rotary embedding cannot pair", config.headDim),
            useOriginal());
    config.qkNorm = readQkNorm(json, reader);
    readImage(config, reader);
    readReference(config, reader);
    if (isOfClass(reader, vaceClass, "vace_layers"))
        readVace(config, json, reader);
    if (isOfClass(reader, animateClass, "motion_encoder_size"))
        readAnimate(config, json, reader);
    if (isOfClass(reader, soundClass, "audio_inject_layers"))
        config.sound = SoundConfig::read(json, reader, config.layers);
    return config;
}

}  // namespace meshreel
