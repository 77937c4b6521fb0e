// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/project_arguments.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/base/paths.h"
#include "engine/project/project_keys.h"

namespace meshreel {

namespace {

std::string keysHelp() {
    std::string help = "Keys of a project (meshreel keys KEY tells unit and limits):";
    for (const ProjectKey& key : projectKeys()) {
        const std::string standard = defaultText(key);
        help += fmt::format("\n  {:<38}{} [{}]", key.name, key.help, standard.empty() ? "empty" : standard);
    }
    return help;
}

}  // namespace

CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required) {
    app.footer(keysHelp);
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
