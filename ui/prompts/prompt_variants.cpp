// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompts/prompt_variants.h"

#include <optional>

namespace meshreel {

namespace {

constexpr qsizetype mostVariants = 1000;  ///< a slip of a key must not fill the queue

/// Alternatives between braces that belong together.
struct Choice {
    qsizetype begin = 0;  ///< of the opening brace
    qsizetype end = 0;    ///< behind the closing one
    QStringList options;
};

/// The choice that the brace at `begin` opens; nothing where it is not closed or offers only one thing.
std::optional<Choice> choiceAt(const QString& text, qsizetype begin) {
    Choice choice{.begin = begin, .end = 0, .options = {}};
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

std::optional<Choice> firstChoice(const QString& text) {
    for (qsizetype begin = text.indexOf(QLatin1Char('{')); begin >= 0;
         begin = text.indexOf(QLatin1Char('{'), begin + 1))
        if (auto choice = choiceAt(text, begin))
            return choice;
    return std::nullopt;
}

}  // namespace

QStringList promptVariants(const QString& prompt) {
    const std::optional<Choice> choice = firstChoice(prompt);
    if (!choice)
        return {prompt};
    QStringList variants;
    for (const QString& option : choice->options) {
        variants += promptVariants(prompt.left(choice->begin) + option + prompt.mid(choice->end));
        if (variants.size() >= mostVariants)
            return variants.mid(0, mostVariants);
    }
    return variants;
}

}  // namespace meshreel
