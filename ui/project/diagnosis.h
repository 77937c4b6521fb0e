// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/base/problem.h"
#include "ui/project/project_document.h"

namespace meshreel {

struct ModelFacts;

/// "Set Frames to 17", "Set Width to 640, Height to 368".
QString fixLabel(const std::vector<KeyText>& fix);

/// A problem with the changes that end it.
struct Diagnosis {
    Problem problem;
    std::vector<std::vector<KeyText>> fixes;  ///< each sets its keys at once; at least one

    friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

/// `known`, and behind it those of `more` that it does not hold; but for prompts, which a forecast makes up.
std::vector<Problem> joined(std::vector<Problem> known, const std::vector<Problem>& more);

/// Every problem of the document, and those of `more` that it does not know of, errors first, each with the
/// changes that end it (findFixes()). `model` may be null.
std::vector<Diagnosis> diagnose(const ProjectDocument& document, const std::vector<Problem>& more,
                                const ModelFacts* model);

}  // namespace meshreel
