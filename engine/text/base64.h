// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace meshreel {

/// RFC 4648 base64 with padding.
std::string encodeBase64(std::string_view bytes);

/// What encodeBase64() was given. Nothing when `text` is malformed.
std::optional<std::string> decodeBase64(std::string_view text);

}  // namespace meshreel
