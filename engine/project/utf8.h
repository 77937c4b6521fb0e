// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace meshreel {

/// Where the first byte lies that is not part of well-formed UTF-8 (RFC 3629); a zero byte counts as
/// ill-formed.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

/// The code point that starts at `offset` of well-formed UTF-8; `length` is set to its bytes.
char32_t codePointAt(std::string_view text, std::size_t offset, std::size_t& length);

}  // namespace meshreel
