// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/planning/run_plan.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// What is worth knowing about the files of a project's model, as warnings at the keys that name them.
std::vector<ProjectProblem> modelFileWarnings(const Project& project, const ModelFacts& model);

/// What keeps no run from starting but is worth knowing before: the same of the plan's model, another frame
/// rate than the model's, a curve of another model, more workers than the `cpus` of this process, and memory
/// that is nearly used up. Each at the key to blame.
std::vector<ProjectProblem> planWarnings(const RunPlan& plan, int cpus);

/// Something that is as it should be, told at its key.
struct PlanNote {
    std::string key;
    Sentence message;
    Sentence detail;

    friend bool operator==(const PlanNote&, const PlanNote&) = default;
};

/// What the plan's adapters do, at the key that brings them in.
struct AdapterFindings {
    std::vector<ProjectProblem> warnings;  ///< keys that fit nothing, and what is not applied
    std::vector<PlanNote> notes;           ///< of the others: what they change
};
AdapterFindings adapterFindings(const RunPlan& plan);

}  // namespace meshreel
