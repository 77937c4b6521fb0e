// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// One line of a text being edited; line numbers stay what they were until joinLines.
struct EditedLine {
    std::string text = {};
    std::string before = {};  ///< whole lines to put in front
    std::string after = {};   ///< whole lines to put behind
    bool kept = true;
};

std::vector<EditedLine> splitLines(const std::string& text);
std::string joinLines(const std::vector<EditedLine>& lines);

/// A line "key: value  # comment" with another value; key, spacing and comment stay.
std::string withValue(std::string_view line, std::string_view value);

/// Nothing but a comment, blanks or a document mark.
bool holdsNoKey(std::string_view line);

/// The blanks that a line begins with.
std::string_view indentOf(std::string_view line);

}  // namespace meshreel
