// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/events/run_event.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/project_file.h"
#include "engine/project/project_trust.h"

namespace meshreel {

/// What the command line says in place of the project: [--set key=value]… [--preset NAME] [--devices N]
/// [--gpus N] [--broadcast-weights] [--oversubscribe] [--trust]
struct ProjectOverrides {
    std::vector<std::string> set;
    std::string preset;  ///< empty: not given
    int devices = 0;     ///< 0: not given
    std::string gpus;    ///< empty: not given
    bool broadcastWeights = false;
    bool oversubscribe = false;  ///< no key of the project: see PlanOptions
    bool trust = false;          ///< likewise: see project_trust.h

    /// The overrides as "key=value" texts.
    [[nodiscard]] std::vector<std::string> all() const;
};

/// PROJECT and its overrides.
struct ProjectArguments {
    std::string file;
    ProjectOverrides overrides;
};

void addProjectOverrides(CLI::App& app, ProjectOverrides& overrides);

/// Declares --trust.
void addTrustFlag(CLI::App& app, bool& trust);

/// Throws ProjectError for what the project asks and the user has not agreed to; with `trust` that is
/// remembered instead.
void requireAgreement(const TrustQuestion& question, bool trust);

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

/// A project that the user has agreed to.
struct AgreedProject {
    Project project;
    TrustedInputs inputs;
};

using ProblemListener = std::function<void(const std::vector<Problem>&)>;

/// How a project is examined by who makes a run or a plan of it.
struct Examination {
    std::optional<ForecastOptions> options = {};  ///< nothing: only what needs no plan is asked (checkHere)
    ProblemListener hear = {};                    ///< called with the one list of problems, if any
};

/// The project with its overrides, examined; warnings that a run does not find by itself go to the sink.
/// Without `ranks` only what holds for any number of them is checked. Throws for the first error of
/// listProblems(): ProjectError, or what a run would end with.
AgreedProject loadProjectToRun(const ProjectArguments& arguments, const EventSink& sink,
                               const RankCount& ranks = {}, const Examination& examination = {});

/// The same for who copies no inputs, and neither runs nor plans the project as it is.
Project loadProjectWith(const ProjectArguments& arguments, const EventSink& sink,
                        const RankCount& ranks = {});

/// Whether an error is of the project, and not of what it is to be run with: the files of its model and of
/// its hosts, memory and disk.
bool isOfProject(const Problem& problem);

/// [{"id", "severity", "key", "line", "text"}]; the line is 0 where there is none.
nlohmann::ordered_json problemsJson(std::span<const Problem> problems);

/// The run that a person means: a path that is there stays as it is; else "last" and "last~N" are the runs
/// begun last and N before it, and a name is that of a folder in the runs folder, or the end of one behind
/// its date when a single run has it. What is none of these comes back unchanged. Throws Error{Input} where
/// there are not as many runs, or several have the name.
std::string runFolderNamed(const std::string& given);

/// Lets an option that takes run folders take names of runs, too.
CLI::Option* takeRunNames(CLI::Option* option);

}  // namespace meshreel
