// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace meshreel {

/// The prompt as diffusers' Wan pipelines hand it to the tokenizer (prompt_clean): ftfy.fix_text,
/// html.unescape twice, strip, runs of white space to one space, strip. `utf8` that is not valid UTF-8 has
/// U+FFFD in its place.
std::string cleanPrompt(std::string_view utf8);

}  // namespace meshreel
