// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/record_json.h"

#include <utility>

namespace meshreel {
namespace {

using nlohmann::json;

constexpr const char* patternKey = "pattern";
constexpr const char* partsKey = "parts";

json partJson(const Sentence& part) {
    return part.pattern().empty() ? json(part.text()) : sentencePartsJson(part);
}

/// Throws json::exception for what partJson() does not write.
Sentence partOf(const json& part) {
    if (part.is_string())
        return part.get<std::string>();
    const auto pattern = part.at(patternKey).get<std::string>();
    std::vector<Sentence> parts;
    std::vector<std::string> texts;
    for (const json& inner : part.at(partsKey))
        texts.push_back(parts.emplace_back(partOf(inner)).text());
    return {fillPattern(pattern, texts), pattern, std::move(parts)};
}

}  // namespace

json sentencePartsJson(const Sentence& sentence) {
    if (sentence.pattern().empty())
        return nullptr;
    json parts = json::array();
    for (const Sentence& part : sentence.parts())
        parts.push_back(partJson(part));
    return {{patternKey, sentence.pattern()}, {partsKey, std::move(parts)}};
}

Sentence sentenceFrom(std::string text, const json& parts) {
    if (!parts.is_object())
        return text;
    try {
        Sentence made = partOf(parts);
        return made.text() == text ? made : Sentence(std::move(text));
    } catch (const json::exception&) {
        return text;
    }
}

std::vector<std::string> toTexts(const std::vector<Sentence>& sentences) {
    return {sentences.begin(), sentences.end()};
}

}  // namespace meshreel
