// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/inferred_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/models/families/architecture.h"
#include "engine/models/sound/sound_config.h"
#include "engine/tensor/shape.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/tensor_names.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* configName = "config.json";
constexpr const char* configKey = "config";
constexpr std::int64_t releasedHeadDim = 128;
/// A tensor that S2V models have, and no others.
constexpr std::string_view soundMark = "casual_audio_encoder.encoder.final_linear.weight";
constexpr std::int64_t latentChannels21 = 16;
constexpr std::int64_t latentChannels22 = 48;

/// One more than the largest index in "PREFIX{index}.…"; 0 without any.
std::int64_t countIndices(const Checkpoint& checkpoint, std::string_view prefix) {
    std::int64_t count = 0;
    for (const std::string& name : checkpoint.names()) {
        if (!name.starts_with(prefix))
            continue;
        std::int64_t index = -1;
        const char* begin = name.data() + prefix.size();
        const auto [end, failure] = std::from_chars(begin, name.data() + name.size(), index);
        if (failure == std::errc() && end != begin)
            count = std::max(count, index + 1);
    }
    return count;
}

std::int64_t extent(const Checkpoint& checkpoint, std::string_view name, std::size_t axis) {
    const Shape& shape = checkpoint.shape(name);
    const StoredType type = checkpoint.storedType(name);
    if (storedTypeInfo(type).direct && !isWeightType(type))
        checkpoint.require(name,
                           shape);  // several numbers in one whole number: the shape is not the matrix's
    if (axis >= shape.rank())
        throw Error(ErrorKind::Input, sentence("{} has shape {}", name, shape.text()),
                    checkpoint.path().string(), sentence("The file is of another model"));
    return shape[axis];
}

[[noreturn]] void cannotTell(const Checkpoint& checkpoint, Sentence what) {
    throw Error(ErrorKind::Input, std::move(what), checkpoint.path().string(),
                sentence("Put the model's config.json beside the weights, in a folder of their own"));
}

json baseConfig(std::string_view architecture) {
    return configOf(requireArchitecture(architecture));
}

void setVace(const Checkpoint& checkpoint, json& config) {
    const std::int64_t hints = countIndices(checkpoint, "vace_blocks.");
    const auto layers = config.at("num_layers").get<std::int64_t>();
    if (hints == 0)
        return;
    json places = json::array();
    for (std::int64_t hint = 0; hint < hints; ++hint)
        places.push_back(hint * layers / hints);
    config["_class_name"] = "WanVACETransformer3DModel";
    config["vace_layers"] = std::move(places);
    config["vace_in_channels"] = extent(checkpoint, "vace_patch_embedding.weight", 1);
}

/// Behind which blocks the injectors of an S2V model are stands in no tensor: the released models' places.
void setSound(const Checkpoint& checkpoint, json& config) {
    if (!checkpoint.has(soundMark))
        return;
    const std::int64_t injectors = countIndices(checkpoint, "audio_injector.");
    const std::vector<std::int64_t> layers = SoundConfig::layersOf(injectors);
    config["audio_dim"] = extent(checkpoint, "casual_audio_encoder.encoder.conv1_global.conv.weight", 1);
    config["num_audio_layers"] = extent(checkpoint, "casual_audio_encoder.weights", 1);
    config["num_audio_token"] =
        extent(checkpoint, "casual_audio_encoder.encoder.conv1_local.conv.weight", 0) /
        std::max<std::int64_t>(
            1, extent(checkpoint, "casual_audio_encoder.encoder.conv1_global.conv.weight", 0));
    config["cond_dim"] = extent(checkpoint, "cond_encoder.weight", 1);
    config["audio_inject_layers"] = layers.empty() ? json::array({}) : json(layers);
}

