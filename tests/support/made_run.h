// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/project/project_file.h"
#include "engine/runs/run_folder.h"

namespace meshreel::testing {

/// A finished run without its tensors: number 0 takes 0.5 s a step, 1 a second, and so on.
inline void makeRun(const std::filesystem::path& path, int number) {
    Project project;
    project.prompt = "ball number " + std::to_string(number);
    project.seed = number;
    project.numInferenceSteps = 3;
    const RunFolder folder = RunFolder::create(path);
    folder.write(run_file::project, resolvedYaml(project));
    folder.write(run_file::environment, "{}");
    std::vector<StepRecord> steps;
    for (int step = 0; step < 3; ++step)
        steps.push_back({.step = step, .seconds = 0.5 * (number + 1)});
    folder.writeSteps(steps);
    RunState state;
    state.status = RunStatus::Done;
    state.started = "2026-11-2" + std::to_string(number) + "T08:00:00+0000";
    state.outline = {.model = "~/models/wan-small",
                     .width = 16 * (number + 1),
                     .height = 16,
                     .frames = 5,
                     .attention = "ulysses",
                     .mesh = {.context = number + 1}};
    folder.writeState(state);
}

}  // namespace meshreel::testing
