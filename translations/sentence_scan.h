// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// The pattern of every call of sentence() in a C++ source, in their order; adjacent literals are one.
std::vector<std::string> sentencePatterns(std::string_view source);

}  // namespace meshreel
