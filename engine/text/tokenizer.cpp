// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer.h"

#include "engine/base/error.h"
#include "engine/text/sentencepiece_encoder.h"
#include "engine/text/tokenizer_json.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

constexpr const char* fastFile = "tokenizer.json";
constexpr const char* sentencePieceFile = "spiece.model";

[[noreturn]] void throwNoTokenizer(const std::filesystem::path& folder) {
    throw Error(ErrorKind::Input, sentence("the folder holds neither {} nor {}", fastFile, sentencePieceFile),
                folder.string(), sentence("Download the tokenizer of the model into it"));
}

}  // namespace

bool TokenCount::fits(std::int64_t rows) const {
    constexpr std::int64_t filledUp = 127;
    constexpr std::int64_t sentinels = 300;
    const std::int64_t left = rows - tokens;
    return left >= 0 && left <= filledUp + (mayLackSentinels ? sentinels : 0);
}

TokenCount Tokenizer::countTokens(const std::filesystem::path& folder) {
    std::error_code failure;
    if (std::filesystem::exists(folder / fastFile, failure))
        return {countTokensOfJson(folder / fastFile), false};
    if (std::filesystem::exists(folder / sentencePieceFile, failure))
        return {countPieces(folder / sentencePieceFile), true};
    throwNoTokenizer(folder);
}

Tokenizer Tokenizer::open(const std::filesystem::path& folder) {
    std::error_code failure;
    if (std::filesystem::exists(folder / fastFile, failure))
        return Tokenizer(openTokenizerJson(folder / fastFile));
    if (std::filesystem::exists(folder / sentencePieceFile, failure))
        return Tokenizer(openSentencePiece(folder / sentencePieceFile));
    throwNoTokenizer(folder);
}

std::vector<std::int64_t> Tokenizer::ids(std::string_view cleaned) const {
    const SequenceFrame& frame = m_encoder->frame();
    const TokenIds text = m_encoder->encode(toUtf8(fromUtf8(cleaned)));
    TokenIds result = frame.before;
    result.insert(result.end(), text.begin(), text.end());
    result.insert(result.end(), frame.after.begin(), frame.after.end());
    return result;
}

Tokenizer::Encoded Tokenizer::encode(std::string_view cleaned, std::int64_t maxSequenceLength) const {
    const SequenceFrame& frame = m_encoder->frame();
    const std::size_t frameLength = frame.before.size() + frame.after.size();
    if (maxSequenceLength < static_cast<std::int64_t>(frameLength) || maxSequenceLength < 1)
        throw Error(
            ErrorKind::Project,
            sentence("{} tokens do not hold the {} that surround every text", maxSequenceLength, frameLength),
            "max_sequence_length", sentence("Use 512, as the model was trained"));
    const auto room = static_cast<std::size_t>(maxSequenceLength);
    Encoded encoded;
    encoded.ids = ids(cleaned);
    if (encoded.ids.size() > room) {
        encoded.truncated = true;
        encoded.ids.resize(room - frame.after.size());
        encoded.ids.insert(encoded.ids.end(), frame.after.begin(), frame.after.end());
    }
    encoded.length = static_cast<std::int64_t>(encoded.ids.size());
    encoded.mask.assign(encoded.ids.size(), 1);
    encoded.mask.resize(room, 0);
    encoded.ids.resize(room, frame.pad);
    return encoded;
}

}  // namespace meshreel
