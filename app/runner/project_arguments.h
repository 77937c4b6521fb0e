// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/pipelines/generation_events.h"
#include "engine/project/project_file.h"

namespace meshreel {

/// PROJECT [--set key=value]…
struct ProjectArguments {
    std::string file;
    std::vector<std::string> overrides;
};

enum class ProjectRequired { No, Yes };

/// Declares both; returns the option PROJECT.
CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required);

/// The project with its overrides; warnings go to the observer. Throws ProjectError.
Project loadProjectWith(const ProjectArguments& arguments, GenerationObserver& observer);

}  // namespace meshreel
