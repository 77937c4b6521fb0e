// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/project/project_problem.h"
#include "ui/project/project_document.h"

namespace meshreel {

struct ModelFacts;

/// Keys set to texts, all at once; at least one.
struct Cure {
    std::vector<KeyText> changes;

    friend bool operator==(const Cure&, const Cure&) = default;
};

/// "Set Frames to 17", "Set Width to 640, Height to 368".
QString cureLabel(const Cure& cure);

/// A problem with the changes that end it.
struct Diagnosis {
    ProjectProblem problem;
    std::vector<Cure> cures;
};

/// `known`, and behind it those of `more` that it does not hold; but for prompts, which a forecast makes up.
std::vector<ProjectProblem> joined(std::vector<ProjectProblem> known,
                                   const std::vector<ProjectProblem>& more);

/// Every problem of the document, and those of `more` that it does not know of, errors first, each with the
/// changes that end it (findFixes()). `model` may be null.
std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<ProjectProblem>& more,
                                const ModelFacts* model);

}  // namespace meshreel
