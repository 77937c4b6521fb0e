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

/// The changes that the problem brings along; else the nearest legal values of the key to blame, then of keys
/// that its words name, or of several of them at once where one does not do: each was tried, ends the problem
/// and brings no new error. Three at most, limits raised last; none where only a person can tell, and for
/// what neither the project nor its model tells of by itself; for an empty prompt an example. `model` may be
/// null.
std::vector<Cure> curesOf(const ProjectProblem& problem, const ProjectDocument& document,
                          const ModelFacts* model);

/// `known`, and behind it those of `more` that it does not hold; but for prompts, which a forecast makes up.
std::vector<ProjectProblem> joined(std::vector<ProjectProblem> known,
                                   const std::vector<ProjectProblem>& more);

/// Every problem of the document, and those of `more` that it does not know of, errors first.
std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<ProjectProblem>& more,
                                const ModelFacts* model);

}  // namespace meshreel
