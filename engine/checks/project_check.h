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

/// The validator: everything that is wrong with a project or worth knowing about it, errors first, each at
/// the key to blame and with the nearest legal values as fixes. What the project says by itself and, where it
/// is good by itself and `model` is not null, what this model cannot make or cannot run on the project's
/// mesh; a task that the model does not do comes with the installed models that do it. Without `ranks` only
/// what holds with any number of processes.
std::vector<Problem> check(const Project& project, const ModelFacts* model = nullptr,
                           std::optional<int> ranks = {});

/// Adds those of more problems whose faults are not among `problems` yet.
void addUnknown(std::vector<Problem>& problems, std::vector<Problem> more);

/// More devices than one of so many processes, on so many CPUs, is asked to carry (deviceOverload()), with
/// the keys that make them fewer.
std::vector<Problem> loadProblems(const Project& project, int ranks, int cpus);

/// What check() finds on the project's model where it is installed, and what its adapters lack. A model that
/// is not, or that cannot be used, is left to makePlan().
std::vector<Problem> problemsOnInstalledModel(const Project& project, std::optional<int> ranks = {});

/// That the project's model is not on this machine, or cannot be used as it is, and how to get it: an error,
/// or a warning where it is a released one, for which a plan can be made. A model of single files is left to
/// makePlan().
std::vector<Problem> missingModelProblems(const Project& project);

/// Why a model cannot be used, as an error at the key that names it, with the file and tensor at fault.
Problem problemOfModel(const Error& refused);

/// What each of the project's adapters does to the weights of its model, as describeAdapter() says it;
/// nothing where the model is not installed or cannot be used.
std::vector<std::string> adapterDescriptions(const Project& project);

}  // namespace meshreel
