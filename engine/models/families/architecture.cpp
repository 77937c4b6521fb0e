// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/shape.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

using nlohmann::json;

/// Grows by tensors whose names share a prefix.
class TensorList {
  public:
    void add(const std::string& name, const Shape& shape) {
        m_tensors.push_back({.name = name, .dtype = DType::F32, .shape = shape});
    }

    /// NAME.weight of `weight` and NAME.bias of its first extent.
    void layer(const std::string& name, const Shape& weight) {
        add(name + ".weight", weight);
        add(name + ".bias", {weight[0]});
    }

    /// NAME.weight and NAME.bias [width].
    void norm(const std::string& name, std::int64_t width) { layer(name, {width}); }

    [[nodiscard]] std::vector<TensorSpec> take() { return std::move(m_tensors); }

  private:
    std::vector<TensorSpec> m_tensors;
};

std::int64_t number(const json& config, const char* key) {
    return config.at(key).get<std::int64_t>();
}

/// transformers' UMT5EncoderModel.
std::vector<TensorSpec> umt5Tensors(const json& config) {
    const std::int64_t width = number(config, "d_model");
    const std::int64_t heads = number(config, "num_heads");
    const std::int64_t inner = heads * number(config, "d_kv");
    const std::int64_t features = number(config, "d_ff");
    TensorList list;
    list.add("shared.weight", {number(config, "vocab_size"), width});
    for (std::int64_t index = 0; index < number(config, "num_layers"); ++index) {
        const std::string attention = fmt::format("encoder.block.{}.layer.0.", index);
        const std::string feedForward = fmt::format("encoder.block.{}.layer.1.", index);
        for (const char* projection : {"q", "k", "v"})
            list.add(attention + "SelfAttention." + projection + ".weight", {inner, width});
        list.add(attention + "SelfAttention.o.weight", {width, inner});
        list.add(attention + "SelfAttention.relative_attention_bias.weight",
                 {number(config, "relative_attention_num_buckets"), heads});
        list.add(attention + "layer_norm.weight", {width});
        list.add(feedForward + "DenseReluDense.wi_0.weight", {features, width});
        list.add(feedForward + "DenseReluDense.wi_1.weight", {features, width});
        list.add(feedForward + "DenseReluDense.wo.weight", {width, features});
        list.add(feedForward + "layer_norm.weight", {width});
    }
    list.add("encoder.final_layer_norm.weight", {width});
    return list.take();
}

/// transformers' CLIPVisionModelWithProjection.
std::vector<TensorSpec> clipVisionTensors(const json& config) {
    constexpr std::int64_t colours = 3;
    const std::int64_t width = number(config, "hidden_size");
    const std::int64_t features = number(config, "intermediate_size");
    const std::int64_t patch = number(config, "patch_size");
    const std::int64_t side = number(config, "image_size") / patch;
    TensorList list;
    list.add("vision_model.embeddings.class_embedding", {width});
    list.add("vision_model.embeddings.patch_embedding.weight", {width, colours, patch, patch});
    list.add("vision_model.embeddings.position_embedding.weight", {side * side + 1, width});
    list.norm("vision_model.pre_layrnorm", width);  // upstream's spelling
    for (std::int64_t index = 0; index < number(config, "num_hidden_layers"); ++index) {
        const std::string layer = fmt::format("vision_model.encoder.layers.{}.", index);
        for (const char* projection : {"k_proj", "v_proj", "q_proj", "out_proj"})
            list.layer(layer + "self_attn." + projection, {width, width});
        list.norm(layer + "layer_norm1", width);
        list.layer(layer + "mlp.fc1", {features, width});
        list.layer(layer + "mlp.fc2", {width, features});
        list.norm(layer + "layer_norm2", width);
    }
    list.norm("vision_model.post_layernorm", width);
    list.add("visual_projection.weight", {number(config, "projection_dim"), width});
    return list.take();
}

