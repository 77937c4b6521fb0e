// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/planning/model/model_facts.h"
#include "engine/project/project.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// What of a project, good by itself, this model cannot make or cannot run on the project's mesh; each
/// problem at the key to blame. Without `ranks` only what holds with any number of processes.
std::vector<ProjectProblem> modelProblems(const Project& project, const ModelFacts& model,
                                          std::optional<int> ranks = {});

/// More devices than one of so many processes, on so many CPUs, is asked to carry (deviceOverload()).
std::vector<ProjectProblem> loadProblems(const Project& project, int ranks, int cpus);

/// Adds to a task that the model does not do, if that is among the problems, which installed models do it.
void suggestModels(std::vector<ProjectProblem>& problems, const Project& project, const ModelFacts& model);

/// modelProblems() with such suggestions for the project's model where it is installed. A model that is not,
/// or that cannot be used, is left to makePlan().
std::vector<ProjectProblem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks = {});

/// What each of the project's adapters does to the weights of its model, as describeAdapter() says it;
/// nothing where the model is not installed or cannot be used.
std::vector<std::string> adapterDescriptions(const Project& project);

}  // namespace meshreel
