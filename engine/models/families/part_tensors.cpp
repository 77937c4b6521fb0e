// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/part_tensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "engine/models/families/architecture.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

using nlohmann::json;

/// Tensors with `mark` in their names, and what they are for.
struct KnownGroup {
    std::string_view mark;
    Sentence meaning;
    bool changesModel = false;
};

const std::array<KnownGroup, 10>& knownGroups() {
    static const std::array<KnownGroup, 10> all{{
        {".proj_l.", sentence("SLA, the sparse-linear attention of TurboDiffusion; Meshreel computes full "
                              "attention, and the video may differ")},
        {"gate_compress", sentence("gates of VSA, the sparse attention of FastVideo; Meshreel computes full "
                                   "attention without them, and the video may differ")},
        {"ip_adapter", sentence("image prompts (IP-Adapter), which Meshreel does not take")},
        {"_ip.", sentence("image prompts (IP-Adapter), which Meshreel does not take")},
        {"controlnet", sentence("a ControlNet, which Meshreel does not run")},
        {".lora_", sentence("an adapter that was not merged into the weights"), true},
        {".base_layer.", sentence("an adapter that was not merged into the weights"), true},
        {"guidance_embed", sentence("guidance that is given to the network as a number"), true},
        {"audio", sentence("sound that drives the video"), true},
        {"vocal_", sentence("sound that drives the video"), true},
    }};
    return all;
}

/// Tensors of Wan's own variants: a config that leaves them out is that of another model.
constexpr std::array<std::string_view, 11> variantMarks = {"vace_blocks.",
                                                           "vace_patch_embedding.",
                                                           "ref_conv.",
                                                           "face_adapter.",
                                                           "face_encoder.",
                                                           "motion_encoder.",
                                                           "pose_patch_embedding.",
                                                           "condition_embedder.image_embedder.",
                                                           ".attn2.add_k_proj.",
                                                           ".attn2.add_v_proj.",
                                                           ".attn2.norm_added_k."};

/// What the names of other things than the network's weights begin with: the other parts of a whole model in
/// one file, averages, optimisers and helpers of a training.
constexpr std::array<std::string_view, 20> otherBeginnings = {"vae.",
                                                              "first_stage_model.",
                                                              "text_encoder",
                                                              "text_encoders.",
                                                              "cond_stage_model.",
                                                              "conditioner.",
                                                              "clip_vision",
                                                              "image_encoder.",
                                                              "tokenizer",
                                                              "ema",
                                                              "model_ema.",
                                                              "generator_ema.",
                                                              "optimizer",
                                                              "lr_scheduler",
                                                              "loss",
                                                              "discriminator",
                                                              "critic",
                                                              "fake_score",
                                                              "real_score",
                                                              "__"};

/// Parts of names of tensors that are recomputed or are not weights.
constexpr std::array<std::string_view, 17> harmlessWords = {
    "rope",       "rope_freqs",     "freqs",        "freqs_cis",           "freqs_cos",       "freqs_sin",
    "inv_freq",   "rotary_emb",     "position_ids", "num_batches_tracked", "_extra_state",    "logit_scale",
    "model_type", "alphas_cumprod", "num_updates",  "log_sigmas",          "parametrizations"};

/// Returns prefixes of the tensors that belong to the network of a part; others in its file are not the
/// network's.
std::vector<std::string_view> ownBeginnings(ModelPart part) {
    switch (part) {
        case ModelPart::Transformer:
            return {""};
        case ModelPart::Vae:
            return {"encoder.", "decoder.", "quant_conv.", "post_quant_conv."};
        case ModelPart::TextEncoder:
            return {"encoder."};
        case ModelPart::ImageEncoder:
            return {"vision_model.encoder."};
        case ModelPart::AudioEncoder:
            return {"encoder.", "feature_extractor.", "feature_projection."};
    }
    return {};
}

constexpr std::string_view soundPositionWeight = "encoder.pos_conv_embed.conv.weight";

/// Recognises both names of one table.
bool isTextEmbedding(std::string_view name) {
    return name == "shared.weight" || name == "encoder.embed_tokens.weight";
}

std::string classNameOf(const json& config) {
    const auto found = config.find("_class_name");
    return found != config.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The part's one of the config's class, else its first.
const ArchitectureFamily& familyOfPart(ModelPart part, const json& config) {
    const std::string className = classNameOf(config);
    const Architecture* first = nullptr;
    for (const Architecture& each : architectures()) {
        if (each.family.part != nameOf(part))
            continue;
        first = first == nullptr ? &each : first;
        if (classNameOf(json::parse(each.family.config)) == className)
            return each.family;
    }
    return first->family;
}

/// Upstream's classes take a key that is null for one that is absent.
json wholeConfig(const ArchitectureFamily& family, const json& config) {
    json whole = json::parse(family.config);
    for (const auto& [key, value] : config.items())
        if (!value.is_null())
            whole[key] = value;
    return whole;
}

std::vector<TensorSpec> usedTensors(ModelPart part, const json& config) {
    const ArchitectureFamily& family = familyOfPart(part, config);
    return family.tensors(wholeConfig(family, config));
}

/// Only what leads to the last but one layer of the image encoder is computed, and of a small VAE what
/// decodes. The positions of a sound encoder are spelled in three ways, of which its reader takes any.
bool mayBeMissing(ModelPart part, std::string_view name, const json& config) {
    if (part == ModelPart::Vae)
        return classNameOf(config) == tinyVaeClass && name.starts_with("encoder.");
    if (part == ModelPart::AudioEncoder)
        return name.starts_with(soundPositionWeight);
    if (part != ModelPart::ImageEncoder)
        return false;
    const auto layers = config.value("num_hidden_layers", std::int64_t{32});
    return name.starts_with("visual_projection.") || name.starts_with("vision_model.post_layernorm.") ||
           name.starts_with(fmt::format("vision_model.encoder.layers.{}.", layers - 1));
}

template <typename Words>
bool beginsWithAny(std::string_view name, const Words& words) {
    return std::ranges::any_of(words, [name](std::string_view word) { return name.starts_with(word); });
}

template <typename Visit>
void forEachComponent(std::string_view name, const Visit& visit) {
    while (!name.empty()) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        visit(name.substr(0, dot));
        name.remove_prefix(std::min(dot + 1, name.size()));
    }
}

