// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/project.h"

namespace meshreel {

/// A project that is installed to begin with.
struct PresetProject {
    std::filesystem::path file;
    std::string model;        ///< "Wan2.1-T2V-14B", what it names last without the layout after it
    std::string modelId;      ///< as the file names it: "Wan-AI/Wan2.1-T2V-14B-Diffusers"
    std::string description;  ///< the first paragraph of the file's comments
};

/// Returns every project of `folder`, by model and then by file name; a folder that is not there holds none.
/// Files that cannot be read are left out, and `unreadable` takes a sentence for each, by file name.
std::vector<PresetProject> presetProjects(const std::filesystem::path& folder,
                                          std::vector<Sentence>* unreadable = nullptr);

/// Returns the folder of the installed ones: configs/presets beside or in the resources. Throws as
/// resourceFolder() does.
std::filesystem::path presetFolder();

/// The project key `preset`'s value for "every value as it is written".
inline constexpr std::string_view noPreset = "none";

/// What a preset makes a key's default, as a person types it.
struct PresetValue {
    std::string_view key;
    std::string_view value;
};

/// Values that belong together, as defaults of a project that names them: what is written beside wins.
struct SamplingPreset {
    std::string_view name;
    std::string_view help;
    std::span<const PresetValue> values;
    bool findsAdapter = false;  ///< where `lora` is empty, a distilled adapter of the models folder goes in
};

/// Returns every preset; the first sets nothing.
std::span<const SamplingPreset> samplingPresets();
/// Null when there is none of this name.
const SamplingPreset* findSamplingPreset(std::string_view name);

/// Returns the values of a project of this preset in which nothing else is written; the plain defaults for an
/// unknown preset.
const Project& defaultsOfPreset(std::string_view preset);

/// After a change of the key `preset`: values that were the defaults before are those of the new one.
void followPreset(const Project& before, Project& after);

/// Returns those keys set by a project's preset that have its value (`taken`), or another one.
std::vector<std::string_view> presetKeys(const Project& project, bool taken);

}  // namespace meshreel