/// transformers' Wav2Vec2Model, with the lengths and directions of its positions in torch's older spelling.
std::vector<TensorSpec> wav2Vec2Tensors(const json& config) {
    const std::int64_t width = number(config, "hidden_size");
    const std::int64_t features = number(config, "intermediate_size");
    const std::int64_t taps = number(config, "num_conv_pos_embeddings");
    const std::int64_t groups = number(config, "num_conv_pos_embedding_groups");
    const auto channels = config.at("conv_dim").get<std::vector<std::int64_t>>();
    const auto kernels = config.at("conv_kernel").get<std::vector<std::int64_t>>();
    const bool layerNorms = config.at("feat_extract_norm") == "layer";
    TensorList list;
    for (std::size_t index = 0; index < channels.size(); ++index) {
        const std::string layer = fmt::format("feature_extractor.conv_layers.{}.", index);
        list.add(layer + "conv.weight",
                 {channels[index], index == 0 ? 1 : channels[index - 1], kernels[index]});
        if (config.at("conv_bias").get<bool>())
            list.add(layer + "conv.bias", {channels[index]});
        if (layerNorms || index == 0)
            list.norm(layer + "layer_norm", channels[index]);
    }
    list.norm("feature_projection.layer_norm", channels.back());
    list.layer("feature_projection.projection", {width, channels.back()});
    list.add("encoder.pos_conv_embed.conv.bias", {width});
    list.add("encoder.pos_conv_embed.conv.weight_g", {1, 1, taps});
    list.add("encoder.pos_conv_embed.conv.weight_v", {width, width / groups, taps});
    list.norm("encoder.layer_norm", width);
    for (std::int64_t index = 0; index < number(config, "num_hidden_layers"); ++index) {
        const std::string layer = fmt::format("encoder.layers.{}.", index);
        for (const char* projection : {"k_proj", "v_proj", "q_proj", "out_proj"})
            list.layer(layer + "attention." + projection, {width, width});
        list.norm(layer + "layer_norm", width);
        list.layer(layer + "feed_forward.intermediate_dense", {features, width});
        list.layer(layer + "feed_forward.output_dense", {width, features});
        list.norm(layer + "final_layer_norm", width);
    }
    return list.take();
}

/// Upstream's modules in their order, as far as it is not that in which layers are used.
constexpr std::array<std::string_view, 4> modulesBehindEmbeddings{"blocks.", "vace_blocks.", "face_adapter.",
                                                                  "audio_injector."};

std::size_t findModule(const WanLayer& layer, const std::string& name) {
    if (layer.place.role == WanLayerRole::Output)
        return modulesBehindEmbeddings.size() + 1;
    const auto* found = std::ranges::find_if(
        modulesBehindEmbeddings, [&](std::string_view module) { return name.starts_with(module); });
    return found == modulesBehindEmbeddings.end()
               ? 0
               : static_cast<std::size_t>(found - modulesBehindEmbeddings.begin()) + 1;
}

/// diffusers' WanTransformer3DModel with its image, VACE and Animate variants, and S2V.
std::vector<TensorSpec> wanTransformerTensors(const json& config) {
    std::array<TensorList, modulesBehindEmbeddings.size() + 2> modules;
    for (const WanLayer& layer : wanLayers(WanTransformerConfig::fromJson(config, "architecture")))
        for (const WanParameter& parameter : layer.parameters) {
            const std::string name = layer.prefix + parameter.name;
            modules[findModule(layer, name)].add(name, parameter.shape);
        }
    std::vector<TensorSpec> all;
    for (TensorList& module : modules) {
        const std::vector<TensorSpec> tensors = module.take();
        all.insert(all.end(), tensors.begin(), tensors.end());
    }
    return all;
}

constexpr std::int64_t kernel = 3;

Shape convolution(std::int64_t out, std::int64_t in) {
    return {out, in, kernel, kernel, kernel};
}

