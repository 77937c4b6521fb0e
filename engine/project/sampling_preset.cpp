// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/sampling_preset.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

// What LightX2V distilled to: the steps at these timesteps, noised anew between them, with guidance inside
// the weights (LightX2V's configs/distill). Of two experts the models' own boundaries (0.875, 0.9) give each
// two steps, as there.
constexpr std::array<PresetValue, 5> fourSteps{{
    {"num_inference_steps", "4"},
    {"guidance_scale", "1.0"},
    {"flow_shift", "5.0"},
    {"scheduler", "lcm"},
    {"timesteps", "1000, 750, 500, 250"},
}};

constexpr std::array<SamplingPreset, 3> presets{{
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
    for (const SamplingPreset& preset : presets) {
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
    return presets;
}

const SamplingPreset* findSamplingPreset(std::string_view name) {
    const auto found = std::ranges::find(presets, name, &SamplingPreset::name);
    return found == presets.end() ? nullptr : &*found;
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
