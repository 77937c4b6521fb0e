// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/trigger_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/weights/formats/tensor_file.h"

namespace meshreel {
namespace {

using nlohmann::json;
using Metadata = std::map<std::string, std::string>;

constexpr std::size_t mostWords = 24;
constexpr std::size_t mostWordBytes = 200;
constexpr std::size_t mostValueBytes = std::size_t{4} << 20;

constexpr std::array<std::string_view, 8> statedKeys{"modelspec.trigger_phrase",
                                                     "trigger_phrase",
                                                     "trigger_words",
                                                     "trigger_word",
                                                     "trained_words",
                                                     "trainedWords",
                                                     "activation text",
                                                     "instance_prompt"};
constexpr const char* tagFrequency = "ss_tag_frequency";
constexpr const char* outputName = "ss_output_name";

/// What trainers write where nothing was given.
bool saysNothing(std::string_view word) {
    constexpr std::array<std::string_view, 4> none{"", "None", "none", "null"};
    return std::ranges::find(none, word) != none.end();
}

/// The text on one line, without controls and marks that change the direction of what follows; empty for
/// one that is too long to be a word.
std::string oneLine(std::string_view text) {
    if (text.size() > mostWordBytes || firstInvalidUtf8(text))
        return {};
    std::string line;
    for (std::size_t place = 0; place < text.size();) {
        const std::size_t begin = place;
        const char32_t letter = nextCodePoint(text, place).value_or(replacementCharacter);
        constexpr char32_t deleteControl = 0x7F;
        constexpr char32_t lastControl = 0x9F;
        const bool isControl = letter < U' ' || (letter >= deleteControl && letter <= lastControl);
        const bool isMark = (letter >= 0x200B && letter <= 0x200F) ||
                            (letter >= 0x2028 && letter <= 0x202E) ||
                            (letter >= 0x2066 && letter <= 0x2069) || letter == 0xFEFF;
        if (isControl || letter == U' ')
            line += line.empty() || line.back() == ' ' ? "" : " ";
        else if (!isMark)
            line += text.substr(begin, place - begin);
    }
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line;
}

/// A metadata value that may be read; nullptr otherwise.
const std::string* metadataValue(const Metadata& metadata, std::string_view key) {
    const auto found = metadata.find(std::string(key));
    return found == metadata.end() || found->second.size() > mostValueBytes ? nullptr : &found->second;
}

/// Takes a word that is one, and not there yet.
void addStated(std::string_view text, std::vector<TriggerWord>& words) {
    TriggerWord word{.text = oneLine(text), .count = 0};
    if (!saysNothing(word.text) && words.size() < mostWords &&
        std::ranges::find(words, word.text, &TriggerWord::text) == words.end())
        words.push_back(std::move(word));
}

/// The words of a list in JSON; nothing for any other text.
std::optional<std::vector<std::string>> listIn(const std::string& value) {
    if (!value.starts_with('['))
        return std::nullopt;
    try {
        requireBoundedJson(value, {});
        const json list = json::parse(value, nullptr, false);
        if (!list.is_array())
            return std::nullopt;
        std::vector<std::string> words;
        for (const json& word : list)
            if (word.is_string())
                words.push_back(word.get<std::string>());
        return words;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// A phrase is taken whole: its commas belong to it. Keys of words are parted.
void addStatedOf(std::string_view key, const std::string& value, std::vector<TriggerWord>& words) {
    if (const auto list = listIn(value)) {
        for (const std::string& word : *list)
            addStated(word, words);
        return;
    }
    const bool isPhrase = key.ends_with("phrase") || key.ends_with("prompt");
    std::string_view rest = value;
    while (!isPhrase && rest.find(',') != std::string_view::npos) {
        addStated(rest.substr(0, rest.find(',')), words);
        rest.remove_prefix(rest.find(',') + 1);
    }
    addStated(rest, words);
}

/// Adds the tags of one folder of a training.
void addTags(const json& folder, std::map<std::string, std::uint64_t>& counts) {
    constexpr std::size_t mostTags = 100'000;
    if (!folder.is_object())
        return;
    for (const auto& [tag, count] : folder.items()) {
        if (!count.is_number_unsigned() || counts.size() >= mostTags)
            continue;
        const std::string word = oneLine(tag);
        if (saysNothing(word))
            continue;
        std::uint64_t& sum = counts[word];
        const auto more = count.get<std::uint64_t>();
        sum = more > std::numeric_limits<std::uint64_t>::max() - sum
                  ? std::numeric_limits<std::uint64_t>::max()
                  : sum + more;
    }
}

std::vector<TriggerWord> frequentTags(const std::string& value) {
    std::map<std::string, std::uint64_t> counts;
    try {
        constexpr int levels = 3;
        const json folders = parseJsonObject(value, tagFrequency, levels);
        for (const json& folder : folders)
            addTags(folder, counts);
    } catch (const Error&) {
        return {};
    }
    std::vector<TriggerWord> tags;
    for (const auto& [tag, count] : counts)
        if (count > 0)
            tags.push_back({.text = tag, .count = count});
    std::ranges::stable_sort(tags, std::ranges::greater(), &TriggerWord::count);
    tags.resize(std::min(tags.size(), mostWords));
    return tags;
}

}  // namespace

TriggerWords triggerWords(const Metadata& metadata) {
    TriggerWords words;
    for (const std::string_view key : statedKeys)
        if (const std::string* value = metadataValue(metadata, key))
            addStatedOf(key, *value, words.stated);
    if (const std::string* value = metadataValue(metadata, tagFrequency))
        words.frequent = frequentTags(*value);
    if (const std::string* value = metadataValue(metadata, outputName))
        words.trainedAs = saysNothing(*value) ? std::string() : oneLine(*value);
    return words;
}

TriggerWords readTriggerWords(const std::filesystem::path& file) {
    return triggerWords(TensorFile::open(file).metadata());
}

}  // namespace meshreel
