// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/project_arguments.h"

#include <utility>

#include "engine/base/paths.h"

namespace meshreel {

CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required) {
    app.add_option("--set", arguments.overrides, "Override a key of the project; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    return app.add_option("PROJECT", arguments.file, "Project file (YAML)")
        ->required(required == ProjectRequired::Yes)
        ->type_name("FILE");
}

Project loadProjectWith(const ProjectArguments& arguments, GenerationObserver& observer) {
    const std::filesystem::path file = expandTilde(arguments.file);
    LoadedProject loaded = loadProject(file, arguments.overrides);
    for (const ProjectProblem& problem : loaded.problems)
        observer.message(MessageLevel::Warning, problem.text());
    if (loaded.project.name.empty())
        loaded.project.name = file.stem().string();
    return std::move(loaded.project);
}

}  // namespace meshreel
