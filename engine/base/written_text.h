// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Texts as people's editors, spreadsheets, keyboards and file systems write them: every reader of a file that
// a person wrote begins here.

namespace meshreel {

/// U+FEFF in UTF-8, which Windows programs and spreadsheets put first.
inline constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

/// Returns the text without a byte order mark at its beginning.
std::string_view withoutByteOrderMark(std::string_view text);

/// Returns the lines of a text, without their ends: \n, \r\n, or \r alone as old Macs have it. No empty line
/// follows the last end.
std::vector<std::string_view> textLines(std::string_view text);

/// Returns how many of these ends a text holds.
std::size_t countLineEnds(std::string_view text);

/// Returns what a Latin keyboard writes for a character that is read as the same sign: ASCII for full-width
/// forms, for decimal digits of other scripts, typographic quotes, dashes and spaces. Nothing (0) for marks
/// that cannot be seen: zero-width ones, U+FEFF, the soft hyphen. Every other character is itself.
char32_t plainForm(char32_t character);

/// Returns the text in plainForm(), where every character of UTF-8 has one. Bytes that are not UTF-8 stay.
std::string plainText(std::string_view utf8);

/// Returns the text with "\\u200b" and the like for marks that cannot be seen and spaces that look like
/// others, for messages that show why two names differ.
std::string shownText(std::string_view utf8);

/// A text in plain form, and where each of its bytes comes from.
struct PlainText {
    std::string text;
    std::vector<std::size_t> origin;  ///< of each byte, and of the end: a place in the original
};
PlainText placedPlainText(std::string_view utf8);

/// Returns the path of what is there under this name in Unicode's other normal form, as macOS writes names
/// into archives and onto network drives: "é" as one character or as two. The path itself where it is there,
/// and where no single such twin is.
std::filesystem::path twinOf(const std::filesystem::path& path);

}  // namespace meshreel
