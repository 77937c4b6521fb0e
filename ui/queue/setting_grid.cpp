// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/setting_grid.h"

#include <QRegularExpression>
#include <algorithm>
#include <optional>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/prompts/prompt_variants.h"

namespace meshreel {

namespace {

constexpr qlonglong longestRange = 1000;  ///< values of one "a..b": a slip of a key must not fill the queue

bool isInteger(const ProjectKey& key) {
    return std::holds_alternative<std::int64_t Project::*>(key.member);
}

bool isPrompt(const ProjectKey& key) {
    return key.name == "prompt" || key.name == "negative_prompt";
}

/// "3..6" in full; any other text as it is.
QStringList expanded(const QString& text) {
    static const QRegularExpression range(QStringLiteral("^(-?\\d+)\\s*\\.\\.\\s*(-?\\d+)$"));
    const QRegularExpressionMatch match = range.match(text);
    if (!match.hasMatch())
        return {text};
    const qlonglong first = match.captured(1).toLongLong();
    const qlonglong last = std::min(match.captured(2).toLongLong(), first + longestRange - 1);
    QStringList values;
    for (qlonglong value = first; value <= last; ++value)
        values += QString::number(value);
    return values;
}

/// What keeps the project with these texts from running; nothing when it can.
std::optional<ProjectProblem> apply(Project& project, const std::vector<GridAxis>& axes,
                                    const std::vector<qsizetype>& place) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (auto problem =
                trySetFromText(project, *axes[axis].key, axes[axis].values.at(place[axis]).toStdString()))
            return problem;
    const std::vector<ProjectProblem> problems = validate(project);
    const auto error = std::ranges::find(problems, Severity::Error, &ProjectProblem::severity);
    return error == problems.end() ? std::nullopt : std::optional(*error);
}

/// The next combination; false behind the last.
bool advance(std::vector<qsizetype>& place, const std::vector<GridAxis>& axes) {
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        if (++place[axis] < axes[axis].values.size())
            return true;
        place[axis] = 0;
    }
    return false;
}

}  // namespace

QStringList gridValues(const ProjectKey& key, const QString& text) {
    static const QRegularExpression lines(QStringLiteral("\\n"));
    static const QRegularExpression linesAndCommas(QStringLiteral("[\\n,]"));
    QStringList values;
    for (const QString& part : text.split(isInteger(key) ? linesAndCommas : lines)) {
        const QString value = part.trimmed();
        if (!value.isEmpty())
            values += isInteger(key)  ? expanded(value)
                      : isPrompt(key) ? promptVariants(value)
                                      : QStringList{value};
    }
    return values;
}

SettingGrid settingGrid(const Project& base, const std::vector<GridAxis>& axes) {
    SettingGrid grid;
    if (axes.empty() || std::ranges::any_of(axes, [](const GridAxis& axis) { return axis.values.isEmpty(); }))
        return grid;
    std::vector<qsizetype> place(axes.size(), 0);
    do {
        Project project = base;
        if (const auto problem = apply(project, axes, place)) {
            if (grid.refused++ == 0)
                grid.refusal = withHint(sentenceText(problem->message), sentenceText(problem->hint));
        } else {
            grid.projects.push_back(std::move(project));
        }
    } while (advance(place, axes));
    return grid;
}

}  // namespace meshreel