/// One half of the VAE. Wan 2.1 numbers residual blocks and resamplings of all levels in one list, or groups
/// them by level as `upsamplers`; Wan 2.2 (is_residual) groups both halves by level.
class VaeTensors {
  public:
    explicit VaeTensors(const json& config)
        : m_grouped(config.at("is_residual").get<bool>()),
          m_multiples(config.at("dim_mult").get<std::vector<std::int64_t>>()),
          m_temporal(config.at("temperal_downsample").get<std::vector<bool>>()),
          m_residualBlocks(config.at("num_res_blocks").get<std::int64_t>()) {}

    void encoder(std::int64_t base, std::int64_t in, std::int64_t out) {
        std::int64_t channels = base;
        list.layer("encoder.conv_in", convolution(channels, in));
        std::int64_t unit = 0;  // in Wan 2.1's single list
        for (std::size_t level = 0; level < m_multiples.size(); ++level) {
            const std::string group = fmt::format("encoder.down_blocks.{}.", level);
            const auto listed = [&] { return fmt::format("encoder.down_blocks.{}", unit++); };
            for (std::int64_t index = 0; index < m_residualBlocks; ++index) {
                const std::int64_t wider = base * m_multiples[level];
                residual(m_grouped ? fmt::format("{}resnets.{}", group, index) : listed(), channels, wider);
                channels = wider;
            }
            if (level + 1 < m_multiples.size())
                resampling(m_grouped ? group + "downsampler" : listed(), channels, channels,
                           m_temporal[level] ? channels : 0);
        }
        middle("encoder.mid_block", channels);
        head("encoder", out, channels);
    }

    void decoder(std::int64_t base, std::int64_t in, std::int64_t out) {
        std::int64_t channels = base * m_multiples.back();
        list.layer("decoder.conv_in", convolution(channels, in));
        middle("decoder.mid_block", channels);
        for (std::size_t index = 0; index < m_multiples.size(); ++index) {
            const std::size_t level = m_multiples.size() - 1 - index;
            const std::string group = fmt::format("decoder.up_blocks.{}.", index);
            const std::int64_t narrower = base * m_multiples[level];
            for (std::int64_t unit = 0; unit <= m_residualBlocks; ++unit) {
                residual(fmt::format("{}resnets.{}", group, unit), channels, narrower);
                channels = narrower;
            }
            if (level == 0)
                continue;
            const std::int64_t resampled = m_grouped ? channels : channels / 2;
            resampling(group + (m_grouped ? "upsampler" : "upsamplers.0"), resampled, channels,
                       m_temporal[level - 1] ? 2 * channels : 0);
            channels = resampled;
        }
        head("decoder", out, channels);
    }

    TensorList list;

  private:
    void gamma(const std::string& name, std::int64_t channels) {
        list.add(name + ".gamma", {channels, 1, 1, 1});
    }

    void residual(const std::string& name, std::int64_t in, std::int64_t out) {
        gamma(name + ".norm1", in);
        list.layer(name + ".conv1", convolution(out, in));
        gamma(name + ".norm2", out);
        list.layer(name + ".conv2", convolution(out, out));
        if (in != out)
            list.layer(name + ".conv_shortcut", {out, in, 1, 1, 1});
    }

    /// `timeOut`: channels that a convolution over time makes; 0 without one.
    void resampling(const std::string& name, std::int64_t out, std::int64_t in, std::int64_t timeOut) {
        list.layer(name + ".resample.1", {out, in, kernel, kernel});
        if (timeOut > 0)
            list.layer(name + ".time_conv", {timeOut, in, kernel, 1, 1});
    }

    void middle(const std::string& name, std::int64_t channels) {
        residual(name + ".resnets.0", channels, channels);
        list.add(name + ".attentions.0.norm.gamma", {channels, 1, 1});
        list.layer(name + ".attentions.0.to_qkv", {3 * channels, channels, 1, 1});
        list.layer(name + ".attentions.0.proj", {channels, channels, 1, 1});
        residual(name + ".resnets.1", channels, channels);
    }

