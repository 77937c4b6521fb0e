// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/setting_grid.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <optional>

#include "engine/project/project_keys.h"
#include "ui/models/key_texts.h"
#include "ui/prompts/prompt_variants.h"

namespace meshreel {

namespace {

struct GridTexts {
    Q_DECLARE_TR_FUNCTIONS(meshreel::GridTexts)
};

bool isInteger(const ProjectKey& key) {
    return std::holds_alternative<std::int64_t Project::*>(key.member) ||
           std::holds_alternative<Seed Project::*>(key.member);
}

/// Whether no value of the key holds a comma.
bool separatesAtCommas(const ProjectKey& key) {
    return !std::holds_alternative<std::string Project::*>(key.member)
               ? !std::holds_alternative<LoraList Project::*>(key.member)
               : key.choices != nullptr;
}

bool isPrompt(const ProjectKey& key) {
    return key.name == "prompt" || key.name == "negative_prompt";
}

/// "3..6" in full, "6..3" backwards; any other text as it is.
QStringList expanded(const QString& text) {
    static const QRegularExpression range(QStringLiteral("^(-?\\d+)\\s*\\.\\.\\s*(-?\\d+)$"));
    const QRegularExpressionMatch match = range.match(text);
    bool isFirst = false;
    bool isLast = false;
    const qlonglong last = match.captured(2).toLongLong(&isLast);
    qlonglong value = match.captured(1).toLongLong(&isFirst);
    if (!isFirst || !isLast)
        return {text};
    QStringList values{QString::number(value)};
    while (value != last && values.size() <= mostGridRuns) {
        value += value < last ? 1 : -1;
        values += QString::number(value);
    }
    return values;
}

/// Why these axes span no grid; empty when they do.
QString problemOf(const std::vector<GridAxis>& axes) {
    if (axes.empty())
        return GridTexts::tr("Choose a setting and write its values.");
    qsizetype combinations = 1;
    for (const GridAxis& axis : axes) {
        if (std::ranges::count(axes, axis.key, &GridAxis::key) > 1)
            return GridTexts::tr("“%1” is chosen more than once: write all of its values into one field.")
                .arg(distinctTitle(*axis.key));
        if (axis.values.isEmpty())
            return GridTexts::tr("Write at least one value of “%1”.").arg(distinctTitle(*axis.key));
        combinations = std::min(combinations * axis.values.size(), mostGridRuns + 1);
    }
    if (combinations > mostGridRuns)
        return GridTexts::tr("These are more than %1 runs, the most that a grid adds: leave some values out.")
            .arg(mostGridRuns);
    return {};
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
    for (const QString& part : text.split(separatesAtCommas(key) ? linesAndCommas : lines)) {
        const QString value = part.trimmed();
        if (!value.isEmpty())
            values += isInteger(key)  ? expanded(value)
                      : isPrompt(key) ? promptVariants(value, mostGridRuns + 1)
                                      : QStringList{value};
    }
    values.removeDuplicates();
    return values.mid(0, mostGridRuns + 1);
}

SettingGrid settingGrid(const Project& base, const std::vector<GridAxis>& axes) {
    SettingGrid grid;
    grid.problem = problemOf(axes);
    if (!grid.problem.isEmpty())
        return grid;
    for (const GridAxis& axis : axes)
        grid.varied.emplace_back(axis.key->name);
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
