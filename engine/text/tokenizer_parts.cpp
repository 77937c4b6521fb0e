// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer_parts.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/regex.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/text/unicode.h"

namespace meshreel {

namespace {

/// The character map that SentencePiece models embed, applied as Hugging Face's spm_precompiled applies it to
/// "Precompiled" normalisers: first to whole grapheme clusters of less than six bytes, then to single
/// characters; of several entries that match, the shortest is taken and what it does not cover of the cluster
/// is dropped.
class PrecompiledCharsmap {
  public:
    /// `blob`: u32 bytes of trie, the trie (a Darts double array of u32), then replacements that each end in
    /// NUL. Throws Error{Input} with `where` when it is malformed.
    PrecompiledCharsmap(const std::string& blob, const std::string& where);

    [[nodiscard]] std::string normalize(const std::string& utf8) const;

  private:
    /// The replacement for the beginning of `chunk`, if the map holds one.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view chunk) const;

    std::vector<std::uint32_t> m_trie;
    std::string m_replacements;
};

constexpr std::size_t wordBytes = 4;
constexpr std::size_t longestWholeCluster = 5;  // bytes

// Fields of a unit of a Darts double array (github.com/s-yata/darts-clone).
bool hasLeaf(std::uint32_t unit) {
    return (unit >> 8 & 1) == 1;
}
std::uint32_t leafValue(std::uint32_t unit) {
    return unit & 0x7FFFFFFF;
}
std::uint32_t label(std::uint32_t unit) {
    return unit & 0x800000FF;
}
std::size_t childOffset(std::uint32_t unit) {
    return static_cast<std::size_t>(unit >> 10) << ((unit & 0x200) >> 6);
}

std::uint32_t littleEndianWord(std::string_view bytes, std::size_t position) {
    std::uint32_t word = 0;
    for (std::size_t i = wordBytes; i-- > 0;)
        word = word << 8 | static_cast<unsigned char>(bytes[position + i]);
    return word;
}

/// Byte offsets at which extended grapheme clusters end.
std::vector<std::size_t> clusterEnds(const std::string& utf8) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UText, decltype(&utext_close)> text(
        utext_openUTF8(nullptr, utf8.data(), static_cast<std::int64_t>(utf8.size()), &status), &utext_close);
    const std::unique_ptr<icu::BreakIterator> iterator(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    if (U_SUCCESS(status))
        iterator->setText(text.get(), status);
    if (U_FAILURE(status))
        throw Error(ErrorKind::Internal, "ICU has no data on grapheme clusters", {}, "Reinstall libicu");
    std::vector<std::size_t> ends;
    for (std::int32_t end = iterator->next(); end != icu::BreakIterator::DONE; end = iterator->next())
        ends.push_back(static_cast<std::size_t>(end));
    return ends;
}

PrecompiledCharsmap::PrecompiledCharsmap(const std::string& blob, const std::string& where) {
    const std::size_t trieBytes = blob.size() < wordBytes ? 0 : littleEndianWord(blob, 0);
    if (trieBytes < wordBytes || trieBytes % wordBytes != 0 || trieBytes > blob.size() - wordBytes)
        throw Error(ErrorKind::Input, sentence("the precompiled character map is damaged"), where,
                    sentence("Download the file again"));
    for (std::size_t position = wordBytes; position < wordBytes + trieBytes; position += wordBytes)
        m_trie.push_back(littleEndianWord(blob, position));
    m_replacements = blob.substr(wordBytes + trieBytes);
    if (!fromStrictUtf8(m_replacements))
        throw Error(ErrorKind::Input, sentence("the precompiled character map is not UTF-8"), where,
                    sentence("Download the file again"));
}

std::optional<std::string_view> PrecompiledCharsmap::find(std::string_view chunk) const {
    std::size_t node = childOffset(m_trie[0]);
    for (const char character : chunk) {
        const auto byte = static_cast<unsigned char>(character);
        node ^= byte;
        if (byte == 0 || node >= m_trie.size() || label(m_trie[node]) != byte)
            return {};
        const std::uint32_t unit = m_trie[node];
        node ^= childOffset(unit);
        if (!hasLeaf(unit) || node >= m_trie.size())
            continue;
        const std::size_t begin = leafValue(m_trie[node]);
        if (begin > m_replacements.size())
            return {};
        return std::string_view(m_replacements).substr(begin, m_replacements.find('\0', begin) - begin);
    }
    return {};
}

std::string PrecompiledCharsmap::normalize(const std::string& utf8) const {
    std::string result;
    std::size_t begin = 0;
    for (const std::size_t end : clusterEnds(utf8)) {
        std::string_view cluster = std::string_view(utf8).substr(begin, end - begin);
        begin = end;
        if (cluster.size() <= longestWholeCluster) {
            if (const auto replacement = find(cluster)) {
                result += *replacement;
                continue;
            }
        }
        while (!cluster.empty()) {
            const std::string_view character = cluster.substr(0, characterLength(cluster));
            result += find(character).value_or(character);
            cluster.remove_prefix(character.size());
        }
    }
    return result;
}

using nlohmann::json;

TextNormalizer readNormalizers(const json& description, const std::string& where) {
    std::vector<TextNormalizer> steps;
    for (const json& step : description.at("normalizers"))
        steps.push_back(readNormalizer(step, where));
    return [steps](std::string text) {
        for (const TextNormalizer& step : steps)
            text = step(text);
        return text;
    };
}

TextNormalizer readPrecompiled(const json& description, const std::string& where) {
    const auto blob = decodeBase64(description.at("precompiled_charsmap").get_ref<const std::string&>());
    if (!blob)
        throw Error(ErrorKind::Input, sentence("the precompiled character map is not base64"), where,
                    sentence("Download the file again"));
    auto map = std::make_shared<const PrecompiledCharsmap>(*blob, where);
    return [map](const std::string& text) { return map->normalize(text); };
}

TextNormalizer readStrip(const json& description, const std::string&) {
    const bool left = description.at("strip_left").get<bool>();
    const bool right = description.at("strip_right").get<bool>();
    return [left, right](const std::string& utf8) {
        const std::u32string text = fromUtf8(utf8);
        const auto visible = [](char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) == 0; };
        const auto begin = left ? std::find_if(text.begin(), text.end(), visible) : text.begin();
        const auto end = right ? std::find_if(text.rbegin(), text.rend(), visible).base() : text.end();
        return begin < end ? toUtf8(std::u32string(begin, end)) : std::string();
    };
}

std::string replaceMatches(const icu::RegexPattern& pattern, const std::string& utf8,
                           const icu::UnicodeString& content) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::UnicodeString text = icu::UnicodeString::fromUTF8(utf8);
    const std::unique_ptr<icu::RegexMatcher> matcher(pattern.matcher(text, status));
    icu::UnicodeString result;
    std::int32_t copied = 0;
    while (U_SUCCESS(status) && matcher->find(status)) {
        const std::int32_t begin = matcher->start(status);
        result.append(text, copied, begin - copied).append(content);
        copied = matcher->end(status);
    }
    if (U_FAILURE(status))
        throw Error(ErrorKind::Internal,
                    fmt::format("a tokenizer's pattern failed ({})", u_errorName(status)));
    result.append(text, copied, text.length() - copied);
    std::string replaced;
    return result.toUTF8String(replaced);
}

