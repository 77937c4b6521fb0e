// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/limits.h"
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

/// The start of the word that holds the character; the character itself in a script without spaces.
std::size_t wordStart(std::u32string_view text, std::size_t character) {
    constexpr std::size_t longestWord = 40;
    std::size_t start = character;
    while (start > 0 && !isPythonSpace(text[start - 1]))
        --start;
    return character - start > longestWord ? character : start;
}

std::size_t wordEnd(std::u32string_view text, std::size_t character) {
    while (character < text.size() && !isPythonSpace(text[character]))
        ++character;
    return character;
}

std::size_t nextWord(std::u32string_view text, std::size_t character) {
    while (character < text.size() && isPythonSpace(text[character]))
        ++character;
    return character;
}

/// A few words to find a place in a text by.
std::string firstWords(std::u32string_view text) {
    constexpr std::size_t enough = 24;  // characters, if words end there
    constexpr std::size_t most = 40;
    const std::size_t end = std::min({wordEnd(text, std::min(enough, text.size())), most, text.size()});
    return toUtf8(text.substr(0, end)) + (end < text.size() ? "…" : "");
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

std::optional<Tokenizer::Cut> Tokenizer::findCut(std::string_view cleaned,
                                                 std::int64_t maxSequenceLength) const {
    const std::int64_t tokens = std::ssize(ids(cleaned));
    if (tokens <= maxSequenceLength)
        return std::nullopt;
    const std::u32string text = fromUtf8(cleaned);
    const auto fits = [&](std::size_t characters) {
        return std::ssize(ids(toUtf8(std::u32string_view(text).substr(0, characters)))) <= maxSequenceLength;
    };
    // Only the part around the cut is tokenised again, however long the text is.
    std::size_t fitting = 0;
    std::size_t beyond = std::min<std::size_t>(text.size(), static_cast<std::size_t>(maxSequenceLength));
    while (beyond < text.size() && fits(beyond)) {
        fitting = beyond;
        beyond = std::min(text.size(), 2 * beyond);
    }
    while (beyond - fitting > 1) {
        const std::size_t middle = fitting + (beyond - fitting) / 2;
        (fits(middle) ? fitting : beyond) = middle;
    }
    // The beginning of a word may take more tokens than the whole of it.
    std::size_t start = nextWord(text, wordStart(text, fitting));
    while (start < text.size() && wordEnd(text, start) > fitting && fits(wordEnd(text, start)))
        start = nextWord(text, wordEnd(text, start));
    return Cut{.tokens = tokens, .leftOut = firstWords(std::u32string_view(text).substr(start))};
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

namespace {

class SentencePieceEncoder : public TextEncoder {
  public:
    explicit SentencePieceEncoder(const std::string& file) {
        static_cast<void>(countPieces(file));
        if (!isLoaded(readFile(file, Limit::Vocabulary)))
            throw Error(ErrorKind::Input, sentence("this is not a SentencePiece model"), file,
                        sentence("The file is damaged: download it again"));
        if (m_processor.eos_id() < 0 || m_processor.pad_id() < 0)
            throw Error(ErrorKind::Input,
                        sentence("the SentencePiece model has no piece for end of text or for padding"), file,
                        sentence("Use the tokenizer that belongs to the model"));
        m_frame = {{}, {m_processor.eos_id()}, m_processor.pad_id()};
    }

    [[nodiscard]] TokenIds encode(std::string_view utf8) const override {
        std::vector<int> ids;
        const auto status = m_processor.Encode({utf8.data(), utf8.size()}, &ids);
        if (!status.ok())
            throw Error(ErrorKind::Internal, fmt::format("SentencePiece failed: {}", status.ToString()));
        return {ids.begin(), ids.end()};
    }

    [[nodiscard]] const SequenceFrame& frame() const override { return m_frame; }

  private:
    bool isLoaded(const std::string& bytes) {
        try {
            return m_processor.LoadFromSerializedProto(bytes).ok();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception&) {  // of its tries, for pieces that begin with a zero
            return false;
        }
    }

    sentencepiece::SentencePieceProcessor m_processor;
    SequenceFrame m_frame;
};

/// Field 1 of ModelProto, repeated (sentencepiece_model.proto).
constexpr std::uint64_t piecesField = 1;

/// Walks over the fields of a protocol buffer's message.
class FieldReader {
  public:
    explicit FieldReader(std::string_view bytes) : m_left(bytes) {}

    [[nodiscard]] bool atEnd() const { return m_left.empty() || m_broken; }
    [[nodiscard]] bool isBroken() const { return m_broken; }

    /// The number of the field that is passed over.
    std::uint64_t skip() {
        constexpr unsigned wireBits = 3;
        const std::uint64_t tag = varint();
        switch (tag & ((1U << wireBits) - 1)) {
            case 0:
                static_cast<void>(varint());
                break;
            case 1:
                drop(sizeof(std::uint64_t));
                break;
            case 2:
                drop(varint());
                break;
            case 5:
                drop(sizeof(std::uint32_t));
                break;
            default:
                m_broken = true;
        }
        return tag >> wireBits;
    }

  private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !m_left.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_left.front());
            m_left.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80U)
                return value;
        }
        m_broken = true;
        return 0;
    }

    void drop(std::uint64_t count) {
        m_broken = m_broken || count > m_left.size();
        m_left.remove_prefix(std::min<std::uint64_t>(count, m_left.size()));
    }

    std::string_view m_left;
    bool m_broken = false;
};

}  // namespace

std::int64_t countPieces(const std::filesystem::path& file) {
    const std::string bytes = readFile(file, Limit::Vocabulary);
    FieldReader fields(bytes);
    std::int64_t pieces = 0;
    while (!fields.atEnd())
        pieces += fields.skip() == piecesField ? 1 : 0;
    if (fields.isBroken())
        throw Error(ErrorKind::Input, sentence("this is not a SentencePiece model"), file.string(),
                    sentence("The file is damaged: download it again"));
    requireWithin(Limit::VocabularyPieces, static_cast<std::uint64_t>(pieces), file.string());
    return pieces;
}

std::shared_ptr<const TextEncoder> openSentencePiece(const std::filesystem::path& file) {
    return std::make_shared<SentencePieceEncoder>(file.string());
}

}  // namespace meshreel
