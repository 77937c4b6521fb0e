// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/models/sound/sound_config.h"

namespace meshreel {
namespace {

// Rows of the scale_shift_table of a block: shift, scale and gate of self-attention and of the feed-forward.
constexpr std::int64_t blockModulations = 6;

// Rows of the transformer's own scale_shift_table: shift and scale of the output.
constexpr std::int64_t outputModulations = 2;

// Appends NAME.weight [out, in] and NAME.bias [out]. Where input features are divided, products are summed
// over the devices, and the bias belongs to the sum. The blocks' layers are those that are divided.
void addLinear(std::vector<WanParameter>& parameters, const std::string& name, std::int64_t out,
               std::int64_t in, TensorSplit split = TensorSplit::None) {
    parameters.push_back({.name = name + ".weight",
                          .shape = {out, in},
                          .split = split,
                          .blockLinear = split != TensorSplit::None,
                          .linear = true});
    parameters.push_back({.name = name + ".bias",
                          .shape = {out},
                          .split = split == TensorSplit::Rows ? TensorSplit::Rows : TensorSplit::None});
}

// Upstream makes the norms whatever qk_norm says, so that with qk_norm null they are used when the checkpoint
// holds them.
void addAttention(std::vector<WanParameter>& parameters, const std::string& name,
                  const WanTransformerConfig& config) {
    const std::int64_t inner = config.innerDim();
    for (const char* projection : {".to_q", ".to_k", ".to_v"})
        addLinear(parameters, name + projection, inner, inner, TensorSplit::Rows);
    addLinear(parameters, name + ".to_out.0", inner, inner, TensorSplit::Columns);
    for (const char* norm : {".norm_q.weight", ".norm_k.weight"})
        parameters.push_back({.name = name + norm,
                              .shape = {inner},
                              .split = TensorSplit::Rows,
                              .optional = !config.qkNorm,
                              .norm = true});
}

void addNorm(std::vector<WanParameter>& parameters, const std::string& name, std::int64_t width) {
    parameters.push_back({.name = name + ".weight", .shape = {width}, .norm = true});
    parameters.push_back({.name = name + ".bias", .shape = {width}, .norm = true});
}

// Keys and values of the image beside those of the text.
void addImageKeys(std::vector<WanParameter>& parameters, const std::string& attention,
                  const WanTransformerConfig& config) {
    const std::int64_t inner = config.innerDim();
    addLinear(parameters, attention + ".add_k_proj", inner, config.addedKvDim, TensorSplit::Rows);
    addLinear(parameters, attention + ".add_v_proj", inner, config.addedKvDim, TensorSplit::Rows);
    parameters.push_back({.name = attention + ".norm_added_k.weight",
                          .shape = {inner},
                          .split = TensorSplit::Rows,
                          .optional = !config.qkNorm,
                          .norm = true});
}

// CLIP's features to the transformer's width.
void addImageEmbedder(std::vector<WanParameter>& parameters, const WanTransformerConfig& config) {
    const std::string name = "condition_embedder.image_embedder.";
    if (config.imagePositions > 0)
        parameters.push_back(
            {.name = name + "pos_embed", .shape = {1, config.imagePositions, config.imageDim}});
    addNorm(parameters, name + "norm1", config.imageDim);
    addLinear(parameters, name + "ff.net.0.proj", config.imageDim, config.imageDim);
    addLinear(parameters, name + "ff.net.2", config.innerDim(), config.imageDim);
    addNorm(parameters, name + "norm2", config.innerDim());
}

void addPatchEmbedding(std::vector<WanParameter>& parameters, const std::string& name,
                       const WanTransformerConfig& config, std::int64_t channels) {
    parameters.push_back(
        {.name = name + ".weight",
         .shape = {config.innerDim(), channels, config.patch[0], config.patch[1], config.patch[2]},
         .linear = true,
         .ofTokens = true});
    parameters.push_back({.name = name + ".bias", .shape = {config.innerDim()}});
}

// A convolution over the rows and columns of one frame.
void addReferenceConvolution(std::vector<WanParameter>& parameters, const WanTransformerConfig& config) {
    parameters.push_back(
        {.name = "ref_conv.weight",
         .shape = {config.innerDim(), config.referenceChannels, config.patch[1], config.patch[2]},
         .linear = true,
         .ofTokens = true});
    parameters.push_back({.name = "ref_conv.bias", .shape = {config.innerDim()}});
}

// Poses, the packings of motion, and what marks the tokens of the video, of the reference and of motion.
void addSoundEmbeddings(std::vector<WanParameter>& parameters, const WanTransformerConfig& config) {
    constexpr std::int64_t markedKinds = 3;
    const std::int64_t inner = config.innerDim();
    addPatchEmbedding(parameters, "cond_encoder", config, config.sound->poseChannels);
    parameters.push_back({.name = "trainable_cond_mask.weight", .shape = {markedKinds, inner}});
    for (const MotionPacking& packing : motionPackings) {
        const std::string name = packing.projection;
        parameters.push_back(
            {.name = name + ".weight",
             .shape = {inner, config.inChannels, packing.patchFrames, packing.patchSide, packing.patchSide},
             .linear = true,
             .ofTokens = true});
        parameters.push_back({.name = name + ".bias", .shape = {inner}});
    }
}

WanLayer embeddings(const WanTransformerConfig& config) {
    const std::int64_t inner = config.innerDim();
    WanLayer layer{.name = std::string(nameOf(WanLayerRole::Embeddings)),
                   .prefix = "",
                   .parameters = {},
                   .place = {WanLayerRole::Embeddings}};
    std::vector<WanParameter>& parameters = layer.parameters;
    addPatchEmbedding(parameters, "patch_embedding", config, config.inChannels);
    if (config.vaceChannels > 0)
        addPatchEmbedding(parameters, "vace_patch_embedding", config, config.vaceChannels);
    if (config.animate)
        addPatchEmbedding(parameters, "pose_patch_embedding", config, config.animate->poseChannels);
    if (config.referenceChannels > 0)
        addReferenceConvolution(parameters, config);
    if (config.sound)
        addSoundEmbeddings(parameters, config);
    addLinear(parameters, "condition_embedder.time_embedder.linear_1", inner, config.freqDim);
    addLinear(parameters, "condition_embedder.time_embedder.linear_2", inner, inner);
    addLinear(parameters, "condition_embedder.time_proj", blockModulations * inner, inner);
    addLinear(parameters, "condition_embedder.text_embedder.linear_1", inner, config.textDim);
    addLinear(parameters, "condition_embedder.text_embedder.linear_2", inner, inner);
    if (config.imageDim > 0)
        addImageEmbedder(parameters, config);
    if (!config.vaceLayers.empty()) {
        addLinear(parameters, "vace_blocks.0.proj_in", inner, inner, TensorSplit::Columns);
        parameters[parameters.size() - 2].ofTokens = true;
    }
    return layer;
}

void addMotionConvolution(std::vector<WanParameter>& parameters, const std::string& name, std::int64_t out,
                          std::int64_t in, std::int64_t side, bool activated = true) {
    parameters.push_back({.name = name + ".weight", .shape = {out, in, side, side}});
    if (activated)
        parameters.push_back({.name = name + ".act_fn.bias", .shape = {out}});
}

// From faces to directions of motion. Every residual block halves the image.
void addMotionEncoder(std::vector<WanParameter>& parameters, const AnimateConfig& config) {
    constexpr std::int64_t colours = 3;
    constexpr std::int64_t lastSide = 4;
    const std::string name = "motion_encoder.";
    parameters.push_back(
        {.name = name + "motion_synthesis_weight", .shape = {config.motionDim, config.directions}});
    addMotionConvolution(parameters, name + "conv_in", config.channels.front(), colours, 1);
    for (std::size_t index = 0; index + 1 < config.channels.size(); ++index) {
        const std::string block = fmt::format("{}res_blocks.{}.", name, index);
        const std::int64_t in = config.channels[index];
        const std::int64_t out = config.channels[index + 1];
        addMotionConvolution(parameters, block + "conv1", in, in, 3);
        addMotionConvolution(parameters, block + "conv2", out, in, 3);
        addMotionConvolution(parameters, block + "conv_skip", out, in, 1, false);
    }
    addMotionConvolution(parameters, name + "conv_out", config.styleDim, config.channels.back(), lastSide,
                         false);
    for (int index = 0; index < AnimateConfig::motionLinears; ++index) {
        addLinear(parameters, fmt::format("{}motion_network.{}", name, index),
                  index + 1 < AnimateConfig::motionLinears ? config.styleDim : config.directions,
                  config.styleDim);
        parameters[parameters.size() - 2].linear = false;  // scaled before it is packed
    }
}

void addCausalConvolution(std::vector<WanParameter>& parameters, const std::string& name, std::int64_t out,
                          std::int64_t in) {
    constexpr std::int64_t taps = 3;
    parameters.push_back({.name = name + ".weight", .shape = {out, in, taps}});
    parameters.push_back({.name = name + ".bias", .shape = {out}});
}

WanLayer faces(const WanTransformerConfig& config) {
    const AnimateConfig& animate = *config.animate;
    const std::int64_t hidden = animate.hiddenDim;
    WanLayer layer{.name = std::string(nameOf(WanLayerRole::Faces)),
                   .prefix = "",
                   .parameters = {},
                   .place = {WanLayerRole::Faces}};
    addMotionEncoder(layer.parameters, animate);
    layer.parameters.push_back(
        {.name = "face_encoder.padding_tokens", .shape = {1, 1, 1, config.innerDim()}});
    addCausalConvolution(layer.parameters, "face_encoder.conv1_local", hidden * animate.heads,
                         animate.motionDim);
    addCausalConvolution(layer.parameters, "face_encoder.conv2", hidden, hidden);
    addCausalConvolution(layer.parameters, "face_encoder.conv3", hidden, hidden);
    addLinear(layer.parameters, "face_encoder.out_proj", config.innerDim(), hidden);
    return layer;
}

WanLayer faceAdapter(const WanTransformerConfig& config, std::int64_t index) {
    const std::int64_t inner = config.innerDim();
    WanLayer layer{.name = fmt::format("{} {}", nameOf(WanLayerRole::FaceAdapter), index),
                   .prefix = fmt::format("face_adapter.{}.", index),
                   .parameters = {},
                   .place = {WanLayerRole::FaceAdapter, index}};
    for (const char* projection : {"to_q", "to_k", "to_v"})
        addLinear(layer.parameters, projection, inner, inner, TensorSplit::Rows);
    addLinear(layer.parameters, "to_out", inner, inner, TensorSplit::Columns);
    for (const char* norm : {"norm_q.weight", "norm_k.weight"})
        layer.parameters.push_back({.name = norm, .shape = {config.headDim}, .norm = true});
    return layer;
}

// The convolutions double the width as they halve the time.
WanLayer sound(const WanTransformerConfig& config) {
    const SoundConfig& own = *config.sound;
    const std::int64_t inner = config.innerDim();
    const std::string name = "casual_audio_encoder.";  // upstream's spelling
    WanLayer layer{.name = std::string(nameOf(WanLayerRole::Sound)),
                   .prefix = "",
                   .parameters = {},
                   .place = {WanLayerRole::Sound}};
    layer.parameters.push_back({.name = name + "weights", .shape = {1, own.states, 1, 1}});
    addCausalConvolution(layer.parameters, name + "encoder.conv1_local.conv", inner / 4 * own.localTokens,
                         own.width);
    addCausalConvolution(layer.parameters, name + "encoder.conv1_global.conv", inner / 4, own.width);
    addCausalConvolution(layer.parameters, name + "encoder.conv2.conv", inner / 2, inner / 4);
    addCausalConvolution(layer.parameters, name + "encoder.conv3.conv", inner, inner / 2);
    addLinear(layer.parameters, name + "encoder.final_linear", inner, inner);
    layer.parameters.push_back({.name = name + "encoder.padding_tokens", .shape = {1, 1, 1, inner}});
    return layer;
}

WanLayer audioInjector(const WanTransformerConfig& config, std::int64_t index) {
    const std::int64_t inner = config.innerDim();
    WanLayer layer{.name = fmt::format("{} {}", nameOf(WanLayerRole::AudioInjector), index),
                   .prefix = fmt::format("audio_injector.{}.", index),
                   .parameters = {},
                   .place = {WanLayerRole::AudioInjector, index}};
    addAttention(layer.parameters, "attn", config);
    addLinear(layer.parameters, "norm.linear", 2 * inner, inner);
    layer.parameters[layer.parameters.size() - 2].blockLinear = true;
    return layer;
}

WanLayer block(const WanTransformerConfig& config, std::int64_t index) {
    const std::int64_t inner = config.innerDim();
    WanLayer layer{.name = fmt::format("{} {}", nameOf(WanLayerRole::VideoBlock), index),
                   .prefix = fmt::format("blocks.{}.", index),
                   .parameters = {},
                   .place = {WanLayerRole::VideoBlock, index}};
    layer.parameters.push_back({.name = "scale_shift_table", .shape = {1, blockModulations, inner}});
    addAttention(layer.parameters, "attn1", config);
    addAttention(layer.parameters, "attn2", config);
    if (config.addedKvDim > 0)
        addImageKeys(layer.parameters, "attn2", config);
    if (config.crossAttentionNorm)
        addNorm(layer.parameters, "norm2", inner);
    addLinear(layer.parameters, "ffn.net.0.proj", config.ffnDim, inner, TensorSplit::Rows);
    addLinear(layer.parameters, "ffn.net.2", inner, config.ffnDim, TensorSplit::Columns);
    return layer;
}

// A block like the others, and what makes a hint of its tokens.
WanLayer vaceBlock(const WanTransformerConfig& config, std::int64_t index) {
    WanLayer layer = block(config, index);
    layer.name = fmt::format("{} {}", nameOf(WanLayerRole::VaceBlock), index);
    layer.prefix = fmt::format("vace_blocks.{}.", index);
    layer.place = {WanLayerRole::VaceBlock, index};
    addLinear(layer.parameters, "proj_out", config.innerDim(), config.innerDim(), TensorSplit::Columns);
    return layer;
}

WanLayer output(const WanTransformerConfig& config) {
    WanLayer layer{.name = std::string(nameOf(WanLayerRole::Output)),
                   .prefix = "",
                   .parameters = {},
                   .place = {WanLayerRole::Output}};
    layer.parameters.push_back(
        {.name = "scale_shift_table", .shape = {1, outputModulations, config.innerDim()}});
    addLinear(layer.parameters, "proj_out", config.patchElements() * config.outChannels, config.innerDim());
    return layer;
}

}  // namespace

std::string_view nameOf(WanLayerRole role) {
    switch (role) {
        case WanLayerRole::Faces:
            return "faces";
        case WanLayerRole::Embeddings:
            return "embeddings";
        case WanLayerRole::VideoBlock:
            return "block";
        case WanLayerRole::VaceBlock:
            return "VACE block";
        case WanLayerRole::FaceAdapter:
            return "face adapter";
        case WanLayerRole::Sound:
            return "sound";
        case WanLayerRole::AudioInjector:
            return "audio injector";
        case WanLayerRole::Output:
            return "output";
    }
    return {};
}

std::vector<WanLayer> wanLayers(const WanTransformerConfig& config) {
    std::vector<WanLayer> layers;
    if (config.animate)
        layers.push_back(faces(config));
    if (config.sound)
        layers.push_back(sound(config));
    layers.push_back(embeddings(config));
    std::int64_t vaceBlocks = 0;
    std::int64_t injectors = 0;
    for (std::int64_t index = 0; index < config.layers; ++index) {
        layers.push_back(block(config, index));
        if (std::ranges::find(config.vaceLayers, index) != config.vaceLayers.end())
            layers.push_back(vaceBlock(config, vaceBlocks++));
        if (config.animate && index % config.animate->blocksPerAdapter == 0)
            layers.push_back(faceAdapter(config, index / config.animate->blocksPerAdapter));
        if (config.sound && std::ranges::find(config.sound->layers, index) != config.sound->layers.end())
            layers.push_back(audioInjector(config, injectors++));
    }
    layers.push_back(output(config));
    return layers;
}

Shape shapeOfPart(const WanParameter& parameter, int tensorDevices) {
    if (parameter.split == TensorSplit::None)
        return parameter.shape;
    const std::size_t axis = parameter.split == TensorSplit::Rows ? 0 : 1;
    return parameter.shape.with(axis, parameter.shape[axis] / tensorDevices);
}

void requireTensorDivides(const WanTransformerConfig& config, int tensorDevices) {
    const std::int64_t common = std::gcd(config.heads, config.ffnDim);
    if (tensorDevices >= 1 && common % tensorDevices == 0)
        return;
    std::vector<std::int64_t> legal;
    for (std::int64_t value = 1; value <= common; ++value)
        if (common % value == 0)
            legal.push_back(value);
    throw Error(ErrorKind::Project,
                sentence("{} tensor shards cannot share out {} heads and {} feed-forward features evenly",
                         tensorDevices, config.heads, config.ffnDim),
                "ici_tensor_parallelism",
                sentence("Choose a product of ici_tensor_parallelism and dcn_tensor_parallelism among {}",
                         fmt::to_string(fmt::join(legal, ", "))));
}

std::vector<TensorSpec> wanTensors(const WanTransformerConfig& config, DType dtype) {
    std::vector<TensorSpec> tensors;
    for (const WanLayer& layer : wanLayers(config))
        for (const WanParameter& parameter : layer.parameters)
            if (!parameter.optional)
                tensors.push_back(
                    {.name = layer.prefix + parameter.name, .dtype = dtype, .shape = parameter.shape});
    return tensors;
}

}  // namespace meshreel
