// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/run_event.h"
#include "engine/gpu/gpu_choice.h"
#include "engine/planning/project_check.h"
#include "engine/project/project_file.h"

namespace meshreel {

/// What the command line says in place of the project: [--set key=value]… [--preset NAME] [--devices N]
/// [--gpus N] [--broadcast-weights] [--oversubscribe]
struct ProjectOverrides {
    std::vector<std::string> set;
    std::string preset;  ///< empty: not given
    int devices = 0;     ///< 0: not given
    std::string gpus;    ///< empty: not given
    bool broadcastWeights = false;
    bool oversubscribe = false;  ///< no key of the project: see PlanOptions

    /// The overrides as "key=value" texts.
    [[nodiscard]] std::vector<std::string> all() const;
};

/// PROJECT and its overrides.
struct ProjectArguments {
    std::string file;
    ProjectOverrides overrides;
};

void addProjectOverrides(CLI::App& app, ProjectOverrides& overrides);

/// Hardware that a project is planned for in place of this machine.
struct TargetArguments {
    std::string hardware;  ///< empty: this machine
    std::string program;

    [[nodiscard]] bool given() const { return !hardware.empty(); }
};

/// [--hardware NAME] [--program NAME]
void addTargetHardware(CLI::App& app, TargetArguments& arguments);

/// Declares --seed, a seed of 64 bits or -1; without it `seed` stays as it is.
CLI::Option* addSeedOption(CLI::App& app, Seed& seed, const std::string& help);

/// The GPU that --gpus means in a command without a project; none: the CPU. Throws Error{Project} for a value
/// that the key gpus does not have, and for a GPU that is not there.
std::optional<ChosenGpu> gpuNamed(const std::string& gpus);

enum class ProjectRequired { No, Yes };

/// Declares ProjectArguments; returns the option PROJECT.
CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required);

/// How many processes take part in a project.
using RankCount = std::function<int(const Project&)>;

/// The project with its overrides, checked against its model where that is installed; warnings go to the
/// sink. Without `ranks` only what holds for any number of them is checked. Throws ProjectError.
Project loadProjectWith(const ProjectArguments& arguments, const EventSink& sink,
                        const RankCount& ranks = {});

/// What `ranks` processes of this machine are asked, which carry any number of devices if the user insists.
CheckOptions checkOptions(const ProjectOverrides& overrides, int ranks);

}  // namespace meshreel