TextNormalizer readReplace(const json& description, const std::string& where) {
    const json& pattern = description.at("pattern");
    const auto content = icu::UnicodeString::fromUTF8(description.at("content").get<std::string>());
    const bool literal = pattern.contains("String");
    const auto source = pattern.at(literal ? "String" : "Regex").get<std::string>();
    UErrorCode status = U_ZERO_ERROR;
    const std::shared_ptr<const icu::RegexPattern> compiled(icu::RegexPattern::compile(
        icu::UnicodeString::fromUTF8(source), literal ? UREGEX_LITERAL : 0, status));
    if (U_FAILURE(status))
        throw Error(ErrorKind::Input, sentence("the pattern '{:.80}' is not understood", source), where,
                    sentence("Remove tokenizer.json to use spiece.model instead"));
    return [compiled, content](const std::string& text) { return replaceMatches(*compiled, text, content); };
}

template <NormalizationForm form>
TextNormalizer readUnicodeForm(const json&, const std::string&) {
    return [](const std::string& text) { return toUtf8(normalize(fromUtf8(text), form)); };
}

struct NormalizerKind {
    std::string_view type;
    TextNormalizer (*read)(const json& description, const std::string& where);
};

constexpr std::array normalizerKinds = {
    NormalizerKind{"Sequence", readNormalizers},
    NormalizerKind{"Precompiled", readPrecompiled},
    NormalizerKind{"Strip", readStrip},
    NormalizerKind{"Replace", readReplace},
    NormalizerKind{"NFC", readUnicodeForm<NormalizationForm::Nfc>},
    NormalizerKind{"NFD", readUnicodeForm<NormalizationForm::Nfd>},
    NormalizerKind{"NFKC", readUnicodeForm<NormalizationForm::Nfkc>},
    NormalizerKind{"NFKD", readUnicodeForm<NormalizationForm::Nfkd>},
};

}  // namespace

