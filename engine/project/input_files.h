// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/project/project.h"
#include "engine/project/project_file.h"

namespace meshreel {

enum class InputKind : std::uint8_t {
    Image,
    Images,  ///< several, separated by commas
    Video,   ///< a video, an image, or a folder of numbered PNG frames
};

/// A key of the project whose value names files that the video is made of.
struct InputKey {
    std::string_view name;
    std::string Project::*member;
    InputKind kind;
};

std::span<const InputKey> inputKeys();

/// Null for keys of other values.
const InputKey* findInputKey(std::string_view name);

/// The files that a key names; none when it is empty.
std::vector<std::string> inputFiles(const Project& project, const InputKey& key);
void setInputFiles(Project& project, const InputKey& key, const std::vector<std::string>& files);

/// Relative paths made absolute: those of the file from the folder that it lies in, those of the command line
/// from the working directory.
void resolveInputs(LoadedProject& loaded, const std::filesystem::path& folder);

/// The same for a project of which all paths are relative to `folder`.
Project withInputsIn(Project project, const std::filesystem::path& folder);

/// A problem, at its key, for every path that a project file could not hold because it is not UTF-8.
std::vector<ProjectProblem> pathProblems(const Project& project);

}  // namespace meshreel