    void head(const std::string& name, std::int64_t out, std::int64_t in) {
        gamma(name + ".norm_out", in);
        list.layer(name + ".conv_out", convolution(out, in));
    }

    bool m_grouped;
    std::vector<std::int64_t> m_multiples;
    std::vector<bool> m_temporal;
    std::int64_t m_residualBlocks;
};

/// diffusers' AutoencoderKLWan, of Wan 2.1 and (is_residual) Wan 2.2.
std::vector<TensorSpec> wanVaeTensors(const json& config) {
    const auto base = config.at("base_dim").get<std::int64_t>();
    const json& decoderBase = config.at("decoder_base_dim");
    const auto latent = config.at("z_dim").get<std::int64_t>();
    VaeTensors tensors(config);
    tensors.encoder(base, config.at("in_channels").get<std::int64_t>(), 2 * latent);
    tensors.list.layer("quant_conv", {2 * latent, 2 * latent, 1, 1, 1});
    tensors.list.layer("post_quant_conv", {latent, latent, 1, 1, 1});
    tensors.decoder(decoderBase.is_null() ? base : decoderBase.get<std::int64_t>(), latent,
                    config.at("out_channels").get<std::int64_t>());
    return tensors.list.take();
}

/// Lists the tensors of madebyollin/taehv's TAEHV, its encoder included: upstream's lists of layers, in which
/// those without weights count as well.
std::vector<TensorSpec> tinyVaeTensors(const json& config) {
    const auto widths = config.at("decoder_widths").get<std::vector<std::int64_t>>();
    const auto lengthens = config.at("temperal_downsample").get<std::vector<bool>>();
    const std::int64_t latent = number(config, "z_dim");
    const std::int64_t patch = number(config, "patch_size");
    const std::int64_t pixels = 3 * patch * patch;
    TensorList list;
    const auto convolution2d = [](std::int64_t out, std::int64_t in) {
        return Shape{out, in, kernel, kernel};
    };
    const auto blocks = [&](const char* half, std::size_t first, std::int64_t channels) {
        constexpr std::size_t blocksOfLevel = 3;
        for (std::size_t block = first; block < first + blocksOfLevel; ++block)
            for (const int layer : {0, 2, 4})
                list.layer(fmt::format("{}.{}.conv.{}", half, block, layer),
                           convolution2d(channels, layer == 0 ? 2 * channels : channels));
    };
    const std::int64_t narrow = widths.back();  // at all levels of the encoder
    std::size_t place = 0;
    list.layer("encoder.0", convolution2d(narrow, pixels));
    place = 2;
    // The encoder walks through the decoder's levels backwards.
    for (std::size_t level = lengthens.size(); level-- > 0; place += 5) {
        list.add(fmt::format("encoder.{}.conv.weight", place),
                 {narrow, (lengthens[level] ? 2 : 1) * narrow, 1, 1});
        list.add(fmt::format("encoder.{}.weight", place + 1), convolution2d(narrow, narrow));
        blocks("encoder", place + 2, narrow);
    }
    list.layer(fmt::format("encoder.{}", place), convolution2d(latent, narrow));

    list.layer("decoder.1", convolution2d(widths.front(), latent));
    place = 3;
    for (std::size_t level = 0; level + 1 < widths.size(); ++level, place += 6) {
        const std::int64_t channels = widths[level];
        blocks("decoder", place, channels);
        list.add(fmt::format("decoder.{}.conv.weight", place + 4),
                 {(lengthens[level] ? 2 : 1) * channels, channels, 1, 1});
        list.add(fmt::format("decoder.{}.weight", place + 5), convolution2d(widths[level + 1], channels));
    }
    list.layer(fmt::format("decoder.{}", place + 1), convolution2d(pixels, narrow));
    return list.take();
}

constexpr std::size_t gigabyte = 1'000'000'000;

