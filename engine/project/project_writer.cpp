// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_lines.h"
#include "engine/project/sampling_preset.h"
#include "engine/project/text_merge.h"
#include "engine/project/wanted_text.h"

namespace meshreel {
namespace {

std::string freshText(const WantedText& wanted) {
    std::string text = versionLine() + "\n";
    std::string_view group;
    for (const ProjectKey& key : projectKeys())
        if (!wanted.isDefault(key))
            text += keyLines(wanted, key, group);
    return text;
}

}  // namespace

std::string saveProjectText(const Project& project, const std::string& previousText,
                            const RefusedTexts& refused) {
    const WantedText wanted(project, refused);
    if (const auto merged = mergeIntoText(wanted, previousText))
        // Whatever the layout of the previous text was, only a text that says the same project may replace
        // it.
        if (readProject(*merged, {}, overridesOf(project, refused)).project == project)
            return *merged;
    return freshText(wanted);
}

std::vector<std::string> overridesOf(const Project& project, const RefusedTexts& refused) {
    std::vector<std::string> overrides;
    for (const auto& [key, text] : refused)
        overrides.push_back(fmt::format("{}={}", key->name, valueText(project, *key)));
    return overrides;
}

std::string resolvedYaml(const Project& project) {
    std::string text = versionLine() + "\n";
    const WantedText wanted(project);
    const std::vector<std::string_view> taken = presetKeys(project, true);
    std::string_view section;
    std::string_view group;
    for (const ProjectKey& key : projectKeys()) {
        if (key.section != section)
            text += fmt::format("\n# {}\n", key.section);
        section = key.section;
        text += keyLines(wanted, key, group);
        if (std::ranges::find(taken, key.name) != taken.end())
            text.insert(text.size() - 1, fmt::format("  # of preset {}", project.preset));
    }
    return text;
}

}  // namespace meshreel
