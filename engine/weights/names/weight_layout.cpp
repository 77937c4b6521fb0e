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

constexpr std::string_view weightSuffix = ".weight";

// GPTQ, AWQ and Nunchaku share names. What stands beside their numbers is listed so that it is taken for no
// weight of its own.
constexpr std::array layouts = {
    QuantisedLayout{".int8_weight", "int8", true},
    QuantisedLayout{".qweight", "packed integers (GPTQ, AWQ or Nunchaku)", true},
    QuantisedLayout{".weight_packed", "packed integers (compressed-tensors)", true},
    QuantisedLayout{".weight._data", "integers of optimum-quanto", true},
    QuantisedLayout{".weight_scale_2", "nvfp4"},
    QuantisedLayout{".weight_global_scale", "nvfp4"},
    QuantisedLayout{".weight.quant_state.bitsandbytes__nf4", "bitsandbytes NF4 (4 bits)"},
    QuantisedLayout{".weight.quant_state.bitsandbytes__fp4", "bitsandbytes FP4 (4 bits)"},
    QuantisedLayout{".weight.absmax", "bitsandbytes' 4 bits"},
    QuantisedLayout{".weight.quant_map", "bitsandbytes' 4 bits"},
    QuantisedLayout{".weight.nested_absmax", "bitsandbytes' 4 bits"},
    QuantisedLayout{".weight.nested_quant_map", "bitsandbytes' 4 bits"},
    QuantisedLayout{".SCB", "bitsandbytes int8"},
    QuantisedLayout{".weight_format", "bitsandbytes int8"},
    QuantisedLayout{".weight_scale_inv", "fp8 with a scale for each block"},
    QuantisedLayout{".weight_zero_point", "integers with zero points"},
    QuantisedLayout{".weight_shape", "packed integers (compressed-tensors)"},
    QuantisedLayout{".qzeros", "packed integers (GPTQ or AWQ)"},
    QuantisedLayout{".g_idx", "packed integers (GPTQ)"},
    QuantisedLayout{".wscales", "packed integers (Nunchaku)"},
    QuantisedLayout{".wzeros", "packed integers (Nunchaku)"},
    QuantisedLayout{".smooth_factor", "packed integers (Nunchaku)"},
    QuantisedLayout{".smooth_factor_orig", "packed integers (Nunchaku)"},
    QuantisedLayout{".weight._scale", "integers of optimum-quanto"},
    QuantisedLayout{".weight._shift", "integers of optimum-quanto"},
    QuantisedLayout{".weight_scales", "numbers with scales of their own kind"},
    QuantisedLayout{".weight.scale", "numbers with scales of their own kind"},
    QuantisedLayout{".scales", "numbers with scales of their own kind"},
    QuantisedLayout{".scale", "numbers with scales of their own kind"},
};

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

std::span<const QuantisedLayout> quantisedLayouts() {
    return layouts;
}

std::optional<std::string> weightStoredAs(std::string_view name) {
    for (const QuantisedLayout& layout : layouts)
        if (layout.inPlaceOfWeight && name.ends_with(layout.suffix))
            return std::string(name.substr(0, name.size() - layout.suffix.size())) +
                   std::string(weightSuffix);
    return std::nullopt;
}

std::optional<std::string> weightBeside(std::string_view name) {
    for (const QuantisedLayout& layout : layouts)
        if (!layout.inPlaceOfWeight && name.ends_with(layout.suffix))
            return std::string(name.substr(0, name.size() - layout.suffix.size())) +
                   std::string(weightSuffix);
    return std::nullopt;
}

std::string_view stemOf(std::string_view name) {
    for (const QuantisedLayout& layout : layouts)
        if (layout.inPlaceOfWeight && name.ends_with(layout.suffix))
            return name.substr(0, name.size() - layout.suffix.size());
    return name.ends_with(weightSuffix) ? name.substr(0, name.size() - weightSuffix.size()) : name;
}

bool isNoWeight(std::string_view name) {
    return std::ranges::find(otherTensors, name) != otherTensors.end() || name.ends_with(comfyQuantSuffix);
}

}  // namespace meshreel