constexpr ArchitectureFamily transformer{
    .part = "transformer",
    .released = DType::BF16,
    .weightsFile = "diffusion_pytorch_model",
    .shardBytes = 10 * gigabyte,
    .layersKey = "num_layers",
    .config = R"({"_class_name": "WanTransformer3DModel", "patch_size": [1, 2, 2],
        "num_attention_heads": 40, "attention_head_dim": 128, "in_channels": 16, "out_channels": 16,
        "text_dim": 4096, "freq_dim": 256, "ffn_dim": 13824, "num_layers": 40, "cross_attn_norm": true,
        "qk_norm": "rms_norm_across_heads", "eps": 1e-6, "image_dim": null, "added_kv_proj_dim": null,
        "rope_max_seq_len": 1024, "pos_embed_seq_len": null})",
    .tensors = wanTransformerTensors};

constexpr ArchitectureFamily vae{
    .part = "vae",
    .released = DType::F32,
    .weightsFile = "diffusion_pytorch_model",
    .shardBytes = 10 * gigabyte,
    .layersKey = "",
    .config = R"({"_class_name": "AutoencoderKLWan", "base_dim": 96, "decoder_base_dim": null, "z_dim": 16,
        "dim_mult": [1, 2, 4, 4], "num_res_blocks": 2, "attn_scales": [],
        "temperal_downsample": [false, true, true], "dropout": 0.0, "is_residual": false, "in_channels": 3,
        "out_channels": 3, "patch_size": null, "scale_factor_temporal": 4, "scale_factor_spatial": 8})",
    .tensors = wanVaeTensors};

constexpr ArchitectureFamily tinyVae{.part = "vae",
                                     .released = DType::F16,
                                     .weightsFile = "diffusion_pytorch_model",
                                     .shardBytes = 10 * gigabyte,
                                     .layersKey = "",
                                     .config = R"({"_class_name": "TAEHV", "z_dim": 16, "patch_size": 1,
        "temperal_downsample": [false, true, true], "decoder_widths": [256, 128, 64, 64]})",
                                     .tensors = tinyVaeTensors};

constexpr ArchitectureFamily textEncoder{
    .part = "text_encoder",
    .released = DType::BF16,
    .weightsFile = "model",
    .shardBytes = 5 * gigabyte,
    .layersKey = "num_layers",
    .config = R"({"architectures": ["UMT5EncoderModel"], "model_type": "umt5",
        "feed_forward_proj": "gated-gelu", "layer_norm_epsilon": 1e-6, "vocab_size": 256384,
        "d_model": 4096, "d_kv": 64, "d_ff": 10240, "num_heads": 64, "num_layers": 24,
        "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128})",
    .tensors = umt5Tensors};

constexpr ArchitectureFamily imageEncoder{
    .part = "image_encoder",
    .released = DType::F16,
    .weightsFile = "model",
    .shardBytes = 5 * gigabyte,
    .layersKey = "num_hidden_layers",
    .config = R"({"architectures": ["CLIPVisionModelWithProjection"], "model_type": "clip_vision_model",
        "hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32, "num_attention_heads": 16,
        "image_size": 224, "patch_size": 14, "hidden_act": "gelu", "layer_norm_eps": 1e-5,
        "projection_dim": 1024})",
    .tensors = clipVisionTensors};

constexpr ArchitectureFamily audioEncoder{
    .part = "audio_encoder",
    .released = DType::F32,
    .weightsFile = "model",
    .shardBytes = 5 * gigabyte,
    .layersKey = "num_hidden_layers",
    .config = R"({"architectures": ["Wav2Vec2Model"], "model_type": "wav2vec2",
        "feat_extract_norm": "layer", "feat_extract_activation": "gelu", "hidden_act": "gelu",
        "do_stable_layer_norm": true, "conv_bias": true, "conv_dim": [512, 512, 512, 512, 512, 512, 512],
        "conv_kernel": [10, 3, 3, 3, 3, 2, 2], "conv_stride": [5, 2, 2, 2, 2, 2, 2], "hidden_size": 1024,
        "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
        "num_conv_pos_embeddings": 128, "num_conv_pos_embedding_groups": 16, "layer_norm_eps": 1e-5})",
    .tensors = wav2Vec2Tensors};

