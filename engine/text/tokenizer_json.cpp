// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/text/added_tokens.h"
#include "engine/text/normalizers.h"
#include "engine/text/pre_tokenizers.h"
#include "engine/text/unigram.h"
#include "engine/weights/formats/json_file.h"

namespace meshreel {
namespace {

using nlohmann::json;

constexpr const char* defaultPadToken = "<pad>";

const json& member(const json& object, const char* name) {
    static const json absent;
    const auto found = object.find(name);
    return found == object.end() ? absent : *found;
}

/// The ids around the text, from a TemplateProcessing for single texts; no post-processor adds nothing.
SequenceFrame readFrame(const json& description, const std::string& where) {
    SequenceFrame frame;
    if (description.is_null())
        return frame;
    const auto type = description.at("type").get<std::string>();
    if (type != "TemplateProcessing")
        throw Error(ErrorKind::Input, sentence("the post-processor '{:.80}' is not supported", type), where,
                    sentence("Remove tokenizer.json to use spiece.model instead"));
    TokenIds* side = &frame.before;
    for (const json& piece : description.at("single")) {
        if (piece.contains("Sequence")) {
            side = &frame.after;
            continue;
        }
        const auto token = piece.at("SpecialToken").at("id").get<std::string>();
        for (const json& id : description.at("special_tokens").at(token).at("ids"))
            side->push_back(id.get<std::int64_t>());
    }
    return frame;
}

/// tokenizer_config.json gives a token as text or as {"content": text}.
std::string readPadToken(const std::filesystem::path& config) {
    std::error_code failure;
    if (!std::filesystem::exists(config, failure))
        return defaultPadToken;
    const json object = readJsonObject(config);
    const json& token = member(object, "pad_token");
    if (token.is_string())
        return token.get<std::string>();
    return token.is_object() ? token.value("content", defaultPadToken) : defaultPadToken;
}

class TokenizerJson : public TextEncoder {
  public:
    TokenizerJson(const json& object, const std::string& padToken, const std::string& where)
        : m_normalizer(readNormalizer(member(object, "normalizer"), where)),
          m_preTokenizer(readPreTokenizer(member(object, "pre_tokenizer"), where)),
          m_model(UnigramModel::read(object.at("model"), where)),
          m_frame(readFrame(member(object, "post_processor"), where)),
          m_rawTokens(selectTokens(object, false)),
          m_normalizedTokens(selectTokens(object, true)) {
        m_frame.pad = idOf(object, padToken, where);
    }

    [[nodiscard]] TokenIds encode(std::string_view utf8) const override {
        TokenIds ids;
        for (const AddedTokenSplitter::Part& part : m_rawTokens.split(utf8)) {
            if (part.id)
                ids.push_back(*part.id);
            else
                encodeOrdinary(m_normalizer(std::string(part.utf8)), part.begin == 0, ids);
        }
        return ids;
    }

    [[nodiscard]] const SequenceFrame& frame() const override { return m_frame; }

  private:
    void encodeOrdinary(const std::string& text, bool atStart, TokenIds& ids) const {
        for (const AddedTokenSplitter::Part& part : m_normalizedTokens.split(text)) {
            if (part.id) {
                ids.push_back(*part.id);
                continue;
            }
            for (const TextPiece& piece :
                 m_preTokenizer({std::string(part.utf8), atStart && part.begin == 0})) {
                const TokenIds encoded = m_model.encode(piece.utf8);
                ids.insert(ids.end(), encoded.begin(), encoded.end());
            }
        }
    }

    [[nodiscard]] AddedTokenSplitter selectTokens(const json& object, bool normalized) const {
        std::vector<AddedToken> tokens = readAddedTokens(member(object, "added_tokens"));
        std::erase_if(tokens,
                      [normalized](const AddedToken& token) { return token.normalized != normalized; });
        if (normalized)
            for (AddedToken& token : tokens)
                token.content = m_normalizer(token.content);
        return AddedTokenSplitter(std::move(tokens));
    }

    [[nodiscard]] std::int64_t idOf(const json& object, const std::string& token,
                                    const std::string& where) const {
        for (const AddedToken& added : readAddedTokens(member(object, "added_tokens")))
            if (added.content == token)
                return added.id;
        if (const auto id = m_model.find(token))
            return *id;
        throw Error(ErrorKind::Input, sentence("the pad token '{:.80}' is not among its tokens", token),
                    where, sentence("Use the tokenizer that belongs to the model"));
    }

    TextNormalizer m_normalizer;
    PreTokenizer m_preTokenizer;
    UnigramModel m_model;
    SequenceFrame m_frame;
    AddedTokenSplitter m_rawTokens;
    AddedTokenSplitter m_normalizedTokens;
};

/// Counts what lies under "model"."vocab", a list of pieces or an object with their ids, and looks at the ids
/// under "added_tokens".
class TokenCounter : public nlohmann::json_sax<json> {
  public:
    [[nodiscard]] std::int64_t count() const { return std::max(m_pieces, m_endOfAdded); }

    bool null() override { return see(); }
    bool boolean(bool /*value*/) override { return see(); }
    bool number_integer(number_integer_t value) override { return seeNumber(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return seeNumber(value > largestId ? largestId : static_cast<std::int64_t>(value));
    }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return see(); }
    bool string(string_t& /*value*/) override { return see(); }
    bool binary(binary_t& /*value*/) override { return see(); }
    bool start_object(std::size_t /*elements*/) override { return open(); }
    bool start_array(std::size_t /*elements*/) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        m_path.back() = name;
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*error*/) override {
        return false;
    }

  private:
    static constexpr std::int64_t largestId = std::int64_t{1} << 40;
    static constexpr std::size_t deepest = 64;

    bool see() {
        m_pieces += m_path.size() == 3 && m_path[0] == "model" && m_path[1] == "vocab" ? 1 : 0;
        return true;
    }
    bool seeNumber(std::int64_t value) {
        if (m_path.size() == 3 && m_path[0] == "added_tokens" && m_path[2] == "id")
            m_endOfAdded = std::max(m_endOfAdded, std::min(value, largestId) + 1);
        return see();
    }
    bool open() {
        see();
        m_path.emplace_back();
        return m_path.size() <= deepest;
    }
    bool close() {
        m_path.pop_back();
        return true;
    }

    std::vector<std::string> m_path;  // of each open container the key, of lists nothing
    std::int64_t m_pieces = 0;
    std::int64_t m_endOfAdded = 0;
};

}  // namespace

std::int64_t countTokensOfJson(const std::filesystem::path& file) {
    TokenCounter counter;
    if (!json::sax_parse(readFile(file), &counter))
        throw Error(ErrorKind::Input, sentence("this is not valid JSON"), file.string(),
                    sentence("The file is damaged: download it again"));
    return counter.count();
}

std::shared_ptr<const TextEncoder> openTokenizerJson(const std::filesystem::path& file) {
    const json object = readJsonObject(file);
    const std::string padToken = readPadToken(file.parent_path() / "tokenizer_config.json");
    try {
        return std::make_shared<TokenizerJson>(object, padToken, file.string());
    } catch (const json::exception& error) {
        throw Error(ErrorKind::Input, sentence("this is not laid out as a tokenizer ({})", error.what()),
                    file.string(), sentence("Download the file again"));
    }
}

}  // namespace meshreel
