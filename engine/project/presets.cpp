// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/presets.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

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

PresetProject readPreset(const fs::path& file) {
    const std::string model = loadProject(file).project.model;
    return {.file = file,
            .model = modelName(model),
            .modelId = model,
            .description = firstParagraph(readFile(file))};
}

}  // namespace

std::vector<PresetProject> presetProjects(const fs::path& folder, std::vector<Sentence>* unreadable) {
    std::vector<PresetProject> presets;
    std::map<std::string, Sentence> damaged;  // by file name
    std::error_code missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
        if (entry.path().extension() != ".yaml")
            continue;
        try {
            presets.push_back(readPreset(entry.path()));
        } catch (const Error& refused) {
            const std::string name = entry.path().filename().string();
            damaged.emplace(name, sentence("{} cannot be read: {}", name, refused.message()));
        }
    }
    if (unreadable != nullptr)
        for (auto& [name, damage] : damaged)
            unreadable->push_back(std::move(damage));
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

namespace {

// What LightX2V distilled to: the steps at these timesteps, noised anew between them, with guidance inside
// the weights (LightX2V's configs/distill). Of two experts the models' own boundaries (0.875, 0.9) give each
// two steps, as there.
constexpr std::array<PresetValue, 6> fourSteps{{
    {"num_inference_steps", "4"},
    {"guidance_scale", "1.0"},
    {"flow_shift", "5.0"},
    {"scheduler", "lcm"},
    {"timesteps", "1000, 750, 500, 250"},
    {"nag_scale", "11.0"},  // what kijai's nodes offer; it acts where there is a negative prompt
}};

constexpr std::array<SamplingPreset, 3> samplingRows{{
    {.name = noPreset, .help = "Every value as it is written.", .values = {}},
    {.name = "distill-4",
     .help = "Four steps without guidance, with a step-distilled adapter (LoRA) that is found in the models "
             "folder where lora names none.",
     .values = fourSteps,
     .findsAdapter = true},
    {.name = "distilled-model-4",
     .help = "The same four steps for a checkpoint that is distilled itself, without an adapter.",
     .values = fourSteps},
}};

using DefaultsByName = std::map<std::string_view, Project>;

DefaultsByName everyDefault() {
    DefaultsByName defaults;
    for (const SamplingPreset& preset : samplingRows) {
        Project project;
        for (const PresetValue& value : preset.values)
            setFromText(project, *findProjectKey(value.key), value.value);
        defaults.emplace(preset.name, std::move(project));
    }
    return defaults;
}

bool same(const ProjectKey& key, const Project& a, const Project& b) {
    return std::visit([&](auto member) { return a.*member == b.*member; }, key.member);
}

}  // namespace

std::span<const SamplingPreset> samplingPresets() {
    return samplingRows;
}

const SamplingPreset* findSamplingPreset(std::string_view name) {
    const auto found = std::ranges::find(samplingRows, name, &SamplingPreset::name);
    return found == samplingRows.end() ? nullptr : &*found;
}

const Project& defaultsOfPreset(std::string_view preset) {
    static const DefaultsByName defaults = everyDefault();
    const auto found = defaults.find(preset);
    return found == defaults.end() ? defaults.at(noPreset) : found->second;
}

void followPreset(const Project& before, Project& after) {
    const Project& old = defaultsOfPreset(before.preset);
    const Project& now = defaultsOfPreset(after.preset);
    for (const ProjectKey& key : projectKeys())
        if (same(key, before, old) && !same(key, old, now))
            copyValue(key, now, after);
}

std::vector<std::string_view> presetKeys(const Project& project, bool taken) {
    const SamplingPreset* preset = findSamplingPreset(project.preset);
    std::vector<std::string_view> keys;
    if (preset == nullptr)
        return keys;
    for (const PresetValue& value : preset->values)
        if (isDefault(project, *findProjectKey(value.key)) == taken)
            keys.push_back(value.key);
    return keys;
}

}  // namespace meshreel
