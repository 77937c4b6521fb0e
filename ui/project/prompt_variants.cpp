// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/prompt_variants.h"

#include <optional>

namespace meshreel {

namespace {

/// Alternatives between braces that belong together.
struct VariantChoice {
    qsizetype begin = 0;  ///< of the opening brace
    qsizetype end = 0;    ///< behind the closing one
    QStringList options;
};

/// The choice that the brace at `begin` opens; nothing where it is not closed or offers only one thing.
std::optional<VariantChoice> choiceAt(const QString& text, qsizetype begin) {
    VariantChoice choice{.begin = begin, .end = 0, .options = {}};
    int depth = 0;
    qsizetype option = begin + 1;
    for (qsizetype place = begin; place < text.size(); ++place) {
        const QChar letter = text[place];
        depth += letter == QLatin1Char('{') ? 1 : letter == QLatin1Char('}') ? -1 : 0;
        const bool closed = depth == 0;
        if (!closed && !(depth == 1 && letter == QLatin1Char('|')))
            continue;
        choice.options += text.mid(option, place - option);
        option = place + 1;
        if (closed) {
            choice.end = place + 1;
            return choice.options.size() > 1 ? std::optional(choice) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<VariantChoice> firstChoice(const QString& text) {
    for (qsizetype begin = text.indexOf(QLatin1Char('{')); begin >= 0;
         begin = text.indexOf(QLatin1Char('{'), begin + 1))
        if (auto choice = choiceAt(text, begin))
            return choice;
    return std::nullopt;
}

}  // namespace

QStringList promptVariants(const QString& prompt, qsizetype most) {
    const std::optional<VariantChoice> choice = firstChoice(prompt);
    if (!choice)
        return {prompt};
    QStringList variants;
    for (const QString& option : choice->options) {
        variants += promptVariants(prompt.left(choice->begin) + option + prompt.mid(choice->end), most);
        if (variants.size() >= most)
            return variants.mid(0, most);
    }
    return variants;
}

std::vector<Problem> promptProblems(const std::string& prompt) {
    const QString text = QString::fromStdString(prompt);
    std::vector<Problem> problems;
    const auto warn = [&problems](ProblemId id, Sentence message, Sentence hint) {
        problems.push_back({.id = id,
                            .severity = Severity::Warning,
                            .key = "prompt",
                            .message = std::move(message),
                            .fixes = byHand(std::move(hint))});
    };
    if (text.contains(styleMark))
        warn("prompt-is-a-style", sentence("The prompt holds {{prompt}}, which a run takes as words"),
             sentence("Write what the video should show in its place, or use it as a style from Prompts"));
    if (firstChoice(text))
        warn("prompt-has-variants",
             sentence("The prompt offers alternatives in braces, which a run takes as words"),
             sentence("Write one of them, or add a grid to the queue, which runs them all"));
    return problems;
}

}  // namespace meshreel