constexpr std::string_view baseWav2Vec2 = R"({"feat_extract_norm": "group", "do_stable_layer_norm": false,
    "conv_bias": false, "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
    "num_attention_heads": 12})";

constexpr std::string_view small = R"({"num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30})";

// vace_layers names the blocks that are given hints, one for each VACE block.
constexpr std::string_view smallVace = R"({"_class_name": "WanVACETransformer3DModel",
    "num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30,
    "vace_layers": [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28], "vace_in_channels": 96})";
constexpr std::string_view largeVace = R"({"_class_name": "WanVACETransformer3DModel",
    "vace_layers": [0, 5, 10, 15, 20, 25, 30, 35], "vace_in_channels": 96})";

constexpr std::string_view image21 = R"({"in_channels": 36, "image_dim": 1280, "added_kv_proj_dim": 5120})";
// Fun Control: the channels of a control video and of a first frame; V1.1 and Wan 2.2 take a reference
// picture.
constexpr std::string_view smallControl = R"({"num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30,
    "in_channels": 48, "image_dim": 1280, "added_kv_proj_dim": 1536})";
constexpr std::string_view smallControl11 = R"({"num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30,
    "in_channels": 48, "image_dim": 1280, "added_kv_proj_dim": 1536, "in_dim_ref_conv": 16})";
constexpr std::string_view largeControl =
    R"({"in_channels": 48, "image_dim": 1280, "added_kv_proj_dim": 5120})";
constexpr std::string_view largeControl11 =
    R"({"in_channels": 48, "image_dim": 1280, "added_kv_proj_dim": 5120, "in_dim_ref_conv": 16})";
constexpr std::string_view control22 = R"({"in_channels": 52, "in_dim_ref_conv": 16})";
constexpr std::string_view control5b = R"({"num_attention_heads": 24, "in_channels": 148,
    "out_channels": 48, "ffn_dim": 14336, "num_layers": 30, "in_dim_ref_conv": 48})";

constexpr std::string_view firstAndLast =
    R"({"in_channels": 36, "image_dim": 1280, "added_kv_proj_dim": 5120, "pos_embed_seq_len": 514})";
constexpr std::string_view textImage5b = R"({"num_attention_heads": 24, "in_channels": 48,
    "out_channels": 48, "ffn_dim": 14336, "num_layers": 30})";
constexpr std::string_view animate = R"({"_class_name": "WanAnimateTransformer3DModel", "in_channels": 36,
    "latent_channels": 16, "image_dim": 1280, "added_kv_proj_dim": 5120,
    "motion_encoder_channel_sizes": null, "motion_encoder_size": 512, "motion_style_dim": 512,
    "motion_dim": 20, "motion_encoder_dim": 512, "face_encoder_hidden_dim": 1024,
    "face_encoder_num_heads": 4, "inject_face_latents_blocks": 5, "motion_encoder_batch_size": 8})";

constexpr std::string_view speech = R"({"_class_name": "WanS2VTransformer3DModel", "audio_dim": 1024,
    "num_audio_layers": 25, "num_audio_token": 4, "cond_dim": 16,
    "audio_inject_layers": [0, 4, 8, 12, 16, 20, 24, 27, 30, 33, 36, 39]})";

constexpr std::string_view vae21Statistics = R"({
    "latents_mean": [-0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508, 0.4134, -0.0715,
        0.5517, -0.3632, -0.1922, -0.9497, 0.2503, -0.2921],
    "latents_std": [2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687, 2.1526, 2.8652,
        1.5579, 1.6382, 1.1253, 2.8251, 1.916]})";
