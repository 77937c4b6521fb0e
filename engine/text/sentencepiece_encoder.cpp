// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/sentencepiece_encoder.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/files.h"

namespace meshreel {
namespace {

class SentencePieceEncoder : public TextEncoder {
  public:
    explicit SentencePieceEncoder(const std::string& file) {
        const auto status = m_processor.LoadFromSerializedProto(readFile(file));
        if (!status.ok())
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
    const std::string bytes = readFile(file);
    FieldReader fields(bytes);
    std::int64_t pieces = 0;
    while (!fields.atEnd())
        pieces += fields.skip() == piecesField ? 1 : 0;
    if (fields.isBroken())
        throw Error(ErrorKind::Input, sentence("this is not a SentencePiece model"), file.string(),
                    sentence("The file is damaged: download it again"));
    return pieces;
}

std::shared_ptr<const TextEncoder> openSentencePiece(const std::filesystem::path& file) {
    return std::make_shared<SentencePieceEncoder>(file.string());
}

}  // namespace meshreel