bool saysNothing(ModelPart part, std::string_view name) {
    if (beginsWithAny(name, otherBeginnings) || !beginsWithAny(name, ownBeginnings(part)))
        return true;
    bool harmless = false;
    forEachComponent(name, [&](std::string_view word) {
        harmless = harmless || std::ranges::find(harmlessWords, word) != harmlessWords.end();
    });
    return harmless;
}

bool isNumber(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "blocks.*.ffn" of "blocks.3.ffn.weight": tensors that differ by numbers, and weight and bias, are one
/// kind.
std::string withoutNumbers(std::string_view name) {
    for (const std::string_view end : {".weight", ".bias"})
        if (name.ends_with(end))
            name.remove_suffix(end.size());
    std::string pattern;
    forEachComponent(name, [&pattern](std::string_view word) {
        pattern += (pattern.empty() ? "" : ".") + std::string(isNumber(word) ? "*" : word);
    });
    return pattern;
}

/// Layers after the last that the config has: "blocks.40." of 40 blocks.
bool isFurtherLayer(ModelPart part, std::string_view name, const json& config) {
    const bool transformer = part == ModelPart::Transformer;
    if (!transformer && part != ModelPart::TextEncoder)
        return false;
    const std::string_view beginning = transformer ? "blocks." : "encoder.block.";
    if (!name.starts_with(beginning))
        return false;
    name.remove_prefix(beginning.size());
    std::int64_t index = -1;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
    return failure == std::errc() && index >= config.value("num_layers", std::int64_t{1} << 30);
}

UnusedTensors kindOf(ModelPart part, const std::string& name, const json& config) {
    if (isFurtherLayer(part, name, config))
        return {.names = {},
                .meaning = sentence("layers behind the last that the config has"),
                .changesModel = true};
    for (const KnownGroup& group : knownGroups())
        if (name.find(group.mark) != std::string::npos)
            return {.names = {}, .meaning = group.meaning, .changesModel = group.changesModel};
    const auto isOfVariant = [&](std::string_view mark) { return name.find(mark) != std::string::npos; };
    if (part == ModelPart::Transformer && std::ranges::any_of(variantMarks, isOfVariant))
        return {.names = {},
                .meaning = sentence("images, VACE or animation, which the config leaves out"),
                .changesModel = true};
    return {.names = {}, .meaning = {}};
}

}  // namespace

Sentence UnusedTensors::text() const {
    const Sentence counted = count == 1 ? Sentence(names) : sentence("{} ({} tensors)", names, count);
    return meaning.empty() ? counted : sentence("{}: {}", counted, meaning);
}

void requireUsedTensors(const Checkpoint& checkpoint, ModelPart part, const json& config) {
    for (const TensorSpec& tensor : usedTensors(part, config)) {
        const bool otherName = isTextEmbedding(tensor.name) && !checkpoint.has(tensor.name) &&
                               checkpoint.has("encoder.embed_tokens.weight");
        if (otherName)
            checkpoint.require("encoder.embed_tokens.weight", tensor.shape);
        else if (checkpoint.has(tensor.name) || !mayBeMissing(part, tensor.name, config))
            checkpoint.require(tensor.name, tensor.shape);
    }
}

std::vector<UnusedTensors> unusedTensors(const Checkpoint& checkpoint, ModelPart part, const json& config) {
    std::set<std::string> used;
    for (TensorSpec& tensor : usedTensors(part, config))
        used.insert(std::move(tensor.name));
    // Keyed by what is known of them, or else by their names.
    std::map<std::string, UnusedTensors> kinds;
    for (const std::string& name : checkpoint.names()) {
        if (used.contains(name) || isTextEmbedding(name) || saysNothing(part, name))
            continue;
        UnusedTensors kind = kindOf(part, name, config);
        const std::string pattern = withoutNumbers(name);
        UnusedTensors& group = kinds[kind.meaning.empty() ? pattern : kind.meaning.text()];
        if (group.count == 0) {
            group = std::move(kind);
            group.names = name;
        } else if (withoutNumbers(group.names) == pattern) {
            group.names = pattern;
        }
        ++group.count;
    }
    std::vector<UnusedTensors> groups;
    for (auto& [key, group] : kinds)
        groups.push_back(std::move(group));
    return groups;
}

}  // namespace meshreel
