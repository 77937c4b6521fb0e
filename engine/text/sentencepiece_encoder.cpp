// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/sentencepiece_encoder.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <string>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

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

}  // namespace

std::shared_ptr<const TextEncoder> openSentencePiece(const std::filesystem::path& file) {
    return std::make_shared<SentencePieceEncoder>(file.string());
}

}  // namespace meshreel
