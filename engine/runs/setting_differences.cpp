// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/setting_differences.h"

#include <algorithm>

#include "engine/project/project_keys.h"

namespace meshreel {

std::vector<const ProjectKey*> differingKeys(std::span<const Project> projects) {
    std::vector<const ProjectKey*> keys;
    for (const ProjectKey& key : projectKeys()) {
        const auto differs = [&](const Project& other) {
            return valueText(other, key) != valueText(projects.front(), key);
        };
        if (std::ranges::any_of(projects, differs))
            keys.push_back(&key);
    }
    return keys;
}

}  // namespace meshreel
