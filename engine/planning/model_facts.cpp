// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/models/inferred_config.h"
#include "engine/models/model_identity.h"
#include "engine/models/wan_parameters.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/json_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::string_view wantedModel = "Use a Wan 2.1 text-to-video checkpoint in diffusers layout";

struct Component {
    std::string_view name;
    std::string_view className;
};
constexpr std::array<Component, 3> components = {{{"text_encoder", "UMT5EncoderModel"},
                                                  {"transformer", "WanTransformer3DModel"},
                                                  {"vae", "AutoencoderKLWan"}}};

struct OtherPipeline {
    std::string_view className;
    std::string_view what;
};
constexpr std::array<OtherPipeline, 4> otherPipelines = {{{"WanImageToVideoPipeline", "image-to-video"},
                                                          {"WanVideoToVideoPipeline", "video-to-video"},
                                                          {"WanVACEPipeline", "VACE editing"},
                                                          {"WanAnimatePipeline", "character animation"}}};

[[noreturn]] void refuse(const fs::path& file, const std::string& message,
                         std::string_view hint = wantedModel) {
    throw Error(ErrorKind::Input, message, withTilde(file), std::string(hint));
}

std::string textOf(const json& object, std::string_view key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The class of a component: model_index.json holds ["library", "Class"], or [null, null] for an absent one.
std::string componentClass(const json& index, std::string_view name) {
    const auto found = index.find(name);
    const bool isPair =
        found != index.end() && found->is_array() && found->size() == 2 && (*found)[1].is_string();
    return isPair ? (*found)[1].get<std::string>() : std::string();
}

void requireTextToVideo(const json& index, const fs::path& file) {
    const std::string className = textOf(index, "_class_name");
    if (className != "WanPipeline") {
        for (const OtherPipeline& other : otherPipelines)
            if (className == other.className)
                refuse(file,
                       fmt::format("this is a model for {}, which this version does not do", other.what));
        refuse(file, className.empty()
                         ? std::string("_class_name is missing")
                         : fmt::format("this is a model for \"{}\", not for Wan text-to-video", className));
    }
    const auto expand = index.find("expand_timesteps");
    const bool expandTimesteps = expand != index.end() && expand->is_boolean() && expand->get<bool>();
    if (expandTimesteps)
        refuse(file,
               "this is a Wan 2.2 model with a timestep for every token, which this version does not run");
    for (const Component& component : components)
        if (const std::string found = componentClass(index, component.name); found != component.className)
            refuse(file, fmt::format("the {} is {}, not {}", component.name,
                                     found.empty() ? "missing" : found, component.className));
}

void requireTokenizer(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::exists(folder / "tokenizer.json", ignored) && !fs::exists(folder / "spiece.model", ignored))
        refuse(folder, "there is neither tokenizer.json nor spiece.model",
               "Download the model's tokenizer folder again");
}

template <typename Config>
Config readConfig(const fs::path& file) {
    return Config::fromJson(readJsonObject(file), withTilde(file));
}

/// A folder may hold a single file of weights without config.json: then the file's shapes tell.
template <typename Config>
Config readPartConfig(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder / "config.json", ignored) || !fs::is_directory(folder, ignored))
        return readConfig<Config>(folder / "config.json");
    const Checkpoint checkpoint = Checkpoint::open(folder);
    if (const std::string relative = identify(checkpoint).relative; !relative.empty())
        refuse(checkpoint.path(), fmt::format("this is {}, which Meshreel does not run", relative));
    return Config::fromJson(configOf(checkpoint), withTilde(checkpoint.path()));
}

PartWeights measure(const fs::path& folder) {
    const Checkpoint checkpoint = Checkpoint::open(folder);
    PartWeights weights;
    for (const std::string& name : checkpoint.names()) {
        const auto elements = static_cast<std::uint64_t>(checkpoint.shape(name).elements());
        const auto stored = infoOf(checkpoint.storedType(name)).direct;
        weights.parameters += elements;
        weights.memory += elements * sizeOf(DType::F32);
        (stored == DType::F32 ? weights.mapped : weights.copied) += elements * sizeOf(DType::F32);
    }
    return weights;
}

