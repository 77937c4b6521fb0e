// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/project_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
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

constexpr std::size_t helpColumns = 78;  ///< of a terminal of 80

/// Words in lines, each behind six blanks.
std::string indented(std::string_view words) {
    constexpr std::string_view indent = "      ";
    std::string lines;
    std::string line(indent);
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        const std::string_view word = words.substr(0, end);
        if (line.size() > indent.size() && line.size() + 1 + word.size() > helpColumns) {
            lines += line + '\n';
            line = indent;
        }
        line += fmt::format("{}{}", line.size() > indent.size() ? " " : "", word);
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return lines + line + '\n';
}

void printKeysHelp() {
    fmt::print("Keys of a project, for --set KEY=VALUE; meshreel keys KEY shows unit and limits:\n\n");
    for (const ProjectKey& key : projectKeys()) {
        const std::string standard = defaultText(key);
        fmt::print("  {} [{}]\n{}", key.name, standard.empty() ? "empty" : standard, indented(key.help));
    }
}

}  // namespace

std::vector<std::string> ProjectOverrides::all() const {
    std::vector<std::string> texts = set;
    if (!preset.empty())
        texts.push_back(fmt::format("preset={}", preset));
    if (devices > 0)
        texts.push_back(fmt::format("devices={}", devices));
    if (!gpus.empty())
        texts.push_back(fmt::format("gpus={}", gpus));
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
    app.add_option(
           "--gpus", overrides.gpus,
           "GPU that computes the transformer (its number in meshreel devices, auto or none), in place "
           "of the project's")
        ->type_name("N");
    app.add_flag("--broadcast-weights", overrides.broadcastWeights,
                 "Read the checkpoint on the first host only, as broadcast_weights: true does");
    app.add_flag(oversubscribeOption, overrides.oversubscribe, oversubscribeHelp);
}

void addTargetHardware(CLI::App& app, TargetArguments& arguments) {
    auto* hardware = app.add_option("--hardware", arguments.hardware,
                                    "Plan for hardware that is not here: a name such as tpu-v7x or h100, or "
                                    "a profile's file (see meshreel foresee)")
                         ->type_name("NAME");
    app.add_option("--program", arguments.program,
                   "What runs the model there; by itself the profile's default")
        ->type_name("NAME")
        ->needs(hardware);
}

CLI::Option* addSeedOption(CLI::App& app, Seed& seed, const std::string& help) {
    const auto read = [&seed](const std::string& text) {
        const auto parsed = parseSeed(text);
        if (const auto* problem = std::get_if<Problem>(&parsed))
            throw Error(ErrorKind::Project, atPlace("--seed", *problem));
        seed = std::get<Seed>(parsed);
    };
    return app.add_option_function<std::string>("--seed", read, help)
        ->type_name("SEED")
        ->default_str(seedText(seed));
}

CLI::Option* addProjectArguments(CLI::App& app, ProjectArguments& arguments, ProjectRequired required) {
    app.footer("The keys of a project: --help-keys.");
    app.add_flag_callback(
        "--help-keys",
        [] {
            printKeysHelp();
            throw CLI::Success();
        },
        "Print the keys of a project with their defaults, and exit");
    addProjectOverrides(app, arguments.overrides);
    return app.add_option("PROJECT", arguments.file, "Project file (YAML)")
        ->required(required == ProjectRequired::Yes)
        ->type_name("FILE");
}

CheckOptions checkOptions(const ProjectOverrides& overrides, int ranks) {
    return {.ranks = ranks, .cpus = overrides.oversubscribe ? std::nullopt : std::optional(availableCpus())};
}

Project loadProjectWith(const ProjectArguments& arguments, const EventSink& sink, const RankCount& ranks) {
    const std::filesystem::path file = expandTilde(arguments.file);
    LoadedProject loaded = loadProject(file, arguments.overrides.all());
    checkHere(loaded, ranks ? checkOptions(arguments.overrides, ranks(loaded.project)) : CheckOptions());
    if (hasErrors(loaded.problems))
        throw ProjectError(std::move(loaded.problems));
    for (const Problem& problem : loaded.problems)
        sink(RunMessage{MessageLevel::Warning, problem.text()});
    if (loaded.project.name.empty() && !startedByLauncher())  // which gives the project as it is
        loaded.project.name = readableStem(file);
    return std::move(loaded.project);
}

std::optional<ChosenGpu> gpuNamed(const std::string& gpus) {
    if (const std::vector<Problem> problems = gpuChoiceProblems(gpus); !problems.empty())
        throw Error(ErrorKind::Project, atPlace("--gpus", problems.front()));
    const GpuChoice choice = GpuChoice::parse(gpus).value();
    return choice.isNone() ? std::nullopt : chooseGpu(choice, askDrivers(usualQuestion()));
}

}  // namespace meshreel
