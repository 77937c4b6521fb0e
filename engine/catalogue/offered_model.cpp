// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/offered_model.h"

#include <memory>
#include <utility>
#include <vector>

#include "engine/models/families/model_family.h"
#include "engine/models/families/model_identity.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/wan/wan_config.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

/// The layers of a file in this type. Quantised files have the matrices of the blocks so, and the rest as
/// f16.
StoredLayers layersIn(const WanTransformerConfig& config, StoredType type) {
    std::vector<StoredLayer> layers = storedLayers(config, type);
    if (isQuantised(type))
        for (StoredLayer& layer : layers)
            for (StoredParameter& stored : layer.parameters)
                if (!stored.parameter.blockLinear)
                    stored = {.parameter = stored.parameter, .type = StoredType::F16};
    return std::make_shared<const std::vector<StoredLayer>>(std::move(layers));
}

/// Two files with the shapes of one transformer are the experts of the family that has two.
void addExpertOfSecondFile(ModelFacts& facts) {
    FamilyTraits traits = facts.family->traits;
    traits.experts = 2;
    if (const ModelFamily* family = findFamily(traits)) {
        facts.family = family;
        facts.secondWeights = facts.transformerWeights;
        facts.secondLayers = facts.transformerLayers;
        facts.boundaryRatio = family->defaults.boundaryRatio;
    }
}

/// What only the names of the files show.
void addTrainedInput(ModelFacts& facts, const ModelOffer& offer) {
    FamilyTraits traits = facts.family->traits;
    traits.trained = readTrainedInput(offer.files.front().place.filename().string());
    if (const ModelFamily* family = findFamily(traits))
        facts.family = family;
}

}  // namespace

std::optional<ModelFacts> releasedModelFacts(std::string_view nameOrId, StoredType stored) {
    std::optional<ModelFacts> facts = releasedModelFacts(nameOrId);
    if (facts) {
        facts->transformerLayers = layersIn(facts->transformer, stored);
        if (facts->experts() == 2)
            facts->secondLayers = facts->transformerLayers;
    }
    return facts;
}

std::optional<ModelFacts> offeredModelFacts(const ModelOffer& offer) {
    const StoredTypeInfo* const stored = findStoredType(offer.stored);
    if (offer.kind != OfferKind::Model || stored == nullptr)
        return std::nullopt;
    std::optional<ModelFacts> facts = releasedModelFacts(offer.release, stored->type);
    if (!facts)
        return std::nullopt;
    if (offer.files.size() == 2 && facts->experts() == 1)
        addExpertOfSecondFile(*facts);
    addTrainedInput(*facts, offer);
    // The encoders that are offered are f16 or fp8.
    facts->textEncoderWeights.linears = DType::F32;
    facts->imageEncoderWeights.linears = DType::F32;
    facts->audioEncoderWeights.linears = DType::F32;
    return facts;
}

}  // namespace meshreel
