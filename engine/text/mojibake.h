// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// Undoes decodings of UTF-8 as another encoding, layer by layer, as ftfy.fix_encoding with its default
/// configuration.
std::u32string fixEncoding(std::u32string text);

/// C1 controls replaced by what their bytes mean in Windows-1252.
std::u32string fixC1Controls(std::u32string_view text);

}  // namespace meshreel
