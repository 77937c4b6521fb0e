// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// One line of a YAML text being edited; line numbers stay what they were until joinLines().
struct EditedLine {
    std::string text = {};
    std::string before = {};  ///< whole lines to put in front
    std::string after = {};   ///< whole lines to put behind
    bool kept = true;
};

std::vector<EditedLine> splitLines(const std::string& text);

/// Returns the text of the lines, each with its end.
std::string joinLines(const std::vector<EditedLine>& lines);

/// Returns a line "key: value  # comment", which may begin a list's item, with another value, as YAML; key,
/// spacing and comment stay.
std::string withLineValue(std::string_view line, std::string_view value);

/// Returns the blanks that a line begins with.
std::string_view leadingBlanks(std::string_view line);

/// Returns whether a line is nothing but a comment, blanks or a document mark.
bool holdsNoKey(std::string_view line);

}  // namespace meshreel
