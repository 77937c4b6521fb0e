// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/prompt_variants.h"

#include <optional>
#include <utility>

namespace meshreel {
namespace {

/// Returns the choice that the brace at `begin` opens; nothing when it is not closed or offers only one
/// thing.
std::optional<PromptChoice> choiceAt(const std::string& text, std::size_t begin) {
    PromptChoice choice{.begin = begin, .end = 0, .options = {}};
    int depth = 0;
    std::size_t option = begin + 1;
    for (std::size_t place = begin; place < text.size(); ++place) {
        const char letter = text[place];
        depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
        const bool closed = depth == 0;
        if (!closed && !(depth == 1 && letter == '|'))
            continue;
        choice.options.push_back(text.substr(option, place - option));
        option = place + 1;
        if (closed) {
            choice.end = place + 1;
            return choice.options.size() > 1 ? std::optional(std::move(choice)) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<PromptChoice> firstChoice(const std::string& text, std::size_t from) {
    for (std::size_t begin = text.find('{', from); begin != std::string::npos;
         begin = text.find('{', begin + 1))
        if (auto choice = choiceAt(text, begin))
            return choice;
    return std::nullopt;
}

std::vector<std::string> promptVariants(const std::string& prompt, std::size_t most) {
    const std::optional<PromptChoice> choice = firstChoice(prompt);
    if (!choice)
        return {prompt};
    std::vector<std::string> variants;
    for (const std::string& option : choice->options)
        for (std::string& variant :
             promptVariants(prompt.substr(0, choice->begin) + option + prompt.substr(choice->end), most)) {
            variants.push_back(std::move(variant));
            if (variants.size() == most)
                return variants;
        }
    return variants;
}

std::vector<Problem> promptProblems(const std::string& prompt) {
    std::vector<Problem> problems;
    const auto warn = [&problems](ProblemId id, Sentence message, Sentence hint) {
        problems.push_back({.id = id,
                            .severity = Severity::Warning,
                            .key = "prompt",
                            .message = std::move(message),
                            .fixes = byHand(std::move(hint))});
    };
    if (prompt.find(promptMark) != std::string::npos)
        warn("prompt-is-a-style", sentence("The prompt holds {{prompt}}, which a run takes as words"),
             sentence("Write what the video should show in its place, or use it as a style from Prompts"));
    if (firstChoice(prompt))
        warn("prompt-has-variants",
             sentence("The prompt offers alternatives in braces, which a run takes as words"),
             sentence("Write one of them, or add a grid to the queue, which runs them all"));
    return problems;
}

}  // namespace meshreel
