// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// HTML5 character references as Python's html.unescape resolves them: numeric ones and named ones, with or
/// without semicolon, the longest known prefix of a name included.
std::u32string unescapeHtml(std::u32string_view text);

/// As ftfy resolves them: only references that end in a semicolon, and besides the HTML5 names those of
/// lower-case entities in capitals ("&EACUTE;").
std::u32string unescapeUnambiguousHtml(std::u32string_view text);

}  // namespace meshreel
