// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// HTML5 character references as Python's html.unescape resolves them: numeric ones and named ones, with or
/// without semicolon, the longest known prefix of a name included.
std::u32string unescapeHtml(std::u32string_view text);

/// Resolves references as ftfy does: only those that end in a semicolon, and besides the HTML5 names those of
/// lower-case entities in capitals ("&EACUTE;").
std::u32string unescapeUnambiguousHtml(std::u32string_view text);

/// ftfy.fix_text (6.3) with its default configuration: mojibake, HTML entities (unless a '<' shows that the
/// text is HTML), ligatures, character widths, curly quotes, line breaks, terminal escapes, control
/// characters, NFC. `text` holds no surrogates (fromUtf8 gives none), so ftfy's step for them has nothing to
/// do.
std::u32string fixText(std::u32string_view text);

/// Returns the prompt as diffusers' Wan pipelines hand it to the tokenizer (prompt_clean): ftfy.fix_text,
/// html.unescape twice, strip, runs of white space to one space, strip. `utf8` that is not valid UTF-8 has
/// U+FFFD in its place.
std::string cleanPrompt(std::string_view utf8);

}  // namespace meshreel
