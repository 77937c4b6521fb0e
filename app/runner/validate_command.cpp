// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "engine/base/atomic_file.h"
#include "engine/base/paths.h"
#include "engine/planning/project_check.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace {

struct Arguments {
    std::vector<std::string> files;
    ProjectOverrides overrides;
};

/// Prints the problems of one file; true when the project can be run.
bool validateFile(const std::string& file, const ProjectOverrides& overrides) {
    LoadedProject loaded;
    try {
        loaded = readProject(readFile(expandTilde(file)), file, overrides.all());
        resolveInputs(loaded, std::filesystem::absolute(expandTilde(file)).parent_path());
        checkOnModel(loaded);
        if (loaded.project.hosts.empty())  // else their ranks share the devices
            checkLoad(loaded, overrides);
    } catch (const Error& unreadable) {
        fmt::print(stderr, "meshreel: {}\n", unreadable.what());
        return false;
    }
    for (const ProjectProblem& problem : loaded.problems)
        fmt::print(stderr, "{}: {}\n", problem.severity == Severity::Error ? "error" : "warning",
                   problem.text());
    const bool good = !hasErrors(loaded.problems);
    if (!good)
        return false;
    fmt::print("{}: good\n", file);
    for (const std::string& adapter : adapterDescriptions(loaded.project))
        fmt::print("adapter: {}\n", adapter);
    return true;
}

}  // namespace

Action declareValidate(CLI::App& app) {
    const auto arguments = std::make_shared<Arguments>();
    app.add_option("PROJECT", arguments->files, "Project files (YAML)")->required()->type_name("FILE");
    addProjectOverrides(app, arguments->overrides);
    return [arguments] {
        bool good = true;
        for (const std::string& file : arguments->files)
            good = validateFile(file, arguments->overrides) && good;
        return good ? 0 : exitCode(ErrorKind::Project);
    };
}

}  // namespace meshreel
