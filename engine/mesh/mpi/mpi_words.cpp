// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_words.h"

#include <nlohmann/json.hpp>

#include "engine/base/sentence_json.h"

namespace meshreel {
namespace {

using nlohmann::json;

// A byte of text takes six of JSON at worst, and host and reason share the word.
constexpr std::size_t longestReason = 400;
constexpr std::size_t longestHost = 60;

json asJson(const MeshFailure& failure, const Sentence& reason) {
    json value{{"device", failure.device},
               {"rank", failure.rank},
               {"host", failure.host.substr(0, longestHost)},
               {"cancelled", failure.cancelled}};
    putSentence(value, "reason", reason);
    return value;
}

MeshFailure asFailure(const json& value) {
    return {.device = value.value("device", -1),
            .rank = value.value("rank", 0),
            .host = value.value("host", ""),
            .reason = sentenceAt(value, "reason"),
            .cancelled = value.value("cancelled", false)};
}

std::string textOf(const json& message) {
    return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string encodeWord(const RankWord& word) {
    json message{{"word", static_cast<int>(word.word)}};
    if (!word.failure)
        return textOf(message);
    const Sentence& reason = word.failure->reason;
    message["failure"] = asJson(*word.failure, reason);
    if (const std::string whole = textOf(message); whole.size() <= longestWord)
        return whole;
    message["failure"] = asJson(*word.failure, reason.text().substr(0, longestReason));
    return textOf(message);
}

RankWord decodeWord(const std::string& text) {
    const json message = json::parse(text, nullptr, false);
    const int word = message.is_object() ? message.value("word", 0) : 0;
    if (word < 0 || word > static_cast<int>(Word::Bye))
        return {};
    RankWord result{.word = static_cast<Word>(word)};
    if (const auto failure = message.find("failure"); failure != message.end())
        result.failure = asFailure(*failure);
    return result;
}

}  // namespace meshreel
