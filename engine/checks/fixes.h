// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/listed_problem.h"
#include "engine/base/problem.h"
#include "engine/catalogue/model_facts.h"
#include "engine/project/project.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {

/// A project as its author wrote it: its legal values, and the texts that their keys refused.
struct EditedProject {
    Project project;
    RefusedTexts refused = {};
    std::vector<Problem> problems = {};  ///< all known problems, of the text and of the project

    /// Returns what was written for the key, legal or not.
    [[nodiscard]] std::string text(const ProjectKey& key) const;
    [[nodiscard]] bool isDefault(const ProjectKey& key) const;
};

/// Returns a project file that was read, with its problems: what the file says for keys that refuse it is
/// kept.
EditedProject editedProject(const LoadedProject& loaded);

/// "--set KEY=VALUE" for each of the changes, as a shell takes them.
std::string commandLineText(const KeyChanges& changes);

/// Returns changes that each solve the problem, the nearest first: those that it carries, then the nearest
/// legal values of its key and of the keys involved, or of several of them at once when one is not enough. If
/// the project and its model show the problem, each change was tried, solves it and brings no new error;
/// otherwise the problem's own are trusted. Three at most, limits raised last; none when only a person can
/// decide. `model` may be null.
std::vector<KeyChanges> findFixes(const Problem& problem, const EditedProject& edited,
                                  const ModelFacts* model);

/// Each of the problems with the changes that end it (findFixes()), as it is printed and sent.
std::vector<ListedProblem> withFixes(std::span<const Problem> problems, const EditedProject& edited,
                                     const ModelFacts* model);

/// The problems as they are printed and sent, of a run that has begun: it keeps its keys.
std::vector<ListedProblem> withoutFixes(std::span<const Problem> problems);

}  // namespace meshreel
