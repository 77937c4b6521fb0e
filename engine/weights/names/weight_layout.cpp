// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/names/weight_layout.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 8> prefixes = {
    "",     "model.diffusion_model.", "diffusion_model.", "transformer.", "module.", "model.",
    "vae.", "first_stage_model."};

/// A tensor that every file of this part and naming holds, and no other file.
struct Mark {
    ModelPart part;
    Naming naming;
    std::string_view name;
};
constexpr std::array marks = {
    Mark{ModelPart::Transformer, Naming::Original, "time_projection.1.weight"},
    Mark{ModelPart::Transformer, Naming::Diffusers, "condition_embedder.time_proj.weight"},
    Mark{ModelPart::Vae, Naming::Original, "decoder.middle.0.residual.0.gamma"},
    Mark{ModelPart::Vae, Naming::Diffusers, "decoder.mid_block.resnets.0.norm1.gamma"},
    Mark{ModelPart::TextEncoder, Naming::Original, "blocks.0.pos_embedding.embedding.weight"},
    Mark{ModelPart::TextEncoder, Naming::Diffusers, "encoder.block.0.layer.0.SelfAttention.q.weight"},
    Mark{ModelPart::TextEncoder, Naming::LlamaCpp, "enc.blk.0.attn_q.weight"},
    Mark{ModelPart::ImageEncoder, Naming::Original, "visual.cls_embedding"},
    Mark{ModelPart::ImageEncoder, Naming::Diffusers, "vision_model.embeddings.class_embedding"},
};

struct ScaleSuffix {
    std::string_view suffix;
    bool applies;
};
constexpr std::array scaleSuffixes = {ScaleSuffix{".scale_weight", true}, ScaleSuffix{".weight_scale", true},
                                      ScaleSuffix{".scale_input", false}, ScaleSuffix{".input_scale", false}};

constexpr std::array<std::string_view, 3> otherTensors = {scaledFp8Marker, "spiece_model", "tokenizer_json"};

}  // namespace

WeightLayout WeightLayout::of(std::span<const std::string> names) {
    for (const std::string_view prefix : prefixes)
        for (const Mark& mark : marks)
            if (std::ranges::find(names, std::string(prefix) + std::string(mark.name)) != names.end())
                return {mark.part, mark.naming, std::string(prefix)};
    return {};
}

std::optional<ScaleName> scaleNameOf(std::string_view name) {
    for (const auto& [suffix, applies] : scaleSuffixes)
        if (name.ends_with(suffix))
            return ScaleName{std::string(name.substr(0, name.size() - suffix.size())) + ".weight", applies};
    return std::nullopt;
}

bool isNoWeight(std::string_view name) {
    return std::ranges::find(otherTensors, name) != otherTensors.end() || name.ends_with(".comfy_quant");
}

}  // namespace meshreel
