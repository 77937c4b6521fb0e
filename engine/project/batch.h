// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// One video of a run.
struct BatchItem {
    std::string prompt;
    Seed seed = 0;

    friend bool operator==(const BatchItem&, const BatchItem&) = default;
};

/// The videos that the project's run makes, every prompt with every seed; one at least.
std::vector<BatchItem> batchItems(const Project& project);

/// The project of one of its videos alone.
Project projectOf(const Project& batch, const BatchItem& item);

/// The project with a number drawn for each seed that it leaves open; what a run makes and records.
Project withDrawnSeeds(Project project);

std::vector<ProjectProblem> batchProblems(const Project& project);

}  // namespace meshreel
