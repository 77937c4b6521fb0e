// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_json.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/limits.h"
#include "engine/text/tokenizer_parts.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

using nlohmann::json;

/// A token that stands for itself wherever it occurs in a text ("</s>", "<extra_id_0>").
struct AddedToken {
    std::string content;
    std::int64_t id = 0;
    bool singleWord = false;  ///< only where no word character touches it
    bool stripLeft = false;   ///< takes the white space before it
    bool stripRight = false;  ///< takes the white space behind it
    bool normalized = true;   ///< looked for in the normalised text, in normalised form
};

/// Finds added tokens: leftmost first, of several at one place the longest.
class AddedTokenSplitter {
  public:
    explicit AddedTokenSplitter(std::vector<AddedToken> tokens);

    struct Part {
        std::string_view utf8;
        std::size_t begin = 0;           ///< in the text
        std::optional<std::int64_t> id;  ///< absent for ordinary text
    };

    /// Covers the text without gaps; no part is empty.
    [[nodiscard]] std::vector<Part> split(std::string_view text) const;

  private:
    std::vector<AddedToken> m_tokens;  // longest first
};

bool isWhiteSpace(char32_t c) {
    return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0;
}

/// The \w of Unicode regular expressions (UTS 18).
bool isWordCharacter(char32_t c) {
    const auto character = static_cast<UChar32>(c);
    const auto mask = U_GET_GC_MASK(character);
    return u_isUAlphabetic(character) != 0 || (mask & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
           u_hasBinaryProperty(character, UCHAR_JOIN_CONTROL) != 0;
}

bool touchesWord(std::string_view before, std::string_view behind) {
    const std::u32string left = fromUtf8(before);
    const std::u32string right = fromUtf8(behind);
    return (!left.empty() && isWordCharacter(left.back())) ||
           (!right.empty() && isWordCharacter(right.front()));
}

/// Bytes of white space at the end (or the beginning) of the text.
std::size_t trailingSpace(std::string_view utf8) {
    const std::u32string text = fromUtf8(utf8);
    const auto last = std::find_if_not(text.rbegin(), text.rend(), isWhiteSpace).base();
    return toUtf8(std::u32string(last, text.end())).size();
}

std::size_t leadingSpace(std::string_view utf8) {
    const std::u32string text = fromUtf8(utf8);
    const auto first = std::find_if_not(text.begin(), text.end(), isWhiteSpace);
    return toUtf8(std::u32string(text.begin(), first)).size();
}

/// The "added_tokens" of a tokenizer.json.
std::vector<AddedToken> readAddedTokens(const json& list) {
    std::vector<AddedToken> tokens;
    for (const json& entry : list)
        tokens.push_back({entry.at("content").get<std::string>(), entry.at("id").get<std::int64_t>(),
                          entry.value("single_word", false), entry.value("lstrip", false),
                          entry.value("rstrip", false), entry.value("normalized", true)});
    return tokens;
}

AddedTokenSplitter::AddedTokenSplitter(std::vector<AddedToken> tokens) : m_tokens(std::move(tokens)) {
    std::erase_if(m_tokens, [](const AddedToken& token) { return token.content.empty(); });
    std::stable_sort(m_tokens.begin(), m_tokens.end(), [](const AddedToken& a, const AddedToken& b) {
        return a.content.size() > b.content.size();
    });
}

std::vector<AddedTokenSplitter::Part> AddedTokenSplitter::split(std::string_view text) const {
    std::vector<Part> parts;
    std::size_t covered = 0;
    for (std::size_t position = 0; position < text.size();) {
        const auto token = std::find_if(m_tokens.begin(), m_tokens.end(), [&](const AddedToken& candidate) {
            return text.substr(position).starts_with(candidate.content);
        });
        if (token == m_tokens.end()) {
            ++position;
            continue;
        }
        std::size_t begin = position;
        std::size_t end = position + token->content.size();
        position = end;
        if (token->singleWord && touchesWord(text.substr(0, begin), text.substr(end)))
            continue;
        if (token->stripLeft)
            begin = std::max(begin - trailingSpace(text.substr(0, begin)), covered);
        if (token->stripRight)
            end += leadingSpace(text.substr(end));
        if (covered < begin)
            parts.push_back({text.substr(covered, begin - covered), covered, {}});
        parts.push_back({text.substr(begin, end - begin), begin, token->id});
        covered = end;
        position = std::max(position, end);
    }
    if (covered < text.size())
        parts.push_back({text.substr(covered), covered, {}});
    return parts;
}

/// A part of the text on its way to the model.
struct TextPiece {
    std::string utf8;
    bool atStart = false;  ///< of the whole text
};

using PreTokenizer = std::function<std::vector<TextPiece>(const TextPiece&)>;

/// The "pre_tokenizer" of a tokenizer.json: Sequence, WhitespaceSplit, Metaspace; null splits nothing. Pieces
/// are never empty. Throws Error{Input} with `where` for any other.
PreTokenizer readPreTokenizer(const json& description, const std::string& where);

[[noreturn]] void refuse(Sentence message, const std::string& where) {
    throw Error(ErrorKind::Input, std::move(message), where,
                sentence("Remove tokenizer.json to use spiece.model instead"));
}

PreTokenizer readPreTokenizers(const json& description, const std::string& where) {
    std::vector<PreTokenizer> steps;
    for (const json& step : description.at("pretokenizers"))
        steps.push_back(readPreTokenizer(step, where));
    return [steps](const TextPiece& piece) {
        std::vector<TextPiece> pieces = {piece};
        for (const PreTokenizer& step : steps) {
            std::vector<TextPiece> next;
            for (const TextPiece& each : pieces) {
                std::vector<TextPiece> parts = step(each);
                std::move(parts.begin(), parts.end(), std::back_inserter(next));
            }
            pieces = std::move(next);
        }
        return pieces;
    };
}

std::vector<TextPiece> splitAtWhiteSpace(const TextPiece& piece) {
    std::vector<TextPiece> pieces;
    bool open = false;
    bool atStart = piece.atStart;
    for (const char32_t c : fromUtf8(piece.utf8)) {
        if (isWhiteSpace(c)) {
            open = false;
        } else {
            if (!open)
                pieces.push_back({{}, atStart});
            open = true;
            pieces.back().utf8 += toUtf8(std::u32string_view(&c, 1));
        }
        atStart = false;
    }
    return pieces;
}

PreTokenizer readWhitespaceSplit(const json&, const std::string&) {
    return splitAtWhiteSpace;
}

enum class Prepend { Always, First, Never };

Prepend readPrepend(const json& description, const std::string& where) {
    if (!description.value("add_prefix_space", true))
        return Prepend::Never;
    const std::string scheme = description.value("prepend_scheme", "always");
    if (scheme == "always")
        return Prepend::Always;
    if (scheme == "first")
        return Prepend::First;
    if (scheme == "never")
        return Prepend::Never;
    refuse(sentence("the prepend_scheme '{:.80}' is not supported", scheme), where);
}

struct Metaspace {
    std::string mark;  // UTF-8, stands for a space
    Prepend prepend;
    bool split;

    [[nodiscard]] std::vector<TextPiece> operator()(const TextPiece& piece) const {
        std::string text;
        for (const char c : piece.utf8) {
            if (c == ' ')
                text += mark;
            else
                text += c;
        }
        const bool wanted = prepend == Prepend::Always || (prepend == Prepend::First && piece.atStart);
        if (wanted && !text.empty() && !text.starts_with(mark))
            text.insert(0, mark);
        std::vector<TextPiece> pieces;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = split ? std::min(text.find(mark, begin + 1), text.size()) : text.size();
            pieces.push_back({text.substr(begin, end - begin), piece.atStart && begin == 0});
            begin = end;
        }
        return pieces;
    }
};

