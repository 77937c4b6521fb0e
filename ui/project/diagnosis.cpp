// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/diagnosis.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/planning/fixes.h"
#include "engine/project/project_keys.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

struct Fixes {
    Q_DECLARE_TR_FUNCTIONS(meshreel::Fixes)
};

}  // namespace

QString fixLabel(const std::vector<KeyText>& fix) {
    const auto filled = [](const QString& words, const KeyText& change) {
        return words.arg(engineText(change.key->title), change.text);
    };
    if (fix.size() == 1)
        return filled(Fixes::tr("Set %1 to %2", "title of a setting, value"), fix.front());
    QStringList settings;
    for (const KeyText& change : fix)
        settings +=
            filled(Fixes::tr("%1 to %2", "title of a setting, value; one of several in “Set …”"), change);
    return Fixes::tr("Set %1", "several settings with their values").arg(settings.join(QStringLiteral(", ")));
}

std::vector<Problem> joined(std::vector<Problem> known, const std::vector<Problem>& more) {
    std::vector<Problem> others;
    std::ranges::copy_if(more, std::back_inserter(others), [&known](const Problem& problem) {
        return problem.key != "prompt" && !hasFault(known, problem);
    });
    std::ranges::move(others, std::back_inserter(known));
    return known;
}

std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<Problem>& more,
                                const ModelFacts* model) {
    std::vector<Problem> problems = joined(document.problems(), more);
    putErrorsFirst(problems);
    const EditedProject edited = document.edited();
    std::vector<Diagnosis> diagnoses;
    for (Problem& problem : problems) {
        std::vector<std::vector<KeyText>> fixes;
        for (const KeyChanges& fix : findFixes(problem, edited, model))
            fixes.push_back(keyTexts(fix));
        diagnoses.push_back({std::move(problem), std::move(fixes)});
    }
    return diagnoses;
}

}  // namespace meshreel
