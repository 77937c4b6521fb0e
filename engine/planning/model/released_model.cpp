// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/model/released_model.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/models/families/architecture.h"

namespace meshreel {
namespace {

constexpr std::string_view textEncoderName = "umt5-xxl";
constexpr std::string_view imageEncoderName = "clip-vit-h";

/// "Wan-AI/Wan2.1-T2V-14B-Diffusers" as "wan2.1-t2v-14b-diffusers"; empty for paths.
std::string plainName(std::string_view nameOrId) {
    if (nameOrId.empty() || std::string_view("/.~").find(nameOrId.front()) != std::string_view::npos)
        return {};
    std::string name(nameOrId.substr(nameOrId.rfind('/') + 1));
    std::ranges::transform(name, name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return name;
}

/// The architecture whose name is the first words of `name`.
const Architecture* transformerNamedBy(const std::string& name) {
    const auto found = std::ranges::find_if(architectures(), [&](const Architecture& each) {
        return each.family.part == transformerName(1) &&
               (name + '-').starts_with(std::string(each.name) + '-');
    });
    return found == architectures().end() ? nullptr : &*found;
}

template <typename Config>
Config configFrom(const Architecture& architecture) {
    return Config::fromJson(configOf(architecture), std::string(architecture.name));
}

PartWeights weightsOf(const Architecture& architecture) {
    PartWeights weights;
    for (const TensorSpec& tensor : tensorsOf(architecture)) {
        const auto elements = static_cast<std::uint64_t>(tensor.shape.elements());
        weights.parameters += elements;
        weights.memory += elements * sizeOf(DType::F32);
        (tensor.dtype == DType::F32 ? weights.mapped : weights.copied) += elements * sizeOf(DType::F32);
    }
    return weights;
}

/// Its layers come into memory one at a time.
PartWeights textEncoderWeightsOf(const Architecture& architecture) {
    constexpr std::string_view layers = "encoder.block.";
    std::map<std::string, std::uint64_t> bytes;  // of each layer
    for (const TensorSpec& tensor : tensorsOf(architecture, {}, DType::F32))
        if (tensor.name.starts_with(layers))
            bytes[tensor.name.substr(0, tensor.name.find('.', layers.size()))] += tensor.bytes();
    PartWeights weights = weightsOf(architecture);
    weights.memory = 0;
    for (const auto& [layer, size] : bytes)
        weights.memory = std::max(weights.memory, size);
    weights.copied = weights.memory;
    return weights;
}

const Architecture& vaeOf(const WanTransformerConfig& transformer) {
    const auto found = std::ranges::find_if(architectures(), [&](const Architecture& each) {
        return each.family.part == "vae" && configFrom<WanVaeConfig>(each).zDim == transformer.outChannels;
    });
    return *found;
}

void addSecondExpert(ModelFacts& facts) {
    facts.secondWeights = facts.transformerWeights;
    facts.secondLayers = facts.transformerLayers;
    facts.boundaryRatio = facts.family->defaults.boundaryRatio;
}

void addImageEncoder(ModelFacts& facts) {
    const Architecture& encoder = requireArchitecture(imageEncoderName);
    facts.imageEncoder = configFrom<ClipVisionConfig>(encoder);
    facts.imageProcessor = ImageProcessor::forSide(facts.imageEncoder->imageSize);
    facts.imageEncoderWeights = weightsOf(encoder);
}

}  // namespace

std::optional<ModelFacts> releasedModelFacts(std::string_view nameOrId) {
    const Architecture* transformer = transformerNamedBy(plainName(nameOrId));
    if (transformer == nullptr)
        return std::nullopt;
    ModelFacts facts;
    facts.family = familyOfArchitecture(transformer->name);
    facts.transformer = configFrom<WanTransformerConfig>(*transformer);
    facts.transformerWeights = weightsOf(*transformer);
    facts.transformerLayers =
        std::make_shared<const std::vector<StoredLayer>>(storedLayers(facts.transformer, StoredType::BF16));
    const Architecture& textEncoder = requireArchitecture(textEncoderName);
    facts.textEncoder = configFrom<Umt5Config>(textEncoder);
    facts.textEncoderWeights = textEncoderWeightsOf(textEncoder);
    const Architecture& vae = vaeOf(facts.transformer);
    facts.vae = configFrom<WanVaeConfig>(vae);
    facts.vaeWeights = weightsOf(vae);
    if (facts.family->traits.experts == 2)
        addSecondExpert(facts);
    if (facts.family->traits.imageEmbeddings)
        addImageEncoder(facts);
    return facts;
}

}  // namespace meshreel
