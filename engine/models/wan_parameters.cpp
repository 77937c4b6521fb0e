// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/models/flat_layout.h"

namespace meshreel {

namespace {

using enum TensorSplit;

// Appends NAME.weight [out, in] and NAME.bias [out]. Where input features are shared out, products are summed
// over the devices, and the bias belongs to the sum. The blocks' layers are those that are shared out.
void addLinear(std::vector<WanParameter>& parameters, const std::string& name, std::int64_t out,
               std::int64_t in, TensorSplit split = None) {
    parameters.push_back(
        {.name = name + ".weight", .shape = {out, in}, .split = split, .blockLinear = split != None});
    parameters.push_back({.name = name + ".bias", .shape = {out}, .split = split == Rows ? Rows : None});
}

// Upstream makes the norms whatever qk_norm says, so that with qk_norm null they are used when the checkpoint
// holds them.
void addAttention(std::vector<WanParameter>& parameters, const std::string& name,
                  const WanTransformerConfig& config) {
    const std::int64_t inner = config.innerDim();
    for (const char* projection : {".to_q", ".to_k", ".to_v"})
        addLinear(parameters, name + projection, inner, inner, Rows);
    addLinear(parameters, name + ".to_out.0", inner, inner, Columns);
    for (const char* norm : {".norm_q.weight", ".norm_k.weight"})
        parameters.push_back(
            {.name = name + norm, .shape = {inner}, .split = Rows, .optional = !config.qkNorm});
}

void addNorm(std::vector<WanParameter>& parameters, const std::string& name, std::int64_t width) {
    parameters.push_back({.name = name + ".weight", .shape = {width}});
    parameters.push_back({.name = name + ".bias", .shape = {width}});
}

// Keys and values of the image beside those of the text.
void addImageKeys(std::vector<WanParameter>& parameters, const std::string& attention,
                  const WanTransformerConfig& config) {
    const std::int64_t inner = config.innerDim();
    addLinear(parameters, attention + ".add_k_proj", inner, config.addedKvDim, Rows);
    addLinear(parameters, attention + ".add_v_proj", inner, config.addedKvDim, Rows);
    parameters.push_back({.name = attention + ".norm_added_k.weight",
                          .shape = {inner},
                          .split = Rows,
                          .optional = !config.qkNorm});
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

WanLayer embeddings(const WanTransformerConfig& config) {
    const std::int64_t inner = config.innerDim();
    WanLayer layer{.name = "embeddings", .prefix = "", .parameters = {}};
    layer.parameters.push_back(
        {.name = "patch_embedding.weight",
         .shape = {inner, config.inChannels, config.patch[0], config.patch[1], config.patch[2]}});
    layer.parameters.push_back({.name = "patch_embedding.bias", .shape = {inner}});
    addLinear(layer.parameters, "condition_embedder.time_embedder.linear_1", inner, config.freqDim);
    addLinear(layer.parameters, "condition_embedder.time_embedder.linear_2", inner, inner);
    addLinear(layer.parameters, "condition_embedder.time_proj", blockModulations * inner, inner);
    addLinear(layer.parameters, "condition_embedder.text_embedder.linear_1", inner, config.textDim);
    addLinear(layer.parameters, "condition_embedder.text_embedder.linear_2", inner, inner);
    if (config.imageDim > 0)
        addImageEmbedder(layer.parameters, config);
    return layer;
}

WanLayer block(const WanTransformerConfig& config, std::int64_t index) {
    const std::int64_t inner = config.innerDim();
    WanLayer layer{
        .name = fmt::format("block {}", index), .prefix = fmt::format("blocks.{}.", index), .parameters = {}};
    layer.parameters.push_back({.name = "scale_shift_table", .shape = {1, blockModulations, inner}});
    addAttention(layer.parameters, "attn1", config);
    addAttention(layer.parameters, "attn2", config);
    if (config.addedKvDim > 0)
        addImageKeys(layer.parameters, "attn2", config);
    if (config.crossAttentionNorm)
        addNorm(layer.parameters, "norm2", inner);
    addLinear(layer.parameters, "ffn.net.0.proj", config.ffnDim, inner, Rows);
    addLinear(layer.parameters, "ffn.net.2", inner, config.ffnDim, Columns);
    return layer;
}

WanLayer output(const WanTransformerConfig& config) {
    WanLayer layer{.name = "output", .prefix = "", .parameters = {}};
    layer.parameters.push_back(
        {.name = "scale_shift_table", .shape = {1, outputModulations, config.innerDim()}});
    addLinear(layer.parameters, "proj_out", config.patchElements() * config.outChannels, config.innerDim());
    return layer;
}

}  // namespace

std::vector<WanLayer> wanLayers(const WanTransformerConfig& config) {
    std::vector<WanLayer> layers{embeddings(config)};
    for (std::int64_t index = 0; index < config.layers; ++index)
        layers.push_back(block(config, index));
    layers.push_back(output(config));
    return layers;
}

Shape shapeOfPart(const WanParameter& parameter, int tensorDevices) {
    std::vector<std::int64_t> extents = parameter.shape.extents();
    if (parameter.split != None)
        extents[parameter.split == Rows ? 0 : 1] /= tensorDevices;
    return Shape(std::move(extents));
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
                fmt::format("{} tensor shards cannot share out {} heads and {} feed-forward features evenly",
                            tensorDevices, config.heads, config.ffnDim),
                "ici_tensor_parallelism",
                fmt::format("Choose a product of ici_tensor_parallelism and dcn_tensor_parallelism among {}",
                            fmt::join(legal, ", ")));
}

namespace {

/// Bytes of an element once it is packed.
std::size_t packedSize(const WanParameter& parameter, const WanPrecision& precision) {
    if (!parameter.blockLinear)
        return sizeof(float);
    switch (precision.linears()) {
        case Arithmetic::F32:
            return sizeof(float);
        case Arithmetic::BF16:
            return sizeof(BFloat16);
        case Arithmetic::Int8:
            return sizeof(std::int8_t);
    }
    return sizeof(float);
}

}  // namespace

WanWeightBytes wanWeightBytes(const WanTransformerConfig& config, int fsdpDevices, int tensorDevices,
                              const WanPrecision& precision) {
    WanWeightBytes bytes;
    std::size_t largest = 0;
    for (const WanLayer& layer : wanLayers(config)) {
        FlatLayout layout;
        std::size_t packed = 0;
        for (const WanParameter& parameter : layer.parameters) {
            if (parameter.optional)
                continue;
            const Shape part = shapeOfPart(parameter, tensorDevices);
            packed += static_cast<std::size_t>(part.elements()) * packedSize(parameter, precision);
            layout.add(parameter.name, part, heldType(parameter, precision));
        }
        if (fsdpDevices == 1) {
            bytes.resident += packed;
            continue;
        }
        const auto shard = static_cast<std::size_t>(layout.shardBytes(fsdpDevices));
        bytes.resident += shard;
        largest = std::max(largest, shard * static_cast<std::size_t>(fsdpDevices));
    }
    bytes.gathered = 2 * largest;
    return bytes;
}

}  // namespace meshreel
