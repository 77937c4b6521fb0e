// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/models/architecture_tensors.h"
#include "engine/models/wan_parameters.h"

namespace meshreel {
namespace {

using nlohmann::json;

/// What the config says beside what other models have; 0 for what the model does not have.
struct Extras {
    explicit Extras(const json& config)
        : vaceBlocks(std::ssize(config.value("vace_layers", json::array()))),
          vaceChannels(number(config, "vace_in_channels")),
          animate(config.contains("motion_encoder_dim")) {}

    static std::int64_t number(const json& config, const char* key) {
        const auto found = config.find(key);
        return found == config.end() || found->is_null() ? 0 : found->get<std::int64_t>();
    }

    std::int64_t vaceBlocks;
    std::int64_t vaceChannels;
    bool animate;
};

WanTransformerConfig commonPart(json config) {
    for (const char* key : {"vace_layers", "vace_in_channels", "motion_encoder_size"})
        config.erase(key);
    return WanTransformerConfig::fromJson(config, "architecture");
}

void addParameters(TensorList& list, const std::string& prefix, const WanLayer& layer) {
    for (const WanParameter& parameter : layer.parameters)
        list.add(prefix + parameter.name, parameter.shape);
}

void addVaceBlocks(TensorList& list, const WanLayer& block, std::int64_t count, std::int64_t inner) {
    for (std::int64_t index = 0; index < count; ++index) {
        const std::string prefix = fmt::format("vace_blocks.{}.", index);
        if (index == 0)
            list.layer(prefix + "proj_in", {inner, inner});
        addParameters(list, prefix, block);
        list.layer(prefix + "proj_out", {inner, inner});
    }
}

/// From faces of motion_encoder_size pixels a side to motion_dim directions. Every block halves the side.
void addMotionEncoder(TensorList& list, const json& config) {
    constexpr std::array<std::int64_t, 8> channels = {32, 64, 128, 256, 512, 512, 512, 512};
    constexpr std::int64_t colours = 3;
    constexpr std::int64_t lastSide = 4;
    constexpr int linears = 5;
    const std::int64_t style = Extras::number(config, "motion_style_dim");
    const std::int64_t motion = Extras::number(config, "motion_dim");
    const std::string name = "motion_encoder.";
    list.add(name + "motion_synthesis_weight", {Extras::number(config, "motion_encoder_size"), motion});
    list.add(name + "conv_in.weight", {channels.front(), colours, 1, 1});
    list.add(name + "conv_in.act_fn.bias", {channels.front()});
    for (std::size_t index = 0; index + 1 < channels.size(); ++index) {
        const std::string block = fmt::format("{}res_blocks.{}.", name, index);
        const std::int64_t in = channels[index];
        const std::int64_t out = channels[index + 1];
        list.add(block + "conv1.weight", {in, in, 3, 3});
        list.add(block + "conv1.act_fn.bias", {in});
        list.add(block + "conv2.weight", {out, in, 3, 3});
        list.add(block + "conv2.act_fn.bias", {out});
        list.add(block + "conv_skip.weight", {out, in, 1, 1});
    }
    list.add(name + "conv_out.weight", {style, channels.back(), lastSide, lastSide});
    for (int index = 0; index < linears; ++index)
        list.layer(fmt::format("{}motion_network.{}", name, index),
                   {index + 1 < linears ? style : motion, style});
}

void addFaceEncoder(TensorList& list, const json& config, std::int64_t inner) {
    constexpr std::int64_t taps = 3;
    const std::int64_t hidden = Extras::number(config, "face_encoder_hidden_dim");
    const std::int64_t heads = Extras::number(config, "face_encoder_num_heads");
    const std::string name = "face_encoder.";
    list.add(name + "padding_tokens", {1, 1, 1, inner});
    list.layer(name + "conv1_local", {hidden * heads, Extras::number(config, "motion_encoder_dim"), taps});
    list.layer(name + "conv2", {hidden, hidden, taps});
    list.layer(name + "conv3", {hidden, hidden, taps});
    list.layer(name + "out_proj", {inner, hidden});
}

void addFaceAdapters(TensorList& list, const json& config, const WanTransformerConfig& wan) {
    const std::int64_t every = Extras::number(config, "inject_face_latents_blocks");
    for (std::int64_t index = 0; index < wan.layers / every; ++index) {
        const std::string name = fmt::format("face_adapter.{}.", index);
        for (const char* projection : {"to_q", "to_k", "to_v", "to_out"})
            list.layer(name + projection, {wan.innerDim(), wan.innerDim()});
        list.add(name + "norm_q.weight", {wan.headDim});
        list.add(name + "norm_k.weight", {wan.headDim});
    }
}

Shape patchEmbedding(const WanTransformerConfig& wan, std::int64_t channels) {
    return {wan.innerDim(), channels, wan.patch[0], wan.patch[1], wan.patch[2]};
}

void addEmbeddings(TensorList& list, const json& config, const WanTransformerConfig& wan,
                   const Extras& extras, const WanLayer& embeddings) {
    addParameters(list, embeddings.prefix, embeddings);
    if (extras.vaceChannels > 0)
        list.layer("vace_patch_embedding", patchEmbedding(wan, extras.vaceChannels));
    if (!extras.animate)
        return;
    list.layer("pose_patch_embedding", patchEmbedding(wan, Extras::number(config, "latent_channels")));
    addMotionEncoder(list, config);
    addFaceEncoder(list, config, wan.innerDim());
}

}  // namespace

std::vector<TensorSpec> wanTransformerTensors(const json& config) {
    const WanTransformerConfig wan = commonPart(config);
    const Extras extras(config);
    const std::vector<WanLayer> layers = wanLayers(wan);
    TensorList list;
    addEmbeddings(list, config, wan, extras, layers.front());
    for (std::size_t index = 1; index + 1 < layers.size(); ++index) {
        addParameters(list, layers[index].prefix, layers[index]);
    }
    addVaceBlocks(list, layers[1], extras.vaceBlocks, wan.innerDim());
    if (extras.animate)
        addFaceAdapters(list, config, wan);
    addParameters(list, layers.back().prefix, layers.back());
    return list.take();
}

}  // namespace meshreel