/// What LayerWeights leaves quantised comes out of `copied`.
PartWeights measureTransformer(const WanTransformerConfig& config, const fs::path& folder) {
    PartWeights weights = measure(folder);
    const Checkpoint checkpoint = Checkpoint::open(folder);
    for (const WanLayer& layer : wanLayers(config)) {
        std::uint64_t unpacked = 0;
        for (const WanParameter& parameter : layer.parameters) {
            const std::string name = layer.prefix + parameter.name;
            if (!parameter.blockLinear || !checkpoint.has(name) || !isQuantised(checkpoint.storedType(name)))
                continue;
            unpacked += static_cast<std::uint64_t>(parameter.shape.elements()) * sizeOf(DType::F32);
            weights.quantised += checkpoint.storedBytes(name).size();
        }
        weights.copied -= std::min(weights.copied, unpacked);
        weights.unpackedLayer = std::max(weights.unpackedLayer, unpacked);
    }
    return weights;
}

/// Its layers come into memory one at a time, its embedding table row by row.
PartWeights measureTextEncoder(const Umt5Config& config, const fs::path& folder) {
    const Checkpoint checkpoint = Checkpoint::open(folder);
    PartWeights weights = measure(folder);
    weights.copied = 0;
    for (std::int64_t layer = 0; layer < config.layers; ++layer)
        weights.copied = std::max<std::uint64_t>(weights.copied, umt5LayerBytes(config, checkpoint, layer));
    weights.memory = weights.copied;
    return weights;
}

void requireFit(const ModelFacts& facts, const fs::path& folder) {
    if (facts.transformer.textDim != facts.textEncoder.dModel)
        refuse(
            folder,
            fmt::format(
                "the transformer wants texts of width {} (text_dim), and the text encoder gives {} (d_model)",
                facts.transformer.textDim, facts.textEncoder.dModel),
            "Use transformer and text encoder of the same model");
    if (facts.transformer.inChannels != facts.vae.zDim || facts.transformer.outChannels != facts.vae.zDim)
        refuse(folder,
               fmt::format(
                   "the transformer works on latents of {} channels ({} out), and the VAE has {} (z_dim)",
                   facts.transformer.inChannels, facts.transformer.outChannels, facts.vae.zDim),
               "Use transformer and VAE of the same model");
    if (facts.vae.videoChannelsOut() != 3)
        refuse(folder / "vae" / "config.json",
               fmt::format("the VAE makes {} colour channels, not 3", facts.vae.videoChannelsOut()),
               "Use the VAE of a Wan 2.1 model");
}

/// The second of two experts, which must be a transformer like the first.
void readSecondExpert(ModelFacts& facts, const json& index, const fs::path& modelFolder) {
    const std::string name(transformerName(2));
    if (componentClass(index, name).empty())
        return;
    const fs::path folder = modelFolder / name;
    if (readPartConfig<WanTransformerConfig>(folder) != facts.transformer)
        refuse(folder, "the two transformers are not of one kind", "Use the two experts of the same model");
    facts.secondWeights = measureTransformer(facts.transformer, folder);
    const auto ratio = index.find("boundary_ratio");
    if (ratio != index.end() && ratio->is_number())
        facts.boundaryRatio = ratio->get<double>();
}

}  // namespace

std::string_view transformerName(int expert) {
    return expert == 1 ? "transformer" : "transformer_2";
}

ModelFacts readModelFacts(const fs::path& modelFolder) {
    const fs::path indexFile = modelFolder / "model_index.json";
    const json index = readJsonObject(indexFile);
    requireTextToVideo(index, indexFile);
    requireTokenizer(modelFolder / "tokenizer");
    ModelFacts facts;
    facts.transformer = readPartConfig<WanTransformerConfig>(modelFolder / "transformer");
    facts.textEncoder = readPartConfig<Umt5Config>(modelFolder / "text_encoder");
    facts.vae = readPartConfig<WanVaeConfig>(modelFolder / "vae");
    facts.scheduler = readConfig<SchedulerConfig>(modelFolder / "scheduler" / "scheduler_config.json");
    requireFit(facts, modelFolder);
    facts.transformerWeights = measureTransformer(facts.transformer, modelFolder / "transformer");
    facts.textEncoderWeights = measureTextEncoder(facts.textEncoder, modelFolder / "text_encoder");
    facts.vaeWeights = measure(modelFolder / "vae");
    readSecondExpert(facts, index, modelFolder);
    return facts;
}

}  // namespace meshreel
