// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/project_arguments.h"

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
    const LoadedProject loaded = loadProject(expandTilde(arguments.file), arguments.overrides);
    for (const ProjectProblem& problem : loaded.problems)
        observer.message(MessageLevel::Warning, problem.text());
    return loaded.project;
}

}  // namespace meshreel
