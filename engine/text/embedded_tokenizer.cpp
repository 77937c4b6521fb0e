// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/embedded_tokenizer.h"

#include <bit>
#include <cstdint>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/weights/formats/gguf.h"
#include "engine/weights/formats/stored_type.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/mapped_file.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view modelTensor = "spiece_model";

/// Writes the fields of a protocol buffer's message.
class FieldWriter {
  public:
    void integer(std::uint64_t field, std::uint64_t value) {
        tag(field, 0);
        varint(value);
    }

    void text(std::uint64_t field, std::string_view bytes) {
        tag(field, 2);
        varint(bytes.size());
        m_bytes.append(bytes);
    }

    void number(std::uint64_t field, float value) {
        tag(field, 5);
        auto bits = std::bit_cast<std::uint32_t>(value);
        for (std::size_t byte = 0; byte < sizeof(bits); ++byte, bits >>= 8U)
            m_bytes.push_back(static_cast<char>(bits & 0xFFU));
    }

    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

  private:
    void tag(std::uint64_t field, unsigned wireType) { varint(field << 3U | wireType); }

    void varint(std::uint64_t value) {
        for (; value >= 0x80U; value >>= 7U)
            m_bytes.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
        m_bytes.push_back(static_cast<char>(value));
    }

    std::string m_bytes;
};

/// ModelProto of sentencepiece_model.proto; T5's ids of padding, end and unknown stand where the file says
/// nothing. GGUF numbers the kinds of pieces as SentencePiece does.
std::string sentencePieceModel(const GgufVocabulary& vocabulary) {
    constexpr std::uint64_t unigram = 1;
    constexpr auto none = static_cast<std::uint64_t>(-1);
    FieldWriter model;
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
        FieldWriter piece;
        piece.text(1, vocabulary.tokens[id]);
        piece.number(2, vocabulary.scores[id]);
        piece.integer(3, static_cast<std::uint64_t>(vocabulary.kinds[id]));
        model.text(1, piece.bytes());
    }
    FieldWriter trainer;
    trainer.integer(3, unigram);
    trainer.integer(4, vocabulary.tokens.size());
    trainer.integer(40, vocabulary.unknown);
    trainer.integer(41, none);  // no piece begins a text
    trainer.integer(42, vocabulary.end);
    trainer.integer(43, vocabulary.padding);
    model.text(2, trainer.bytes());
    FieldWriter normaliser;
    normaliser.text(1, vocabulary.charsMap.empty() ? "identity" : "nmt_nfkc");
    if (!vocabulary.charsMap.empty())
        normaliser.text(2, vocabulary.charsMap);
    normaliser.integer(3, vocabulary.addsSpace ? 1 : 0);
    normaliser.integer(4, vocabulary.removesSpaces ? 1 : 0);
    normaliser.integer(5, 1);
    model.text(3, normaliser.bytes());
    return model.bytes();
}

std::optional<std::string> insideGguf(const fs::path& file) {
    const auto map = MappedFile::open(file);
    const std::optional<GgufVocabulary> vocabulary = readGgufVocabulary(map->bytes(), file.string());
    if (!vocabulary)
        return std::nullopt;
    if (vocabulary->scores.size() != vocabulary->tokens.size() ||
        vocabulary->kinds.size() != vocabulary->tokens.size())
        throw Error(ErrorKind::Input,
                    sentence("its tokenizer has {} tokens, {} scores and {} kinds of tokens",
                             vocabulary->tokens.size(), vocabulary->scores.size(), vocabulary->kinds.size()),
                    file.string(), sentence("Name a tokenizer in parts.tokenizer"));
    return sentencePieceModel(*vocabulary);
}

}  // namespace

std::optional<std::string> tokenizerInside(const fs::path& file) {
    const TensorFile tensors = TensorFile::open(file);
    if (tensors.format().starts_with("GGUF"))
        return insideGguf(file);
    for (const FileTensor& tensor : tensors.tensors())
        if (tensor.type == StoredType::U8 &&
            (tensor.name == modelTensor || tensor.name.ends_with("." + std::string(modelTensor)))) {
            const auto bytes = tensors.bytes(tensor);
            requireWithin(Limit::Vocabulary, bytes.size(), file.string());
            return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
    return std::nullopt;
}

}  // namespace meshreel
