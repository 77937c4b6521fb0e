// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace meshreel {

/// What a sentence was made of, for a file or another process: {"pattern": "{} failed", "parts": ["rank 1"]},
/// where a part that has a pattern is such an object itself. Null for one that is the same in every language.
nlohmann::json sentencePartsJson(const Sentence& sentence);

/// The sentence that says `text` in English and was made of `parts`. The same in every language where they
/// are null, malformed or make another text.
Sentence sentenceFrom(std::string text, const nlohmann::json& parts);

/// In English, for those who do not translate.
std::vector<std::string> textsOf(const std::vector<Sentence>& sentences);

namespace detail {

inline std::string partsKey(const std::string& key) {
    return key + "_parts";
}

}  // namespace detail

/// Adds a sentence to an object: in English as `key`, and what it was made of as "<key>_parts" unless it is
/// the same in every language.
template <typename Json>
void putSentence(Json& object, const std::string& key, const Sentence& sentence) {
    object[key] = sentence.text();
    if (!sentence.pattern().empty())
        object[detail::partsKey(key)] = sentencePartsJson(sentence);
}

/// What putSentence() added; in English where only that is there, empty where nothing is. Throws
/// Json::exception where `key` is no text.
template <typename Json>
Sentence sentenceAt(const Json& object, const std::string& key) {
    return sentenceFrom(object.value(key, std::string()), object.value(detail::partsKey(key), Json()));
}

}  // namespace meshreel
