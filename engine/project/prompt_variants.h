// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// Marks where a style takes the prompt that it is put around.
inline constexpr std::string_view promptMark = "{prompt}";

/// Alternatives between braces that belong together: {red|blue}.
struct PromptChoice {
    std::size_t begin = 0;  ///< of the opening brace
    std::size_t end = 0;    ///< behind the closing one
    std::vector<std::string> options;
};

/// Returns the first choice from `from` on, of nested ones the outermost; nothing where there is none.
std::optional<PromptChoice> firstChoice(const std::string& text, std::size_t from = 0);

/// Returns every text that a prompt with alternatives stands for, the last choice changing fastest: "a
/// {red|blue} {ball|cube}" gives four. Choices may be empty and nested; braces without a bar stay unchanged.
/// Returns at most the first `most`, because a typing mistake can make many.
std::vector<std::string> promptVariants(const std::string& prompt, std::size_t most);

/// Warns of braces that a run takes for words of the prompt: alternatives, and the mark of a style.
std::vector<Problem> promptProblems(const std::string& prompt);

}  // namespace meshreel
