// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// The text as a terminal or a window may show it, whoever wrote it: in place of controls, marks that turn
/// the direction of writing or end a line unseen, and bytes that are not UTF-8 stand "\x1b", "\u202e" and the
/// like. Newlines and tabs stay.
std::string visibleText(std::string_view text);

}  // namespace meshreel
