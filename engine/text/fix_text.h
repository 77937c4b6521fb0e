// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// ftfy.fix_text (6.3) with its default configuration: mojibake, HTML entities (unless a '<' shows that the
/// text is HTML), ligatures, character widths, curly quotes, line breaks, terminal escapes, control
/// characters, NFC. `text` holds no surrogates (fromUtf8 gives none), so ftfy's step for them has nothing to
/// do.
std::u32string fixText(std::u32string_view text);

}  // namespace meshreel
