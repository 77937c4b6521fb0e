// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"

namespace meshreel {

/// Validates a project: returns everything that is wrong with it or worth knowing about it, errors first,
/// each at the key to blame and with the nearest legal values as fixes. Checks the project by itself and, if
/// it has no errors and `model` is not null, what this model cannot make or cannot run on the project's mesh;
/// a task that the model does not do comes with the installed models that do it. Without `ranks`, checks only
/// what holds with any number of processes.
std::vector<Problem> check(const Project& project, const ModelFacts* model = nullptr,
                           std::optional<int> ranks = {});

/// Adds those of more problems whose faults are not among `problems` yet.
void addUnknown(std::vector<Problem>& problems, std::vector<Problem> more);

/// More devices than one of so many processes, on so many CPUs, is asked to carry (deviceOverload()), with
/// the keys that make them fewer.
std::vector<Problem> loadProblems(const Project& project, int ranks, int cpus);

/// Returns what check() finds on the project's model if it is installed, and what its adapters lack. Leaves a
/// model that is not, or that cannot be used, to makePlan().
std::vector<Problem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks = {});

/// Reports that the project's model is not on this machine, or cannot be used as it is, and how to get it: an
/// error, or a warning for a released one, for which a plan can be made. Leaves a model of single files to
/// makePlan().
std::vector<Problem> missingModelProblems(const Project& project);

/// Returns why a model cannot be used, as an error at the key that names it, with the file and tensor at
/// fault.
Problem problemOfModel(const Error& refused);

/// Returns what each of the project's adapters does to the weights of its model, as describeAdapter() says
/// it; nothing when the model is not installed or cannot be used.
std::vector<std::string> adapterDescriptions(const Project& project);

}  // namespace meshreel
