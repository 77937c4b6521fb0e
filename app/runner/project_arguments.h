// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/listed_problem.h"
#include "engine/checks/fixes.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/planning/forecast.h"
#include "engine/planning/project_forecast.h"
#include "engine/project/numbers.h"
#include "engine/project/project.h"
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
    bool oversubscribe = false;  ///< not a key of the project: see PlanOptions
    bool trust = false;          ///< not a key of the project either: see project_trust.h

    /// Returns the overrides as "key=value" texts.
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

/// Returns the GPU that --gpus means in a command without a project; none: the CPU. Throws Error{Project} for
/// a value that the key gpus does not have, and for a GPU that is not there.
std::optional<ChosenGpu> gpuNamed(const std::string& gpus);

enum class ProjectRequired { No, Yes };

/// Declares ProjectArguments; returns the option PROJECT.
CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required);

/// Returns what this machine was measured with; null when nothing can be read, which only leaves seconds
/// unknown.
std::shared_ptr<const PredictionBasis> readBasisHere();

/// A project with everything that can be said of it before it runs.
struct ExaminedProject {
    LoadedProject loaded;  ///< input paths are absolute, and it has a name
    EditedProject edited;  ///< as it is written, input paths included
    TrustedInputs inputs;
    ProjectForecast forecast;           ///< none where something has to be agreed to first
    std::vector<ListedProblem> listed;  ///< listProblems(), with fixes
    std::vector<Problem> problems;      ///< the same problems, in the order in which they were found
};

/// Examines the text of a project file, with overrides. What nobody has agreed to is among the problems, and
/// nothing is opened then.
ExaminedProject examineProject(const std::string& file, const std::string& text,
                               const ProjectOverrides& overrides, const ForecastOptions& options);

/// Ends a command whose project has errors, when all that is wrong with it was printed.
class ProjectRefused : public Error {
  public:
    explicit ProjectRefused(const Error& first) : Error(first) {}
};

/// Prints the list on stderr.
void printProblems(const std::vector<ListedProblem>& problems);

/// Shows what was found, and whether the command ends with it; called once, and not for an empty list.
using ProblemListener = std::function<void(const std::vector<ListedProblem>&, bool isRefused)>;

/// The listener that prints.
inline void printFound(const std::vector<ListedProblem>& problems, bool /*isRefused*/) {
    printProblems(problems);
}

/// What a command does with the model.
enum class ModelNeed : std::uint8_t {
    Shapes,  ///< published models do as well: a released model need not be on this machine
    Weights
};

/// Returns the project of the arguments, examined; its forecast has a plan. Everything that was found goes to
/// `hear`. Then throws ProjectRefused for errors that are obstacles (areObstacles()), of the kind that a run
/// would end with, and Error{Input} for a model that is needed and not here.
ExaminedProject loadExamined(const ProjectArguments& arguments, const ForecastOptions& options,
                             ModelNeed need, const ProblemListener& hear = printFound);

/// The project of a rank, which the program that launched it has examined.
struct LaunchedProject {
    Project project;
    TrustedInputs inputs;
};
LaunchedProject loadLaunched(const ProjectArguments& arguments);

/// Returns whether an error is of the project itself, rather than of its surroundings: the files of its model
/// and of its hosts, memory and disk.
bool isOfProject(const Problem& problem);

/// [{"id", "severity", "key", "line", "text", "fixes": [{KEY: VALUE}]}]: the fields of ListedProblem, in
/// English.
nlohmann::ordered_json problemsJson(const std::vector<ListedProblem>& problems);

/// Returns the run folder that the user means. An existing path is returned unchanged; "last" and "last~N"
/// name the most recently begun run and the one N before it; any other name is that of a folder in the runs
/// folder, or the part after its date when exactly one run has it. Anything else is returned unchanged.
/// Throws Error{Input} when there are not enough runs, or several have the name.
std::string runFolderNamed(const std::string& given);

/// Lets an option that takes run folders take names of runs, too.
CLI::Option* takeRunNames(CLI::Option* option);

}  // namespace meshreel
