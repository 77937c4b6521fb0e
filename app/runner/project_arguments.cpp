// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/project_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/mesh/machine_load.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/project_check.h"
#include "engine/project/project_keys.h"
#include "engine/runs/launch/rank_launcher.h"

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

std::vector<std::string> ProjectOverrides::all() const {
    std::vector<std::string> texts = set;
    if (!preset.empty())
        texts.push_back(fmt::format("preset={}", preset));
    if (devices > 0)
        texts.push_back(fmt::format("devices={}", devices));
    if (broadcastWeights)
        texts.emplace_back("broadcast_weights=true");
    return texts;
}

void addProjectOverrides(CLI::App& app, ProjectOverrides& overrides) {
    app.add_option("--set", overrides.set, "Override a key of the project; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_option("--preset", overrides.preset,
                   "Preset of sampling, in place of the project's (meshreel keys preset lists them)")
        ->type_name("NAME");
    app.add_option("--devices", overrides.devices, "Devices of the mesh, in place of the project's")
        ->type_name("N")
        ->check(CLI::Range(1, maxMeshDevices));
    app.add_flag("--broadcast-weights", overrides.broadcastWeights,
                 "Read the checkpoint on the first host only, as broadcast_weights: true does");
    app.add_flag(oversubscribeOption, overrides.oversubscribe, oversubscribeHelp);
}

CLI::Option* addSeedOption(CLI::App& app, Seed& seed, const std::string& help) {
    const auto read = [&seed](const std::string& text) {
        const auto parsed = parseSeed(text);
        if (const auto* problem = std::get_if<NumberProblem>(&parsed))
            throw Error(ErrorKind::Project, problem->message, "--seed", problem->hint);
        seed = std::get<Seed>(parsed);
    };
    return app.add_option_function<std::string>("--seed", read, help)
        ->type_name("SEED")
        ->default_str(seedText(seed));
}

CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required) {
    app.footer(keysHelp);
    addProjectOverrides(app, arguments.overrides);
    return app.add_option("PROJECT", arguments.file, "Project file (YAML)")
        ->required(required == ProjectRequired::Yes)
        ->type_name("FILE");
}

namespace {

/// Adds problems with file and line; those that were reported already are left out.
void addProblems(LoadedProject& loaded, std::vector<ProjectProblem> problems) {
    for (ProjectProblem& problem : problems) {
        loaded.locate(problem);
        const auto isSame = [&](const ProjectProblem& known) { return known.text() == problem.text(); };
        if (std::ranges::none_of(loaded.problems, isSame))
            loaded.problems.push_back(std::move(problem));
    }
    std::ranges::stable_sort(loaded.problems, {}, &ProjectProblem::line);
}

}  // namespace

std::vector<InputNote> checkOnModel(LoadedProject& loaded, std::optional<int> ranks) {
    if (hasErrors(loaded.problems))
        return {};
    std::vector<ProjectProblem> problems = problemsOnInstalledModel(loaded.project, ranks);
    InputFindings inputs = inspectInputs(loaded.project);
    std::ranges::move(inputs.problems, std::back_inserter(problems));
    addProblems(loaded, std::move(problems));
    return std::move(inputs.notes);
}

void checkLoad(LoadedProject& loaded, const ProjectOverrides& overrides, int ranks) {
    if (!overrides.oversubscribe && !hasErrors(loaded.problems))
        addProblems(loaded, loadProblems(loaded.project, ranks, availableCpus()));
}

void warnOfCutPrompts(LoadedProject& loaded) {
    if (hasErrors(loaded.problems))
        return;
    try {
        addProblems(loaded, PromptLengths().warnings(loaded.project, modelFolderOf(loaded.project)));
    } catch (const Error&) {
        return;  // checkOnModel() and makePlan() say what is wrong with the model
    }
}

Project loadProjectWith(const ProjectArguments& arguments, const EventSink& sink, const RankCount& ranks) {
    const std::filesystem::path file = expandTilde(arguments.file);
    LoadedProject loaded = loadProject(file, arguments.overrides.all());
    if (ranks && !hasErrors(loaded.problems)) {
        const int processes = ranks(loaded.project);
        checkOnModel(loaded, processes);
        checkLoad(loaded, arguments.overrides, processes);
    } else {
        checkOnModel(loaded);
    }
    if (hasErrors(loaded.problems))
        throw ProjectError(std::move(loaded.problems));
    for (const ProjectProblem& problem : loaded.problems)
        sink(Message{MessageLevel::Warning, problem.text()});
    if (loaded.project.name.empty() && !startedByLauncher())  // which gives the project as it is
        loaded.project.name = readableStem(file);
    return std::move(loaded.project);
}

}  // namespace meshreel
