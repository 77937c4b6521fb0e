// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/project_changes.h"

#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace meshreel {

std::optional<ProjectChanges> projectChanges(const Project& from, const Project& to) {
    ProjectChanges changes;
    Project reached = from;
    for (const bool followed : {true, false})  // what other values follow from comes first
        for (const ProjectKey& key : projectKeys()) {
            if ((key.follow != nullptr) != followed)
                continue;
            const std::string text = valueText(to, key);
            if (text == valueText(reached, key))
                continue;
            if (trySetFromText(reached, key, text))
                return std::nullopt;
            changes.push_back(std::string(key.name) + '=' + text);
        }
    return reached == to ? std::optional(std::move(changes)) : std::nullopt;
}

Project withChanges(Project project, const ProjectChanges& changes) {
    for (const std::string& change : changes)
        applyOverride(project, change);
    return project;
}

}  // namespace meshreel
