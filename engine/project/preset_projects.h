// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshreel {

/// A project that is installed to begin with.
struct PresetProject {
    std::filesystem::path file;
    std::string model;        ///< "Wan2.1-T2V-14B", what it names last without the layout behind it
    std::string description;  ///< the first paragraph of the file's comments
};

/// Every project of `folder`, by model and then by file name. Files that cannot be read are left out, and a
/// folder that is not there holds none.
std::vector<PresetProject> presetProjects(const std::filesystem::path& folder);

/// Where the installed ones lie: configs/presets beside or in the resources. Throws as resourceFolder().
std::filesystem::path presetFolder();

}  // namespace meshreel
