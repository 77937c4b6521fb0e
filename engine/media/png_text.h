// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace meshreel {

// Texts in PNG files (iTXt of the PNG specification, 11.3.3.4), not packed. Other programs keep them or drop
// them, but do not read them as anything else.

/// What a text may have.
inline constexpr std::size_t mostPngTextBytes = std::size_t{256} << 10;

/// Returns the first text of this keyword; nothing for a file that is no PNG, holds none, or holds it packed,
/// damaged or too long. Reads no more of the file than the heads of its chunks and that text. Throws
/// Error{Input} for a file that cannot be read.
std::optional<std::string> readPngText(const std::filesystem::path& file, std::string_view keyword);

/// Returns the bytes of a PNG file with this text, UTF-8, in place of others of its keyword. The keyword is
/// of 1 to 79 characters of ASCII. Throws Error{Input} for bytes that are no PNG, Error{Internal} for a text
/// or keyword that cannot stand there.
std::string withPngText(std::string_view png, std::string_view keyword, std::string_view text);

}  // namespace meshreel
