// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"

namespace meshreel {

const PartPlan* Placement::find(PlacedPart part) const {
    const auto found = std::ranges::find(parts, part, &PartPlan::part);
    return found == parts.end() ? nullptr : &*found;
}

bool Placement::isOnGpu(PlacedPart part) const {
    const PartPlan* const found = find(part);
    return found != nullptr && found->isOnGpu();
}

bool Placement::anyOnGpu(std::span<const PlacedPart> some) const {
    return std::ranges::any_of(some, [this](PlacedPart part) { return isOnGpu(part); });
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

int Placement::encodeStrips() const {
    const PartPlan* const encoder = find(PlacedPart::VaeEncoder);
    return encoder == nullptr ? 1 : encoder->strips;
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

namespace {

/// Bytes that NVIDIA's driver library takes of a card where it launches kernels of PTX or copies between
/// cards: its context, besides that of Vulkan. A guess: it was not measured on a card.
constexpr double contextBytes = 512.0 * 1024 * 1024;

/// What is free for a run.
double freeOn(const GpuFacts& gpu, GpuExchange exchange) {
    const double free = gpu.memoryFree.value_or(gpu.memoryTotal);
    const bool isOpened = launchesByLibrary(gpu) || exchange == GpuExchange::Peers;
    return isOpened ? std::max(0.0, free - contextBytes) : free;
}

}  // namespace

std::uint64_t freeOfEach(std::span<const ChosenGpu> gpus) {
    const GpuExchange exchange = exchangeBetween(gpus);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const ChosenGpu& gpu : gpus) {
        const auto devices =
            static_cast<std::uint64_t>(std::ranges::count(gpus, gpu.number, &ChosenGpu::number));
        least = std::min(least, static_cast<std::uint64_t>(freeOn(gpu.facts, exchange)) / devices);
    }
    return gpus.empty() ? 0 : least;
}

std::string describeGpu(const ChosenGpu& gpu) {
    return fmt::format("{}: {} ({})", gpu.number, gpu.facts.name, gpu.facts.driver);
}

namespace {

std::string_view wordsOf(PlacedPart part) {
    switch (part) {
        case PlacedPart::Transformer:
            return "transformer";
        case PlacedPart::SecondTransformer:
            return "second transformer";
        case PlacedPart::TextEncoder:
            return "text encoder";
        case PlacedPart::ImageEncoder:
            return "image encoder";
        case PlacedPart::VaeEncoder:
            return "VAE encoder";
        case PlacedPart::VaeDecoder:
            return "VAE decoder";
        case PlacedPart::PreviewDecoder:
            return "preview decoder";
        case PlacedPart::Embeddings:
            return "embeddings";
    }
    return {};
}

using Json = nlohmann::ordered_json;

Json gpusOfPart(const PartPlan& part, const std::vector<ChosenGpu>& gpus) {
    Json numbers = Json::array();
    const std::size_t computing = !part.isOnGpu() ? 0 : part.place == PartPlace::FirstGpu ? 1 : gpus.size();
    for (std::size_t device = 0; device < std::min(computing, gpus.size()); ++device)
        numbers.push_back(gpus[device].number);
    return numbers;
}

Json partJson(const PartPlan& part, const std::vector<ChosenGpu>& gpus) {
    Json json{{"part", enumName(part.part)},
              {"place", enumName(part.place)},
              {"gpus", gpusOfPart(part, gpus)},
              {"passed_over", passedOverJson(part.passedOver)},
              {"products", nameOf(part.products)},
              {"products_by", part.productsBy},
              {"bytes", part.bytes}};
    if (std::ranges::find(transformerParts, part.part) != transformerParts.end()) {
        json["resident_layers"] = part.residentLayers ? Json(*part.residentLayers) : Json("all");
        json["takes_turns"] = part.takesTurns;
    }
    if (std::ranges::find(vaeParts, part.part) != vaeParts.end()) {
        json["strips"] = part.strips;
        json["strips_in_turn"] = part.stripsInTurn;
    }
    return json;
}

}  // namespace

std::string partsOnCpu(const Placement& placement) {
    std::string text;
    for (const PartPlan& part : placement.parts)
        if (placement.hasGpus() && !part.isOnGpu())
            text += fmt::format("{}{} ({} by {})", text.empty() ? "" : ", ", wordsOf(part.part),
                                nameOf(part.products), part.productsBy);
    return text;
}

nlohmann::ordered_json passedOverJson(const std::vector<PassedOver>& all) {
    Json list = Json::array();
    for (const PassedOver& each : all)
        list.push_back(
            {{"place", enumName(each.place)}, {"reason", enumName(each.reason)}, {"why", each.why.text()}});
    return list;
}

nlohmann::ordered_json placementJson(const Placement& placement) {
    Json parts = Json::array();
    for (const PartPlan& part : placement.parts)
        parts.push_back(partJson(part, placement.gpus));
    return parts;
}

namespace {

/// Parts that have a name together.
struct PartGroup {
    std::string_view name;
    std::span<const PlacedPart> parts;
};
constexpr std::array partGroups{PartGroup{"VAE", vaeParts}, PartGroup{"encoders", encoderParts}};

/// "a, b and c".
std::string joinedNames(std::span<const std::string_view> names) {
    std::string text;
    for (std::size_t index = 0; index < names.size(); ++index)
        text += fmt::format("{}{}",
                            index == 0                  ? ""
                            : index + 1 == names.size() ? " and "
                                                        : ", ",
                            names[index]);
    return text;
}

/// Adds the name of a group whose parts in the run all do as `some` do, else the names of those that do.
template <typename IsSome>
void addNames(std::vector<std::string_view>& names, const Placement& placement, const PartGroup& group,
              const IsSome& isSome) {
    const auto isMissing = [&](PlacedPart part) { return placement.find(part) != nullptr && !isSome(part); };
    const auto isThere = [&](PlacedPart part) { return placement.find(part) != nullptr && isSome(part); };
    if (std::ranges::none_of(group.parts, isThere))
        return;
    if (std::ranges::none_of(group.parts, isMissing))
        return names.push_back(group.name);
    for (const PlacedPart part : group.parts)
        if (isThere(part))
            names.push_back(wordsOf(part));
}

}  // namespace

std::string partsOnGpu(const Placement& placement, bool isFirst) {
    std::vector<std::string_view> names{"transformer"};
    for (const PartGroup& group : partGroups) {
        // Another device's GPU computes nothing of a group that is the first one's.
        const auto isOwn = [&](PlacedPart part) {
            const PartPlan* const found = placement.find(part);
            return found != nullptr && (found->place == PartPlace::EveryGpu || (isFirst && found->isOnGpu()));
        };
        const auto isOnCpu = [&](PlacedPart part) {
            return placement.find(part) != nullptr && !placement.isOnGpu(part);
        };
        if (std::ranges::none_of(group.parts, isOwn))
            continue;
        if (std::ranges::none_of(group.parts, isOnCpu))
            names.push_back(group.name);
        else
            addNames(names, placement, group, isOwn);
    }
    return joinedNames(names);
}

std::vector<PartsLeft> partsLeftToCpu(const Placement& placement) {
    std::vector<PartsLeft> left;
    if (!placement.hasGpus())
        return left;
    for (const PartGroup& group : partGroups) {
        const auto first = static_cast<std::ptrdiff_t>(left.size());
        for (const PlacedPart part : group.parts) {
            if (placement.find(part) == nullptr || placement.isOnGpu(part))
                continue;
            const Sentence why = placement.whyOnCpu(part);
            const auto same = std::find_if(left.begin() + first, left.end(),
                                           [&](const PartsLeft& each) { return each.why == why; });
            if (same == left.end())
                left.push_back({.parts = {part}, .why = why});
            else
                same->parts.push_back(part);
        }
    }
    return left;
}

std::string partsText(const Placement& placement, std::span<const PlacedPart> parts) {
    std::vector<std::string_view> names;
    for (const PartGroup& group : partGroups)
        addNames(names, placement, group,
                 [&](PlacedPart part) { return std::ranges::find(parts, part) != parts.end(); });
    return joinedNames(names);
}

}  // namespace meshreel
