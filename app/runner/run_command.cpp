// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/launched_run.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"

namespace meshreel {
namespace {

struct RunArguments {
    ProjectArguments project;
    std::string out;
    std::string resume;
    RunOptions options;
    bool jsonEvents = false;
    std::string hosts;
    int ranks = 0;
};

constexpr int mostRanks = 4096;

/// The command line of a rank: what was given here, but for what only the launching program does.
std::vector<std::string> rankArguments(const CLI::App& app) {
    std::vector<std::string> line{app.get_name()};
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name(false, true);
        if (option->count() == 0 || name == "--hosts" || name == "--ranks" || name == "--json-events")
            continue;
        for (const std::string& value : option->results()) {
            if (!option->get_positional())
                line.push_back(name);
            if (option->get_expected_min() > 0)
                line.push_back(option->get_positional() ? expandTilde(value).string() : value);
        }
    }
    return line;
}

int run(const CLI::App& app, const RunArguments& arguments) {
    const auto style = arguments.jsonEvents ? ProgressStyle::JsonEvents : ProgressStyle::Automatic;
    if (!arguments.hosts.empty())
        return runOnHosts(
            {.hostFile = arguments.hosts, .ranks = arguments.ranks, .arguments = rankArguments(app)}, style);
    if (!arguments.resume.empty())
        return displayRun(style, [&](RunObserver& observer, const StopToken& stop) {
            return resumeRun(expandTilde(arguments.resume), arguments.options, observer, stop);
        });
    if (arguments.project.file.empty())
        throw Error(ErrorKind::Project, "no project was given", "meshreel run",
                    "Give a project file, or a run to continue with --resume");
    return displayRun(style, [&](RunObserver& observer, const StopToken& stop) {
        RunRequest request;
        request.project = loadProjectWith(arguments.project, observer);
        request.outFolder = expandTilde(arguments.out);
        request.options = arguments.options;
        return runProject(request, observer, stop);
    });
}

}  // namespace

Action declareRun(CLI::App& app) {
    const auto arguments = std::make_shared<RunArguments>();
    auto* project = addProjectArguments(app, arguments->project, ProjectRequired::No);
    auto* out =
        app.add_option("--out", arguments->out, "The run folder (new or empty); else one in the runs folder")
            ->type_name("DIR");
    app.add_option("--resume", arguments->resume, "Continue this run from its last finished step")
        ->type_name("RUN")
        ->excludes(project)
        ->excludes(out)
        ->excludes(app.get_option("--set"))
        ->excludes(app.get_option("--devices"))
        ->excludes(app.get_option("--broadcast-weights"));
    app.add_flag("--allow-different-machine", arguments->options.allowDifferentMachine,
                 "Continue a run of another machine or build, not bit-identically")
        ->needs("--resume");
    app.add_option("--workers", arguments->options.workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_flag("--json-events", arguments->jsonEvents, "Print every event as one line of JSON");
    auto* hosts = app.add_option("--hosts", arguments->hosts,
                                 "Launch MPI ranks on the hosts of this file (one a line: name [slots=N])")
                      ->type_name("FILE");
    app.add_option("--ranks", arguments->ranks, "How many ranks; else all slots of the hosts")
        ->type_name("N")
        ->check(CLI::Range(1, mostRanks))
        ->needs(hosts);
    return [&app, arguments] { return run(app, *arguments); };
}

}  // namespace meshreel
