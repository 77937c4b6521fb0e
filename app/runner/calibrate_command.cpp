// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/text_progress.h"
#include "engine/base/paths.h"
#include "engine/studies/magcache_calibration.h"

namespace meshreel {
namespace {

constexpr const char* magCache = "magcache";

struct CalibrateArguments {
    std::string what;
    ProjectArguments project;
    std::string out;
};

int calibrate(const CalibrateArguments& arguments) {
    ProgressLines progress;
    const RunPlan plan =
        planCalibration(loadProjectWith(arguments.project, progress, [](const Project&) { return 1; }),
                        {.oversubscribe = arguments.project.overrides.oversubscribe});
    const std::filesystem::path file = expandTilde(arguments.out);
    const Interrupt interrupt;
    const std::vector<double> curve = measureMagCurve(plan, progress, interrupt.token());
    writeMagCurve(file, plan, curve);
    fmt::print("Curve of {} steps written to {}\nTo use it: use_magcache: true and mag_ratios_file: {}\n",
               plan.steps(), withTilde(file), arguments.out);
    return 0;
}

}  // namespace

Action declareCalibrate(CLI::App& app) {
    const auto arguments = std::make_shared<CalibrateArguments>();
    app.add_option("WHAT", arguments->what,
                   "magcache: the curve that MagCache goes by, of the project's model and settings")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>{magCache}));
    addProjectArguments(app, arguments->project, ProjectRequired::Yes);
    app.add_option("-o,--out", arguments->out, "File to write")->required()->type_name("FILE");
    return [arguments] { return calibrate(*arguments); };
}

}  // namespace meshreel