/// `headDim`: channels of a head.
json transformerConfig(const Checkpoint& checkpoint, std::int64_t headDim = releasedHeadDim) {
    const auto of = [&](std::string_view name, std::size_t axis) { return extent(checkpoint, name, axis); };
    const bool animate = checkpoint.has("face_encoder.out_proj.weight");
    json config = baseConfig(animate                     ? "wan2.2-animate-14b"
                             : checkpoint.has(soundMark) ? "wan2.2-s2v-14b"
                                                         : "wan2.1-t2v-14b");
    const std::int64_t inner = of("patch_embedding.weight", 0);
    if (inner % headDim != 0)
        cannotTell(checkpoint,
                   sentence("its width {} is no multiple of {}, the channels of a head in Wan models: "
                            "how many heads it has cannot be told from its tensors",
                            inner, headDim));
    config["num_attention_heads"] = inner / headDim;
    config["attention_head_dim"] = headDim;
    config["in_channels"] = of("patch_embedding.weight", 1);
    const json patch = {of("patch_embedding.weight", 2), of("patch_embedding.weight", 3),
                        of("patch_embedding.weight", 4)};
    config["patch_size"] = patch;
    const std::int64_t patchElements =
        patch[0].get<std::int64_t>() * patch[1].get<std::int64_t>() * patch[2].get<std::int64_t>();
    config["out_channels"] = of("proj_out.weight", 0) / std::max<std::int64_t>(patchElements, 1);
    config["text_dim"] = of("condition_embedder.text_embedder.linear_1.weight", 1);
    config["freq_dim"] = of("condition_embedder.time_embedder.linear_1.weight", 1);
    config["ffn_dim"] = of("blocks.0.ffn.net.0.proj.weight", 0);
    config["num_layers"] = countIndices(checkpoint, "blocks.");
    config["cross_attn_norm"] = checkpoint.has("blocks.0.norm2.weight");
    if (!checkpoint.has("blocks.0.attn1.norm_q.weight"))
        config["qk_norm"] = nullptr;
    if (checkpoint.has("condition_embedder.image_embedder.norm1.weight"))
        config["image_dim"] = of("condition_embedder.image_embedder.norm1.weight", 0);
    if (checkpoint.has("blocks.0.attn2.add_k_proj.weight"))
        config["added_kv_proj_dim"] = of("blocks.0.attn2.add_k_proj.weight", 1);
    if (checkpoint.has("condition_embedder.image_embedder.pos_embed"))
        config["pos_embed_seq_len"] = of("condition_embedder.image_embedder.pos_embed", 1);
    if (checkpoint.has("ref_conv.weight"))
        config["in_dim_ref_conv"] = of("ref_conv.weight", 1);
    setVace(checkpoint, config);
    setSound(checkpoint, config);
    return config;
}

/// Refuses an S2V model of so many injectors that nothing says where they are.
json withKnownInjectors(const Checkpoint& checkpoint, json config) {
    const auto layers = config.find("audio_inject_layers");
    if (layers != config.end() && layers->empty())
        cannotTell(checkpoint,
                   sentence("it has {} audio injectors, and behind which blocks they are is known "
                            "for the released models only",
                            countIndices(checkpoint, "audio_injector.")));
    return config;
}

/// After the blocks of a small decoder's levels come a layer that makes frames from channels, and one that
/// leads to the next width.
json tinyVaeConfig(const Checkpoint& checkpoint) {
    json config = baseConfig("taew2_1");
    const auto levels = config.at("temperal_downsample").size();
    json widths = json::array({extent(checkpoint, "decoder.1.weight", 0)});
    json lengthens = json::array();
    for (std::size_t level = 0; level < levels; ++level) {
        const std::size_t place = 3 + 6 * level;
        const std::string grow = fmt::format("decoder.{}.conv.weight", place + 4);
        lengthens.push_back(extent(checkpoint, grow, 0) > extent(checkpoint, grow, 1));
        widths.push_back(extent(checkpoint, fmt::format("decoder.{}.weight", place + 5), 0));
    }
    constexpr std::int64_t colours = 3;
    const std::int64_t squares =
        extent(checkpoint, fmt::format("decoder.{}.weight", 4 + 6 * levels), 0) / colours;
    constexpr std::int64_t largestPatch = 16;
    std::int64_t patch = 1;
    while (patch < largestPatch && patch * patch < squares)
        ++patch;
    config["z_dim"] = extent(checkpoint, "decoder.1.weight", 1);
    config["patch_size"] = patch;
    config["decoder_widths"] = std::move(widths);
    config["temperal_downsample"] = std::move(lengthens);
    return config;
}

bool isTinyVae(const Checkpoint& checkpoint) {
    return checkpoint.layout().part == ModelPart::Vae && checkpoint.has("decoder.5.conv.4.weight");
}

json vaeConfig(const Checkpoint& checkpoint) {
    if (isTinyVae(checkpoint))
        return tinyVaeConfig(checkpoint);
    const std::int64_t channels = extent(checkpoint, "post_quant_conv.weight", 0);
    if (channels != latentChannels21 && channels != latentChannels22)
        cannotTell(checkpoint,
                   sentence("it has {} latent channels, and the statistics of such latents are known "
                            "for {} (Wan 2.1) and {} (Wan 2.2) only",
                            channels, latentChannels21, latentChannels22));
    json config = baseConfig(channels == latentChannels21 ? "wan2.1-vae" : "wan2.2-vae");
    config["base_dim"] = extent(checkpoint, "encoder.conv_in.weight", 0);
    if (!config.at("decoder_base_dim").is_null())
        config["decoder_base_dim"] = extent(checkpoint, "decoder.conv_out.weight", 1);
    config["num_res_blocks"] = NameContext::of(checkpoint.names()).residualBlocks;
    return config;
}

