// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/precompiled_charsmap.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <memory>

#include "engine/base/error.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

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

}  // namespace

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

}  // namespace meshreel
