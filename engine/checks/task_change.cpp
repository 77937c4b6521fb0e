// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checks/task_change.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/checks/task_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"

namespace meshreel {
namespace {

bool givesInput(const Project& project, std::string_view key) {
    return !inputFiles(project, *findInputKey(key)).empty();
}

bool continuesAClip(const Project& project) {
    return givesInput(project, "continue_from");
}

/// Adds the default of a key that has another value.
void addReset(KeyChanges& changes, const Project& project, std::string_view name) {
    const ProjectKey& key = *findProjectKey(name);
    if (isDefault(project, key))
        return;
    const bool isAdded = std::ranges::count(changes, name, &KeyChange::key) > 0;
    if (!isAdded)
        changes.push_back({std::string(name), defaultText(key, project)});
}

// The preset last: resetting it changes the defaults of others, which follow by themselves.
constexpr auto modelKeys = std::to_array<std::string_view>(
    {"parts.transformer", "parts.transformer_2", "parts.text_encoder", "parts.vae", "parts.preview",
     "parts.image_encoder", "parts.audio_encoder", "parts.tokenizer", "lora", "preset"});

}  // namespace

std::vector<std::string_view> missingInputs(const Project& project, WanTask task) {
    const WanTaskRow& row = rowOf(task);
    std::vector<std::string_view> missing;
    for (const std::string_view key : row.needs) {
        const bool comesFromClip = key == "image" && row.clip == ClipUse::Pictures &&
                                   continuesAClip(project) && !keepsImage(project);
        if (!givesInput(project, key) && !comesFromClip)
            missing.push_back(key);
    }
    return missing;
}

KeyChanges changesToTask(const Project& project, WanTask task) {
    const WanTaskRow& row = rowOf(task);
    KeyChanges changes{{"task", std::string(row.name)}};
    for (const InputKey& input : inputKeys())
        if (input.kind != InputKind::Sound && !reads(row, input.name))
            addReset(changes, project, input.name);
    for (const WanTaskRow& other : wanTasks())
        for (const std::string_view setting : other.settings)
            if (!reads(row, setting))
                addReset(changes, project, setting);
    return changes;
}

std::span<const std::string_view> keysOfAModel() {
    return modelKeys;
}

KeyChanges changesToModel(const Project& project, std::string_view model) {
    KeyChanges changes{{"pretrained_model_name_or_path", std::string(model)}};
    for (const std::string_view key : keysOfAModel())
        addReset(changes, project, key);
    return changes;
}

}  // namespace meshreel