json textEncoderConfig(const Checkpoint& checkpoint) {
    json config = baseConfig("umt5-xxl");
    const char* embedding = checkpoint.has("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight";
    const std::string attention = "encoder.block.0.layer.0.SelfAttention.";
    config["vocab_size"] = extent(checkpoint, embedding, 0);
    config["d_model"] = extent(checkpoint, embedding, 1);
    const std::int64_t heads = extent(checkpoint, attention + "relative_attention_bias.weight", 1);
    config["num_heads"] = heads;
    config["d_kv"] = extent(checkpoint, attention + "q.weight", 0) / std::max<std::int64_t>(heads, 1);
    config["relative_attention_num_buckets"] =
        extent(checkpoint, attention + "relative_attention_bias.weight", 0);
    config["d_ff"] = extent(checkpoint, "encoder.block.0.layer.1.DenseReluDense.wi_0.weight", 0);
    config["num_layers"] = countIndices(checkpoint, "encoder.block.");
    return config;
}

json imageEncoderConfig(const Checkpoint& checkpoint) {
    json config = baseConfig("clip-vit-h");
    config["hidden_size"] = extent(checkpoint, "vision_model.embeddings.class_embedding", 0);
    config["intermediate_size"] = extent(checkpoint, "vision_model.encoder.layers.0.mlp.fc1.weight", 0);
    config["num_hidden_layers"] = countIndices(checkpoint, "vision_model.encoder.layers.");
    config["patch_size"] = extent(checkpoint, "vision_model.embeddings.patch_embedding.weight", 2);
    return config;
}

/// Which norms a sound encoder has shows what follows from them: models with a norm behind each convolution
/// have those of their layers before what they feed.
json audioEncoderConfig(const Checkpoint& checkpoint) {
    json config = baseConfig("wav2vec2-large");
    const std::string convolutions = "feature_extractor.conv_layers.";
    const bool layerNorms = checkpoint.has(convolutions + "1.layer_norm.weight");
    config["feat_extract_norm"] = layerNorms ? "layer" : "group";
    config["do_stable_layer_norm"] = layerNorms;
    config["conv_bias"] = checkpoint.has(convolutions + "0.conv.bias");
    const std::int64_t hidden = extent(checkpoint, "feature_projection.projection.weight", 0);
    constexpr std::int64_t headChannels = 64;
    config["hidden_size"] = hidden;
    config["num_attention_heads"] = std::max<std::int64_t>(1, hidden / headChannels);
    config["intermediate_size"] =
        extent(checkpoint, "encoder.layers.0.feed_forward.intermediate_dense.weight", 0);
    config["num_hidden_layers"] = countIndices(checkpoint, "encoder.layers.");
    json channels = json::array();
    json kernels = json::array();
    for (std::int64_t index = 0; index < countIndices(checkpoint, convolutions); ++index) {
        const std::string weight = fmt::format("{}{}.conv.weight", convolutions, index);
        channels.push_back(extent(checkpoint, weight, 0));
        kernels.push_back(extent(checkpoint, weight, 2));
    }
    config["conv_dim"] = std::move(channels);
    config["conv_kernel"] = std::move(kernels);
    return config;
}

}  // namespace

json inferConfig(const Checkpoint& checkpoint) {
    const std::optional<ModelPart> part = checkpoint.layout().part;
    if (!part)
        cannotTell(checkpoint, sentence("its tensors match no part of a Wan model"));
    switch (*part) {
        case ModelPart::Transformer:
            return withKnownInjectors(checkpoint, transformerConfig(checkpoint));
        case ModelPart::Vae:
            return vaeConfig(checkpoint);
        case ModelPart::TextEncoder:
            return textEncoderConfig(checkpoint);
        case ModelPart::ImageEncoder:
            return imageEncoderConfig(checkpoint);
        case ModelPart::AudioEncoder:
            return audioEncoderConfig(checkpoint);
    }
    return {};
}

std::optional<json> givenConfig(const Checkpoint& checkpoint) {
    std::error_code ignored;
    const fs::path beside = checkpoint.path().parent_path() / configName;
    if (fs::exists(beside, ignored))
        return readJsonObject(beside);
    const auto& metadata = checkpoint.shards().front().metadata();
    if (const auto carried = metadata.find(configKey); carried != metadata.end())
        return parseJsonObject(carried->second, checkpoint.path().string() + " (config)");
    return std::nullopt;
}