TextNormalizer readNormalizer(const json& description, const std::string& where) {
    if (description.is_null())
        return [](const std::string& text) { return text; };
    const auto type = description.at("type").get<std::string>();
    const auto* kind = std::ranges::find(normalizerKinds, type, &NormalizerKind::type);
    if (kind == normalizerKinds.end())
        throw Error(ErrorKind::Input, sentence("the normalizer '{:.80}' is not supported", type), where,
                    sentence("Remove tokenizer.json to use spiece.model instead"));
    return kind->read(description, where);
}

namespace {

constexpr double unknownPenalty = 10.0;  // below the worst piece, as in SentencePiece

Sentence fix() {
    return sentence("Remove tokenizer.json to use spiece.model instead");
}

}  // namespace

UnigramModel UnigramModel::read(const nlohmann::json& description, const std::string& where) {
    const std::string type = description.value("type", "");
    if (type != "Unigram")
        throw Error(ErrorKind::Input,
                    sentence("the tokenizer model '{:.80}' is not supported, only Unigram is", type), where,
                    fix());
    UnigramModel model;
    model.m_where = where;
    model.m_byteFallback = description.value("byte_fallback", false);
    const nlohmann::json& vocabulary = description.at("vocab");
    double lowest = std::numeric_limits<double>::infinity();
    model.m_pieces.reserve(vocabulary.size());
    for (const nlohmann::json& entry : vocabulary) {
        const auto id = static_cast<std::int64_t>(model.m_pieces.size());
        model.m_pieces.push_back({entry.at(0).get<std::string>(), id, entry.at(1).get<double>()});
        lowest = std::min(lowest, model.m_pieces.back().score);
    }
    model.m_unknownScore = lowest - unknownPenalty;
    if (const auto unknown = description.find("unk_id"); unknown != description.end() && !unknown->is_null())
        model.m_unknownId = unknown->get<std::int64_t>();
    if (model.m_unknownId && (*model.m_unknownId < 0 || *model.m_unknownId >= std::ssize(model.m_pieces)))
        throw Error(ErrorKind::Input,
                    sentence("unk_id {} is none of the {} pieces", *model.m_unknownId, model.m_pieces.size()),
                    where, sentence("Download the file again"));
    // The last of pieces given twice counts.
    std::sort(model.m_pieces.begin(), model.m_pieces.end(), [](const Piece& a, const Piece& b) {
        return a.text != b.text ? a.text < b.text : a.id > b.id;
    });
    const auto last = std::unique(model.m_pieces.begin(), model.m_pieces.end(),
                                  [](const Piece& a, const Piece& b) { return a.text == b.text; });
    model.m_pieces.erase(last, model.m_pieces.end());
    return model;
}