constexpr std::string_view vae22 = R"({"base_dim": 160, "decoder_base_dim": 256, "z_dim": 48,
    "is_residual": true, "in_channels": 12, "out_channels": 12, "patch_size": 2, "scale_factor_spatial": 16,
    "latents_mean": [-0.2289, -0.0052, -0.1323, -0.2339, -0.2799, 0.0174, 0.1838, 0.1557, -0.1382, 0.0542,
        0.2813, 0.0891, 0.157, -0.0098, 0.0375, -0.1825, -0.2246, -0.1207, -0.0698, 0.5109, 0.2665, -0.2108,
        -0.2158, 0.2502, -0.2055, -0.0322, 0.1109, 0.1567, -0.0729, 0.0899, -0.2799, -0.123, -0.0313,
        -0.1649, 0.0117, 0.0723, -0.2839, -0.2083, -0.052, 0.3748, 0.0152, 0.1957, 0.1433, -0.2944, 0.3573,
        -0.0548, -0.1681, -0.0667],
    "latents_std": [0.4765, 1.0364, 0.4514, 1.1677, 0.5313, 0.499, 0.4818, 0.5013, 0.8158, 1.0344, 0.5894,
        1.0901, 0.6885, 0.6165, 0.8454, 0.4978, 0.5759, 0.3523, 0.7135, 0.6804, 0.5833, 1.4146, 0.8986,
        0.5659, 0.7069, 0.5338, 0.4889, 0.4917, 0.4069, 0.4999, 0.6866, 0.4093, 0.5709, 0.6065, 0.6415,
        0.4944, 0.5726, 1.2042, 0.5458, 1.6887, 0.3971, 1.06, 0.3943, 0.5537, 0.5444, 0.4089, 0.7468,
        0.7744]})";

constexpr std::array table{
    Architecture{"wan2.1-t2v-1.3b", "dit_wan21_t2v_1.3b", "text to video", transformer, small},
    Architecture{"wan2.1-t2v-14b", "dit_wan21_t2v_14b", "text to video", transformer, "{}"},
    Architecture{"wan2.1-i2v-14b", "dit_wan21_i2v_14b_480p_720p", "image to video, 480P and 720P",
                 transformer, image21},
    Architecture{"wan2.1-flf2v-14b", "dit_wan21_flf2v_14b", "first and last frame to video", transformer,
                 firstAndLast},
    Architecture{"wan2.1-vace-1.3b", "dit_wan21_vace_1.3b", "VACE editing", transformer, smallVace},
    Architecture{"wan2.1-vace-14b", "dit_wan21_vace_14b", "VACE editing", transformer, largeVace},
    Architecture{"wan2.1-fun-control-v1.1-1.3b", "dit_wan21_fun_control_v11_1.3b",
                 "Fun Control V1.1, control video to video", transformer, smallControl11},
    Architecture{"wan2.1-fun-control-v1.1-14b", "dit_wan21_fun_control_v11_14b",
                 "Fun Control V1.1, control video to video", transformer, largeControl11},
    Architecture{"wan2.1-fun-control-1.3b", "dit_wan21_fun_control_1.3b",
                 "Fun Control, control video to video", transformer, smallControl},
    Architecture{"wan2.1-fun-control-14b", "dit_wan21_fun_control_14b", "Fun Control, control video to video",
                 transformer, largeControl},
    Architecture{"wan2.2-t2v-a14b", "dit_wan22_t2v_a14b", "text to video, one of the two experts",
                 transformer, "{}"},
    Architecture{"wan2.2-i2v-a14b", "dit_wan22_i2v_a14b", "image to video, one of the two experts",
                 transformer, R"({"in_channels": 36})"},
    Architecture{"wan2.2-fun-control-a14b", "dit_wan22_fun_control_a14b",
                 "Fun Control, control video to video, one of the two experts", transformer, control22},
    Architecture{"wan2.2-fun-control-5b", "dit_wan22_fun_control_5b", "Fun Control, control video to video",
                 transformer, control5b},
    Architecture{"wan2.2-ti2v-5b", "dit_wan22_ti2v_5b", "text or image to video", transformer, textImage5b},
    Architecture{"wan2.2-animate-14b", "dit_wan22_animate_14b", "character animation", transformer, animate},
    Architecture{"wan2.2-s2v-14b", "dit_wan22_s2v_14b", "speech to video", transformer, speech},
    Architecture{"wan2.1-vae", "vae_wan21", "VAE of all but TI2V-5B", vae, vae21Statistics},
    Architecture{"wan2.2-vae", "vae_wan22", "VAE of TI2V-5B", vae, vae22},
    Architecture{"taew2_1", "taehv_wan21", "small decoder (TAEHV) of all but TI2V-5B", tinyVae, "{}"},
    Architecture{"taew2_2", "taehv_wan22", "small decoder (TAEHV) of TI2V-5B", tinyVae,
                 R"({"z_dim": 48, "patch_size": 2})"},
    Architecture{"umt5-xxl", "umt5_xxl", "text encoder", textEncoder, "{}"},
    Architecture{"clip-vit-h", "clip_vit_h", "image encoder of the Wan 2.1 image models", imageEncoder, "{}"},
    Architecture{"wav2vec2-large", "wav2vec2_large", "sound encoder of the Wan 2.2 S2V model", audioEncoder,
                 "{}"},
    Architecture{"wav2vec2-base", "wav2vec2_base", "smaller sound encoder", audioEncoder, baseWav2Vec2},
};

