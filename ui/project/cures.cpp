// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/cures.h"

#include <QCoreApplication>
#include <algorithm>
#include <string>
#include <utility>

#include "engine/planning/fixes.h"
#include "engine/project/project_keys.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

struct Cures {
    Q_DECLARE_TR_FUNCTIONS(meshreel::Cures)
};

bool isKnown(const std::vector<ProjectProblem>& problems, const ProjectProblem& problem) {
    return std::ranges::any_of(problems, [&](const ProjectProblem& known) {
        return known.key == problem.key && known.message == problem.message;
    });
}

}  // namespace

QString cureLabel(const Cure& cure) {
    const auto filled = [](const QString& words, const KeyText& change) {
        return words.arg(engineText(change.key->title), change.text);
    };
    if (cure.changes.size() == 1)
        return filled(Cures::tr("Set %1 to %2", "title of a setting, value"), cure.changes.front());
    QStringList settings;
    for (const KeyText& change : cure.changes)
        settings +=
            filled(Cures::tr("%1 to %2", "title of a setting, value; one of several in “Set …”"), change);
    return Cures::tr("Set %1", "several settings with their values").arg(settings.join(QStringLiteral(", ")));
}

std::vector<ProjectProblem> joined(std::vector<ProjectProblem> known,
                                   const std::vector<ProjectProblem>& more) {
    for (const ProjectProblem& problem : more)
        if (problem.key != "prompt" && !isKnown(known, problem))
            known.push_back(problem);
    return known;
}

std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<ProjectProblem>& more,
                                const ModelFacts* model) {
    std::vector<ProjectProblem> problems = joined(document.problems(), more);
    putErrorsFirst(problems);
    const EditedProject edited = document.edited();
    std::vector<Diagnosis> diagnoses;
    for (ProjectProblem& problem : problems) {
        std::vector<Cure> cures;
        for (const KeyChanges& fix : findFixes(problem, edited, model))
            cures.push_back({keyTexts(fix)});
        diagnoses.push_back({std::move(problem), std::move(cures)});
    }
    return diagnoses;
}

}  // namespace meshreel