PreTokenizer readMetaspace(const json& description, const std::string& where) {
    Metaspace metaspace{description.at("replacement").get<std::string>(), readPrepend(description, where),
                        description.value("split", true)};
    if (metaspace.mark.empty())
        refuse(sentence("an empty metaspace replacement is not supported"), where);
    return metaspace;
}

struct PreTokenizerKind {
    std::string_view type;
    PreTokenizer (*read)(const json& description, const std::string& where);
};

constexpr std::array preTokenizerKinds = {
    PreTokenizerKind{"Sequence", readPreTokenizers},
    PreTokenizerKind{"WhitespaceSplit", readWhitespaceSplit},
    PreTokenizerKind{"Metaspace", readMetaspace},
};

PreTokenizer readPreTokenizer(const json& description, const std::string& where) {
    if (description.is_null())
        return [](const TextPiece& piece) { return std::vector<TextPiece>{piece}; };
    const auto type = description.at("type").get<std::string>();
    const auto* kind = std::ranges::find(preTokenizerKinds, type, &PreTokenizerKind::type);
    if (kind == preTokenizerKinds.end())
        refuse(sentence("the pre-tokenizer '{:.80}' is not supported", type), where);
    return kind->read(description, where);
}

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
        refuse(sentence("the post-processor '{:.80}' is not supported", type), where);
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

    std::vector<std::string> m_path;  // the key of each open container, empty for lists
    std::int64_t m_pieces = 0;
    std::int64_t m_endOfAdded = 0;
};

}  // namespace

std::int64_t countTokensOfJson(const std::filesystem::path& file) {
    TokenCounter counter;
    if (!json::sax_parse(readFile(file, Limit::Json), &counter))
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