/// VACE blocks and audio injectors belong to transformer blocks; those of blocks that are left out go with
/// them.
void dropLayersBeside(json& config, std::int64_t layers) {
    for (const char* key : {"vace_layers", "audio_inject_layers"}) {
        const auto found = config.find(key);
        if (found == config.end())
            continue;
        json kept = json::array();
        for (const json& layer : *found)
            if (layer.get<std::int64_t>() < layers)
                kept.push_back(layer);
        *found = std::move(kept);
    }
}

}  // namespace

std::span<const Architecture> architectures() {
    return table;
}

const Architecture* findArchitecture(std::string_view name) {
    const auto* found = std::ranges::find_if(
        table, [&](const Architecture& each) { return each.name == name || each.shapes == name; });
    return found == table.end() ? nullptr : found;
}

const Architecture& requireArchitecture(std::string_view name) {
    if (const Architecture* found = findArchitecture(name))
        return *found;
    std::vector<std::string_view> names;
    for (const Architecture& known : table)
        names.push_back(known.name);
    const Sentence all = sentence("There are {}", fmt::to_string(fmt::join(names, ", ")));
    const std::string_view nearest = nearestName(name, names);
    throw Error(ErrorKind::Project, sentence("There is no architecture '{}'", name), "--arch",
                nearest.empty() ? all : sentence("Did you mean {}? {}", nearest, all));
}

json configOf(const Architecture& architecture, std::optional<std::int64_t> layers) {
    json config = json::parse(architecture.family.config);
    config.update(json::parse(architecture.config));
    if (!layers)
        return config;
    const std::string key(architecture.family.layersKey);
    if (key.empty())
        throw Error(ErrorKind::Project, sentence("{} has no layers to leave out", architecture.name),
                    "--layers", sentence("Leave the option out: its levels need each other"));
    const auto all = config.at(key).get<std::int64_t>();
    if (*layers < 1 || *layers > all)
        throw Error(ErrorKind::Project, sentence("{} has {} layers, not {}", architecture.name, all, *layers),
                    "--layers", sentence("Choose 1 to {}", all));
    config[key] = *layers;
    dropLayersBeside(config, *layers);
    return config;
}

std::vector<TensorSpec> tensorsOf(const Architecture& architecture, std::optional<std::int64_t> layers,
                                  std::optional<DType> dtype) {
    std::vector<TensorSpec> tensors = architecture.family.tensors(configOf(architecture, layers));
    for (TensorSpec& tensor : tensors)
        tensor.dtype = dtype.value_or(architecture.family.released);
    return tensors;
}

}  // namespace meshreel
