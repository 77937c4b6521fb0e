// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/names/name_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace meshreel {
namespace {

constexpr std::array<std::string_view, 4> partNames = {"transformer", "vae", "text_encoder", "image_encoder"};
constexpr int largestIndex = 99'999;

/// What placeholders stand for in one name.
struct Bindings {
    std::optional<int> i{};
    std::optional<int> j{};
    std::string_view last{};
};

/// The part of `text` up to the next dot, which is taken away with it.
std::string_view takePart(std::string_view& text) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    return part;
}

std::optional<int> indexOf(std::string_view part) {
    int value = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), value);
    const bool whole = failure == std::errc() && end == part.data() + part.size();
    const bool canonical = part == "0" || (!part.empty() && part.front() != '0');
    return whole && canonical && value >= 0 && value <= largestIndex ? std::optional(value) : std::nullopt;
}

bool bind(std::optional<int>& variable, int value) {
    if (value < 0 || (variable && *variable != value))
        return false;
    variable = value;
    return true;
}

/// Blocks of one level that are counted on: the decoder's residual blocks and what enlarges behind them.
int strideOf(const NameContext& context) {
    return context.residualBlocks + 2;
}

bool matchPlaceholder(std::string_view placeholder, int value, const NameContext& context,
                      Bindings& bindings) {
    const int stride = strideOf(context);
    if (placeholder == "{i}")
        return bind(bindings.i, value);
    if (placeholder == "{j}")
        return bind(bindings.j, value);
    if (placeholder == "{i+1}")
        return bind(bindings.i, value - 1);
    if (placeholder == "{flat}")
        return value % stride != stride - 1 && bind(bindings.i, value / stride) &&
               bind(bindings.j, value % stride);
    if (placeholder == "{up}")
        return value % stride == stride - 1 && bind(bindings.i, value / stride);
    if (placeholder == "{blocks}")
        return value == context.residualBlocks;
    if (placeholder == "{blocks+1}")
        return value == context.residualBlocks + 1;
    return placeholder == "{motion+1}" && value == context.motionBlocks + 1;
}

std::optional<Bindings> match(std::string_view pattern, std::string_view name, const NameContext& context) {
    Bindings bindings;
    while (!pattern.empty() && !name.empty()) {
        const std::string_view expected = takePart(pattern);
        const std::string_view found = takePart(name);
        if (expected == "*") {
            bindings.last = found;
        } else if (expected.starts_with('{')) {
            const std::optional<int> index = indexOf(found);
            if (!index || !matchPlaceholder(expected, *index, context, bindings))
                return std::nullopt;
        } else if (expected != found) {
            return std::nullopt;
        }
    }
    return pattern.empty() && name.empty() ? std::optional(bindings) : std::nullopt;
}

std::optional<int> valueOf(std::string_view placeholder, const NameContext& context,
                           const Bindings& bindings) {
    const int stride = strideOf(context);
    const int i = bindings.i.value_or(0);
    const int j = bindings.j.value_or(0);
    if (placeholder == "{i}")
        return i;
    if (placeholder == "{j}")
        return j;
    if (placeholder == "{i+1}")
        return i + 1;
    if (placeholder == "{flat}")
        return !context.vaeLevels && j < stride - 1 ? std::optional(i * stride + j) : std::nullopt;
    if (placeholder == "{up}")
        return i * stride + stride - 1;
    if (placeholder == "{blocks}")
        return context.residualBlocks;
    if (placeholder == "{blocks+1}")
        return context.residualBlocks + 1;
    return context.motionBlocks + 1;
}

/// The pattern with values in place of its placeholders; nothing when it has none for them.
std::optional<std::string> fill(std::string_view pattern, const NameContext& context,
                                const Bindings& bindings) {
    std::string name;
    while (!pattern.empty()) {
        const std::string_view part = takePart(pattern);
        if (!name.empty())
            name += '.';
        if (part == "*") {
            name += bindings.last;
        } else if (part.starts_with('{')) {
            const std::optional<int> value = valueOf(part, context, bindings);
            if (!value)
                return std::nullopt;
            name += std::to_string(*value);
        } else {
            name += part;
        }
    }
    return name;
}

std::span<const NameRule> rulesOf(ModelPart part) {
    switch (part) {
        case ModelPart::Transformer:
            return transformerRules();
        case ModelPart::Vae:
            return vaeRules();
        case ModelPart::TextEncoder:
            return textEncoderRules();
        case ModelPart::ImageEncoder:
            return imageEncoderRules();
    }
    return {};
}

/// The number behind `prefix` in a name, if `suffix` follows it at once.
std::optional<int> indexBetween(std::string_view name, std::string_view prefix, std::string_view suffix) {
    if (!name.starts_with(prefix))
        return std::nullopt;
    name.remove_prefix(prefix.size());
    const std::size_t dot = name.find('.');
    return dot != std::string_view::npos && name.substr(dot).starts_with(suffix)
               ? indexOf(name.substr(0, dot))
               : std::nullopt;
}

}  // namespace

std::string_view nameOf(ModelPart part) {
    return partNames[static_cast<std::size_t>(part)];
}

NameContext NameContext::of(std::span<const std::string> names) {
    NameContext context;
    std::optional<int> firstUp;
    int lastBlock = -1;
    int lastMotion = -1;
    for (const std::string& name : names) {
        for (const std::string_view prefix : {"decoder.upsamples.", "decoder.upsamples.0.upsamples."})
            if (const auto index = indexBetween(name, prefix, ".resample."))
                firstUp = std::min(firstUp.value_or(*index), *index);
        for (const std::string_view level : {"downsamples.0.downsamples.", "down_blocks.0.resnets."})
            context.vaeLevels |= name.find(level) != std::string::npos;
        if (const auto index = indexBetween(name, "decoder.up_blocks.0.resnets.", "."))
            lastBlock = std::max(lastBlock, *index);
        if (const auto index = indexBetween(name, "motion_encoder.res_blocks.", "."))
            lastMotion = std::max(lastMotion, *index);
        if (const auto index = indexBetween(name, "motion_encoder.enc.net_app.convs.", ".skip."))
            lastMotion = std::max(lastMotion, *index - 1);
    }
    // What enlarges stands behind the residual blocks of its level, of which the decoder has one more.
    if (firstUp && *firstUp > 0)
        context.residualBlocks = *firstUp - 1;
    else if (lastBlock >= 0)
        context.residualBlocks = lastBlock;
    if (lastMotion >= 0)
        context.motionBlocks = lastMotion + 1;
    return context;
}

NameMap::NameMap(ModelPart part, NameContext context) : m_rules(rulesOf(part)), m_context(context) {}

std::vector<MappedName> NameMap::toDiffusers(std::string_view original) const {
    std::vector<MappedName> mapped;
    for (const NameRule& rule : m_rules)
        if (const auto bindings = match(rule.original, original, m_context))
            if (auto name = fill(rule.diffusers, m_context, *bindings))
                mapped.push_back({std::move(*name), rule.reshaping, rule.part, rule.parts});
    return mapped;
}

std::optional<MappedName> NameMap::toOriginal(std::string_view diffusers) const {
    for (const NameRule& rule : m_rules)
        if (!rule.diffusers.empty())
            if (const auto bindings = match(rule.diffusers, diffusers, m_context))
                if (auto name = fill(rule.original, m_context, *bindings))
                    return MappedName{std::move(*name), rule.reshaping, rule.part, rule.parts};
    return std::nullopt;
}

}  // namespace meshreel
