// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/preset_projects.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

/// The comment lines behind the licence up to an empty one, as one line.
std::string firstParagraph(const std::string& text) {
    constexpr std::string_view licence = "# SPDX";
    std::string paragraph;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line) && line.starts_with('#') && line != "#";) {
        if (line.starts_with(licence))
            continue;
        paragraph += (paragraph.empty() ? "" : " ") + line.substr(std::min(line.size(), std::size_t{2}));
    }
    return paragraph;
}

/// "Wan2.1-T2V-14B" of "Wan-AI/Wan2.1-T2V-14B-Diffusers".
std::string modelName(const std::string& model) {
    std::string name = fs::path(model).filename().string();
    for (const std::string_view layout : {"-Diffusers", "-diffusers"})
        if (name.ends_with(layout))
            name.resize(name.size() - layout.size());
    return name;
}

std::optional<PresetProject> readPreset(const fs::path& file) {
    try {
        return PresetProject{.file = file,
                             .model = modelName(loadProject(file).project.model),
                             .description = firstParagraph(readFile(file))};
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<PresetProject> presetProjects(const fs::path& folder) {
    std::vector<PresetProject> presets;
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable))
        if (entry.path().extension() == ".yaml")
            if (std::optional<PresetProject> preset = readPreset(entry.path()))
                presets.push_back(*std::move(preset));
    std::ranges::sort(presets, {}, [](const PresetProject& preset) {
        return std::tuple(preset.model, preset.file.filename().string());
    });
    return presets;
}

fs::path presetFolder() {
    const fs::path resources = resourceFolder();
    const fs::path installed = resources / "configs" / "presets";
    std::error_code ignored;
    return fs::is_directory(installed, ignored) ? installed : resources.parent_path() / "configs" / "presets";
}

}  // namespace meshreel
