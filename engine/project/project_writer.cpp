// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_lines.h"
#include "engine/project/sampling_preset.h"
#include "engine/project/text_merge.h"
#include "engine/project/yaml_tree.h"

namespace meshreel {
namespace {

std::string freshText(const Project& project) {
    std::string text = versionLine() + "\n";
    std::string_view group;
    for (const ProjectKey& key : projectKeys())
        if (!isDefault(project, key))
            text += keyLines(project, key, group);
    return text;
}

}  // namespace

std::string saveProjectText(const Project& project, const std::string& previousText) {
    if (const auto merged = mergeIntoText(project, previousText))
        // Whatever the layout of the previous text was, only a text that says the same project may replace
        // it.
        if (readProject(*merged, {}).project == project)
            return *merged;
    return freshText(project);
}

std::string resolvedYaml(const Project& project) {
    std::string text = versionLine() + "\n";
    const std::vector<std::string_view> taken = presetKeys(project, true);
    std::string_view section;
    std::string_view group;
    for (const ProjectKey& key : projectKeys()) {
        if (key.section != section)
            text += fmt::format("\n# {}\n", key.section);
        section = key.section;
        text += keyLines(project, key, group);
        if (std::ranges::find(taken, key.name) != taken.end())
            text.insert(text.size() - 1, fmt::format("  # of preset {}", project.preset));
    }
    return text;
}

}  // namespace meshreel
