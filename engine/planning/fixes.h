// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/catalogue/model_facts.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_problem.h"

namespace meshreel {

/// A project as somebody wrote it: its legal values, and the texts that their keys refused.
struct EditedProject {
    Project project;
    RefusedTexts refused = {};
    std::vector<ProjectProblem> problems = {};  ///< of the text and of the project, all that are known

    /// What was written for the key, legal or not.
    [[nodiscard]] std::string text(const ProjectKey& key) const;
    [[nodiscard]] bool isDefault(const ProjectKey& key) const;
};

/// A project file that was read, with its problems: what the file says for keys that refuse it is kept.
EditedProject editedProject(const LoadedProject& loaded);

/// "--set KEY=VALUE" for each of the changes, as a shell takes them.
std::string commandLineText(const KeyChanges& changes);

/// Changes that each end the problem: those that it brings along; else the nearest legal values of the key to
/// blame, then of other keys that take part, or of several of them at once where one does not do. Each was
/// tried, ends the problem and brings no new error. Three at most, limits raised last; none where only a
/// person can decide, and where neither the project nor its model shows the problem. An empty prompt gets an
/// example. `model` may be null.
std::vector<KeyChanges> findFixes(const ProjectProblem& problem, const EditedProject& edited,
                                  const ModelFacts* model);

}  // namespace meshreel
