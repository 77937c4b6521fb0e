// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <memory>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "app/runner/text_progress.h"
#include "engine/planning/run_plan.h"
#include "engine/runs/run_history.h"

namespace meshreel {

Action declarePlan(CLI::App& app) {
    struct Arguments {
        ProjectArguments project;
        int workers = 0;
    };
    const auto arguments = std::make_shared<Arguments>();
    addProjectArguments(app, arguments->project, ProjectRequired::Yes);
    app.add_option("--workers", arguments->workers, "Threads of a device, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    return [arguments] {
        ProgressLines messages;
        PlanOptions options;
        options.workers = arguments->workers;
        options.runsFolder = runsFolder();
        fmt::print("{}", describePlan(makePlan(loadProjectWith(arguments->project, messages), options)));
        return 0;
    };
}

}  // namespace meshreel
