// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/weights/names/name_map.h"

namespace meshreel {

/// Whose names the tensors of a file have.
enum class Naming : std::uint8_t {
    Diffusers,  ///< of diffusers and transformers
    Original,   ///< of the Wan project; ComfyUI uses them too
    LlamaCpp,   ///< of a text encoder converted by llama.cpp
};

/// What the names of a file tell.
struct WeightLayout {
    std::optional<ModelPart> part{};  ///< nothing: names of no part of a Wan model
    Naming naming = Naming::Diffusers;
    std::string prefix{};  ///< in front of the names: "model.diffusion_model."

    static WeightLayout of(std::span<const std::string> names);
};

/// What stands beside a weight in fp8 files instead of being one.
struct ScaleName {
    std::string weight;  ///< that it belongs to
    bool applies;        ///< multiplies the weight (and not the activations)
};
std::optional<ScaleName> scaleNameOf(std::string_view name);

/// A tensor that says how a weight is stored, where that is a way that Meshreel does not read.
struct QuantisedLayout {
    std::string_view suffix;       ///< of its name, in place of the weight's ".weight"
    std::string_view name;         ///< "bitsandbytes NF4"
    bool inPlaceOfWeight = false;  ///< there is no ".weight": this tensor holds its numbers
};

/// Where several fit, the first one names the layout.
std::span<const QuantisedLayout> quantisedLayouts();

/// The weight whose numbers a tensor holds in its place: "a.weight" of "a.qweight". Nothing for others.
std::optional<std::string> weightStoredAs(std::string_view name);

/// The weight that a tensor of such a layout stands beside: "a.weight" of "a.qzeros". Nothing for others.
std::optional<std::string> weightBeside(std::string_view name);

/// "a" of "a.weight" and of every other name that the layouts give a weight "a".
std::string_view stemOf(std::string_view name);

/// Tensors that are no weights of the network: markers, the tokenizer inside ComfyUI's text encoders.
bool isNoWeight(std::string_view name);

/// Behind a weight's stem: ComfyUI's description of how it is stored, as the bytes of a JSON object.
inline constexpr std::string_view comfyQuantSuffix = ".comfy_quant";

/// The tensor whose presence says that fp8 weights have scales.
inline constexpr std::string_view scaledFp8Marker = "scaled_fp8";

}  // namespace meshreel