template <typename Visit>
void UnigramModel::forEachPrefix(std::string_view text, Visit visit) const {
    auto first = m_pieces.begin();
    auto last = m_pieces.end();
    for (std::size_t depth = 0; depth < text.size(); ++depth) {
        const int wanted = static_cast<unsigned char>(text[depth]);
        const auto byteAt = [depth](const Piece& piece) {
            return depth < piece.text.size() ? static_cast<unsigned char>(piece.text[depth]) : -1;
        };
        first = std::partition_point(first, last, [&](const Piece& piece) { return byteAt(piece) < wanted; });
        last = std::partition_point(first, last, [&](const Piece& piece) { return byteAt(piece) == wanted; });
        if (first == last)
            return;
        if (first->text.size() == depth + 1)
            visit(*first);
    }
}

std::vector<UnigramModel::Arrival> UnigramModel::bestPaths(std::string_view text) const {
    std::vector<Arrival> best(text.size() + 1);
    const auto offer = [&best](std::size_t begin, std::size_t length, double pieceScore, std::int64_t id) {
        Arrival& arrival = best[begin + length];
        const double score = pieceScore + best[begin].score;
        if (!arrival.reached || score > arrival.score)
            arrival = {score, begin, id, true};
    };
    for (std::size_t begin = 0; begin < text.size();) {
        const std::string_view rest = text.substr(begin);
        const std::size_t character = characterLength(rest);
        bool known = false;
        forEachPrefix(rest, [&](const Piece& piece) {
            offer(begin, piece.text.size(), piece.score, piece.id);
            known = known || piece.text.size() == character;
        });
        if (!known && !m_unknownId)
            throw Error(ErrorKind::Input,
                        sentence("'{}' is in no piece, and there is none for unknown characters",
                                 rest.substr(0, character)),
                        m_where, fix());
        if (!known)
            offer(begin, character, m_unknownScore, *m_unknownId);
        begin += character;
    }
    return best;
}

std::optional<std::int64_t> UnigramModel::find(std::string_view piece) const {
    const auto found = std::lower_bound(m_pieces.begin(), m_pieces.end(), piece,
                                        [](const Piece& a, std::string_view b) { return a.text < b; });
    if (found == m_pieces.end() || found->text != piece)
        return {};
    return found->id;
}

/// Adds its id, else those of its bytes if the model falls back to them, else that of the unknown piece.
void UnigramModel::addPiece(std::string_view piece, TokenIds& ids) const {
    if (const auto id = find(piece)) {
        ids.push_back(*id);
        return;
    }
    TokenIds bytes;
    for (const char byte : piece)
        if (const auto id = find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte))))
            bytes.push_back(*id);
    if (m_byteFallback && bytes.size() == piece.size())
        ids.insert(ids.end(), bytes.begin(), bytes.end());
    else
        ids.push_back(m_unknownId.value());
}

TokenIds UnigramModel::encode(std::string_view text) const {
    const std::vector<Arrival> best = bestPaths(text);
    std::vector<std::string_view> pieces;  // last first
    bool openUnknown = false;
    for (std::size_t end = text.size(); end > 0;) {
        const Arrival& arrival = best[end];
        const std::string_view piece = text.substr(arrival.begin, end - arrival.begin);
        const bool unknown = m_unknownId && arrival.id == *m_unknownId;
        if (unknown && openUnknown)
            pieces.back() = text.substr(arrival.begin, piece.size() + pieces.back().size());
        else
            pieces.push_back(piece);
        openUnknown = unknown;
        end = arrival.begin;
    }
    TokenIds ids;
    std::for_each(pieces.rbegin(), pieces.rend(), [&](std::string_view piece) { addPiece(piece, ids); });
    return ids;
}

}  // namespace meshreel
