// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/models/families/architecture_tensors.h"

namespace meshreel {
namespace {

std::int64_t number(const nlohmann::json& config, const char* key) {
    return config.at(key).get<std::int64_t>();
}

}  // namespace

void TensorList::add(const std::string& name, const Shape& shape) {
    m_tensors.push_back({.name = name, .dtype = DType::F32, .shape = shape});
}

void TensorList::layer(const std::string& name, const Shape& weight) {
    add(name + ".weight", weight);
    add(name + ".bias", {weight[0]});
}

void TensorList::norm(const std::string& name, std::int64_t width) {
    layer(name, {width});
}

std::vector<TensorSpec> umt5Tensors(const nlohmann::json& config) {
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

std::vector<TensorSpec> clipVisionTensors(const nlohmann::json& config) {
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

}  // namespace meshreel
