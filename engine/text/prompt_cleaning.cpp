// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/prompt_cleaning.h"

#include "engine/text/fix_text.h"
#include "engine/text/html_entities.h"
#include "engine/text/unicode.h"

namespace meshreel {
namespace {

/// Runs of white space become one space; none is left at the ends.
std::u32string collapseSpaces(std::u32string_view text) {
    std::u32string result;
    bool pending = false;
    for (const char32_t character : text) {
        if (isPythonSpace(character)) {
            pending = !result.empty();
            continue;
        }
        if (pending)
            result += U' ';
        pending = false;
        result += character;
    }
    return result;
}

}  // namespace

std::string cleanPrompt(std::string_view utf8) {
    const std::u32string fixed = fixText(fromUtf8(utf8));
    return toUtf8(collapseSpaces(unescapeHtml(unescapeHtml(fixed))));
}

}  // namespace meshreel
