// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/planning/project_check.h"
#include "engine/project/input_files.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace {

struct Arguments {
    std::vector<std::string> files;
    ProjectOverrides overrides;
};

/// Prints the problems of one file. The exit code: 0 when the project can be run as far as this machine can
/// tell.
int validateFile(const std::string& file, const ProjectOverrides& overrides) {
    LoadedProject loaded;
    std::vector<InputNote> inputs;
    try {
        loaded = readProject(readFile(expandTilde(file)), wellFormedUtf8(file), overrides.all());
        resolveInputs(loaded, std::filesystem::absolute(expandTilde(file)).parent_path());
        inputs = checkOnModel(loaded);
        for (ProjectProblem& problem : missingModelProblems(loaded.project)) {
            loaded.locate(problem);
            loaded.problems.push_back(std::move(problem));
        }
        if (loaded.project.hosts.empty())  // else their ranks share the devices
            checkLoad(loaded, overrides);
    } catch (const Error& unreadable) {
        fmt::print(stderr, "meshreel: {}\n", unreadable.what());
        return exitCode(ErrorKind::Project);
    }
    const bool sound = !hasErrors(loaded.problems);
    if (sound)
        for (ProjectProblem& problem : modelFileProblems(loaded.project)) {
            loaded.locate(problem);
            loaded.problems.push_back(std::move(problem));
        }
    warnOfCutPrompts(loaded);
    for (const ProjectProblem& problem : loaded.problems)
        fmt::print(stderr, "{}: {}\n", problem.severity == Severity::Error ? "error" : "warning",
                   problem.text());
    if (hasErrors(loaded.problems))
        return exitCode(sound ? ErrorKind::Input : ErrorKind::Project);
    fmt::print("{}: good\n", wellFormedUtf8(file));
    for (const std::string& adapter : adapterDescriptions(loaded.project))
        fmt::print("adapter: {}\n", adapter);
    for (const InputNote& input : inputs)
        fmt::print("input: {}. {}\n", input.message, input.detail);
    return 0;
}

}  // namespace

Action declareValidate(CLI::App& app) {
    const auto arguments = std::make_shared<Arguments>();
    app.add_option("PROJECT", arguments->files, "Project files (YAML)")->required()->type_name("FILE");
    addProjectOverrides(app, arguments->overrides);
    return [arguments] {
        int firstCode = 0;
        for (const std::string& file : arguments->files)
            if (const int code = validateFile(file, arguments->overrides); firstCode == 0)
                firstCode = code;
        return firstCode;
    };
}

}  // namespace meshreel
