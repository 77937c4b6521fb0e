// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/placement.h"

#include <algorithm>
#include <limits>

namespace meshreel {

const PartPlan* Placement::find(PlacedPart part) const {
    const auto found = std::ranges::find(parts, part, &PartPlan::part);
    return found == parts.end() ? nullptr : &*found;
}

bool Placement::isOnGpu(PlacedPart part) const {
    const PartPlan* const found = find(part);
    return found != nullptr && found->isOnGpu();
}

std::optional<std::int64_t> Placement::residentLayers() const {
    const PartPlan* const transformer = find(PlacedPart::Transformer);
    return transformer == nullptr ? std::nullopt : transformer->residentLayers;
}

bool Placement::keepsBothExperts() const {
    const PartPlan* const second = find(PlacedPart::SecondTransformer);
    return second != nullptr && !second->takesTurns;
}

int Placement::vaeStrips() const {
    const PartPlan* const decoder = find(PlacedPart::VaeDecoder);
    return decoder == nullptr ? 1 : decoder->strips;
}

std::int64_t Placement::vaeStripsInTurn() const {
    const PartPlan* const decoder = find(PlacedPart::VaeDecoder);
    return decoder == nullptr ? 1 : decoder->stripsInTurn;
}

Sentence Placement::whyOnCpu(PlacedPart part) const {
    const PartPlan* const found = find(part);
    if (found == nullptr || found->isOnGpu())
        return {};
    Sentence why;
    for (const PassedOver& each : found->passedOver)
        if (each.place != PartPlace::Cpu)
            why = each.why;
    return why;
}

Sentence Placement::whyNoGpu() const {
    return hasGpus() ? Sentence() : whyOnCpu(PlacedPart::Transformer);
}

Placement Placement::withResidentLayers(std::optional<std::int64_t> layers) const {
    return with(transformerParts, [layers](PartPlan& part) { part.residentLayers = layers; });
}

std::uint64_t freeOfEach(std::span<const ChosenGpu> gpus) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const ChosenGpu& gpu : gpus) {
        const auto devices =
            static_cast<std::uint64_t>(std::ranges::count(gpus, gpu.number, &ChosenGpu::number));
        const double free = gpu.facts.memoryFree.value_or(gpu.facts.memoryTotal);
        least = std::min(least, static_cast<std::uint64_t>(free) / devices);
    }
    return gpus.empty() ? 0 : least;
}

std::string_view partsOnGpu(const Placement& placement, bool isFirst) {
    const bool vae = placement.isOnGpu(PlacedPart::VaeDecoder);
    if (placement.isOnGpu(PlacedPart::TextEncoder) && isFirst)
        return vae ? "transformer, VAE and encoders" : "transformer and encoders";
    return vae ? "transformer and VAE" : "transformer";
}

}  // namespace meshreel
