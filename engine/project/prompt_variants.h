// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// Marks where a style takes the prompt that it is put around.
inline constexpr std::string_view promptMark = "{prompt}";

/// Returns every text that a prompt with alternatives stands for, the last choice changing fastest: "a
/// {red|blue} {ball|cube}" gives four. Choices may be empty and nested; braces without a bar stay unchanged.
/// Returns at most the first `most`, because a typing mistake can make many.
std::vector<std::string> promptVariants(const std::string& prompt, std::size_t most);

/// Warns of braces that a run takes for words of the prompt: alternatives, and the mark of a style.
std::vector<Problem> promptProblems(const std::string& prompt);

}  // namespace meshreel
