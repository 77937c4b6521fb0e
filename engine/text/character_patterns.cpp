// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/character_patterns.h"

#include <unicode/unistr.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

icu::UnicodeSet parseSet(const std::string& pattern) {
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeSet set(icu::UnicodeString::fromUTF8(pattern), status);
    if (U_FAILURE(status))
        throw Error(ErrorKind::Internal, "the character class " + pattern + " is malformed");
    set.freeze();
    return set;
}

}  // namespace

CharacterPatterns::CharacterPatterns(std::span<const std::string> rows) {
    for (const std::string& row : rows) {
        std::vector<icu::UnicodeSet>& sets = m_alternatives.emplace_back();
        for (std::size_t begin = 0; begin < row.size();) {
            const std::size_t end = std::min(row.find(' ', begin), row.size());
            sets.push_back(parseSet(row.substr(begin, end - begin)));
            begin = end + 1;
        }
    }
}

}  // namespace meshreel
