// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace meshreel {

/// The beginning of a text that a file holds, for a message: at most `bytes` of it, and a '?' for each that
/// is no printable ASCII. Texts of damaged files are not always UTF-8, which fmt's widths and precisions take
/// them for.
std::string excerpt(std::string_view text, std::size_t bytes = 80);

}  // namespace meshreel