namespace {

/// Which config a class belongs to, and in which spelling.
struct ConfigClass {
    std::string_view name;
    ModelPart part;
    bool original = false;      ///< keys of the Wan project: dim, num_heads, in_dim
    std::string_view sameAs{};  ///< diffusers' class of the same network
};
constexpr std::array configClasses = {
    ConfigClass{"WanTransformer3DModel", ModelPart::Transformer},
    ConfigClass{"WanVACETransformer3DModel", ModelPart::Transformer},
    ConfigClass{"WanAnimateTransformer3DModel", ModelPart::Transformer},
    ConfigClass{"SkyReelsV2Transformer3DModel", ModelPart::Transformer, false, "WanTransformer3DModel"},
    ConfigClass{"WanModel", ModelPart::Transformer, true},
    ConfigClass{"VaceWanModel", ModelPart::Transformer, true},
    ConfigClass{"WanAnimateModel", ModelPart::Transformer, true},
    ConfigClass{"WanAnimate2Transformer3DModel", ModelPart::Transformer, true},
    ConfigClass{"WanS2VTransformer3DModel", ModelPart::Transformer},
    ConfigClass{"WanModel_S2V", ModelPart::Transformer, true},
    ConfigClass{"AutoencoderKLWan", ModelPart::Vae},
    ConfigClass{"UMT5EncoderModel", ModelPart::TextEncoder},
    ConfigClass{"UMT5Model", ModelPart::TextEncoder},
    ConfigClass{"UMT5ForConditionalGeneration", ModelPart::TextEncoder},
    ConfigClass{"CLIPVisionModel", ModelPart::ImageEncoder},
    ConfigClass{"CLIPVisionModelWithProjection", ModelPart::ImageEncoder},
    ConfigClass{"Wav2Vec2Model", ModelPart::AudioEncoder},
    ConfigClass{"Wav2Vec2ForCTC", ModelPart::AudioEncoder},
    ConfigClass{"Wav2Vec2ForPreTraining", ModelPart::AudioEncoder}};

/// Returns diffusers' _class_name or transformers' architectures; empty without either.
std::string shapeClass(const json& config) {
    const auto named = config.find("_class_name");
    if (named != config.end() && named->is_string())
        return named->get<std::string>();
    const auto listed = config.find("architectures");
    return listed != config.end() && listed->is_array() && !listed->empty() && listed->front().is_string()
               ? listed->front().get<std::string>()
               : std::string();
}

std::int64_t numberIn(const json& config, const char* key) {
    const auto found = config.find(key);
    return found != config.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool hasOriginalKeys(const json& config) {
    return config.contains("dim") && config.contains("num_heads") && !config.contains("num_attention_heads");
}

/// Takes what shapes do not show from the original config.
json fromOriginal(const Checkpoint& checkpoint, const json& original) {
    const std::int64_t width = numberIn(original, "dim");
    const std::int64_t heads = numberIn(original, "num_heads");
    const bool saysHeads = heads > 0 && width % heads == 0 && width > 0;
    json config = transformerConfig(checkpoint, saysHeads ? width / heads : releasedHeadDim);
    if (original.contains("eps") && original.at("eps").is_number())
        config["eps"] = original.at("eps");
    if (config.contains("vace_layers") && original.contains("vace_layers") &&
        original.at("vace_layers").is_array())
        config["vace_layers"] = original.at("vace_layers");
    if (!config.contains("audio_inject_layers"))
        return config;
    for (const char* key :
         {"audio_inject_layers", "enable_adain", "adain_mode", "zero_timestep", "enable_motioner",
          "enable_framepack", "framepack_drop_mode", "add_last_motion", "enable_tsm"})
        if (original.contains(key))
            config[key] = original.at(key);
    return withKnownInjectors(checkpoint, std::move(config));
}

}  // namespace

json configOf(const Checkpoint& checkpoint) {
    std::optional<json> given = givenConfig(checkpoint);
    const std::optional<ModelPart> part = checkpoint.layout().part;
    if (isTinyVae(checkpoint))
        return tinyVaeConfig(checkpoint);  // a config.json beside it is that of the VAE in whose place it is
    if (!given || !part)
        return given ? *std::move(given) : inferConfig(checkpoint);
    const std::string name = shapeClass(*given);
    const bool isOriginal = part == ModelPart::Transformer && name.empty() && hasOriginalKeys(*given);
    if (isOriginal)
        return fromOriginal(checkpoint, *given);
    if (name.empty())
        return *std::move(given);
    const auto* known = std::ranges::find(configClasses, name, &ConfigClass::name);
    if (known == configClasses.end() || known->part != *part)
        return inferConfig(checkpoint);
    // VideoX-Fun has diffusers' class and the original's keys.
    if (known->original || (*part == ModelPart::Transformer && hasOriginalKeys(*given)))
        return fromOriginal(checkpoint, *given);
    if (!known->sameAs.empty())
        (*given)["_class_name"] = known->sameAs;
    return *std::move(given);
}

}  // namespace meshreel
