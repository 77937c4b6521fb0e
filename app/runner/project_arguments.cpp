// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/project_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/base/worker_pool.h"
#include "engine/catalogue/model_assembly.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/gpu_selection.h"
#include "engine/planning/project_check.h"
#include "engine/project/project_keys.h"
#include "engine/runs/launch/rank_launcher.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"

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
    say("Keys of a project, for --set KEY=VALUE; meshreel keys KEY shows unit and limits:\n\n");
    for (const ProjectKey& key : projectKeys()) {
        const std::string standard = defaultText(key);
        say("  {} [{}]\n{}", key.name, standard.empty() ? "empty" : standard, indented(key.help));
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
    app.add_option("--gpus", overrides.gpus,
                   "GPU that computes transformer, VAE and encoders (its number in meshreel devices, auto or "
                   "none), in place of the project's")
        ->type_name("N");
    app.add_flag("--broadcast-weights", overrides.broadcastWeights,
                 "Read the checkpoint on the first host only, as broadcast_weights: true does");
    app.add_flag(oversubscribeOption, overrides.oversubscribe, oversubscribeHelp);
    addTrustFlag(app, overrides.trust);
}

void addTrustFlag(CLI::App& app, bool& trust) {
    app.add_flag(
        "--trust", trust,
        "Agree to what projects in this one's folder read, copy and start outside it, now and later");
}

void requireAgreement(const TrustQuestion& question, bool trust) {
    if (trust && !question.empty())
        trustFolder(question.folder);
    else
        requireTrust(question);
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

Project loadProjectWith(const ProjectArguments& arguments, const EventSink& sink, const RankCount& ranks) {
    return loadProjectToRun(arguments, sink, ranks).project;
}

bool isOfProject(const Problem& problem) {
    constexpr std::array<ProblemId, 4> others{ProblemId(), "memory-short", "disk-short", "hosts-unreadable"};
    const bool isOfModelFiles = problem.id == ProblemId("model-unusable") && problem.involved.empty();
    return problem.severity == Severity::Error && !isOfModelFiles &&
           std::ranges::find(others, problem.id) == others.end();
}

nlohmann::ordered_json problemsJson(std::span<const Problem> problems) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Problem& problem : problems)
        list.push_back({{"id", problem.id.name()},
                        {"severity", problem.severity == Severity::Error ? "error" : "warning"},
                        {"key", problem.key},
                        {"line", problem.place.line},
                        {"text", problem.text()}});
    return list;
}

namespace {

/// Throws for the first error of the list what a run would end with.
void requireNoErrors(const LoadedProject& loaded, const ProjectForecast& forecast,
                     const ProblemListener& hear) {
    std::vector<Problem> problems = listProblems(loaded, forecast.problems);
    if (hear)
        hear(problems);
    const auto first = std::ranges::find(problems, Severity::Error, &Problem::severity);
    if (first == problems.end())
        return;
    if (!forecast.refusal || hasErrors(loaded.problems) || std::ranges::any_of(problems, isOfProject))
        throw ProjectError(std::move(problems));
    throw Error(*forecast.refusal, *first);
}

/// Throws ProjectError for what nobody has agreed to, with what else is wrong.
void requireAgreementTo(const LoadedProject& loaded, const std::filesystem::path& folder, bool trust) {
    if (startedByLauncher())  // which has asked
        return;
    const TrustQuestion question = askTrust(loaded, folder);
    if (!question.empty() && !trust)
        throw ProjectError(listProblems(loaded, trustProblems(question)));
    requireAgreement(question, trust);
}

}  // namespace

AgreedProject loadProjectToRun(const ProjectArguments& arguments, const EventSink& sink,
                               const RankCount& ranks, const Examination& examination) {
    const std::filesystem::path file = expandTilde(arguments.file);
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    LoadedProject loaded =
        readProject(readProjectText(file), wellFormedUtf8(withTilde(file)), arguments.overrides.all());
    if (!examination.options && hasErrors(loaded.problems))
        throw ProjectError(std::move(loaded.problems));
    resolveInputs(loaded, folder);
    requireAgreementTo(loaded, folder, arguments.overrides.trust);
    TrustedInputs inputs =
        startedByLauncher() ? TrustedInputs::withoutLinks(loaded.project) : TrustedInputs(loaded, folder);
    if (examination.options)
        requireNoErrors(loaded, makeForecast(loaded.project, *examination.options), examination.hear);
    CheckOptions options;
    if (ranks) {
        options.ranks = ranks(loaded.project);
        if (!arguments.overrides.oversubscribe)
            options.cpus = availableCpus();
    }
    checkHere(loaded, options);
    if (hasErrors(loaded.problems))
        throw ProjectError(std::move(loaded.problems));
    for (const Problem& problem : loaded.problems)
        sink(RunMessage{MessageLevel::Warning, problem.text()});
    if (loaded.project.name.empty() && !startedByLauncher())  // which gives the project as it is
        loaded.project.name = readableStem(file);
    return {std::move(loaded.project), std::move(inputs)};
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view lastRun = "last";

/// N of "last~N", 0 of "last"; nothing for other words.
std::optional<std::size_t> runsBack(std::string_view word) {
    if (word == lastRun)
        return 0;
    if (!word.starts_with(lastRun) || word.size() < lastRun.size() + 2 || word[lastRun.size()] != '~')
        return {};
    const std::string_view digits = word.substr(lastRun.size() + 1);
    std::size_t back = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), back);
    const bool isNumber = failure == std::errc() && end == digits.data() + digits.size();
    return isNumber ? std::optional(back) : std::nullopt;
}

/// Folders of runs begin with their date and time, by which they are sorted here: the latest first.
std::vector<fs::path> runsByDate() {
    std::vector<fs::path> runs;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(runsFolder(), failure))
        if (RunFolder::isRun(entry.path()))
            runs.push_back(entry.path());
    std::ranges::sort(runs, std::ranges::greater(), [](const fs::path& run) { return run.filename(); });
    return runs;
}

/// "demo" of "20261126-072554-demo".
std::string_view nameBehindDate(std::string_view folder) {
    constexpr std::size_t dateLength = std::string_view("YYYYmmdd-HHMMSS-").size();
    return folder.size() > dateLength ? folder.substr(dateLength) : std::string_view();
}

}  // namespace

std::string runFolderNamed(const std::string& given) {
    std::error_code failure;
    if (given.empty() || fs::exists(expandTilde(given), failure) || fs::path(given).has_parent_path())
        return given;
    const std::optional<std::size_t> back = runsBack(given);
    const std::vector<fs::path> runs = runsByDate();
    if (back) {
        if (*back < runs.size())
            return runs[*back].string();
        throw Error(ErrorKind::Input,
                    runs.empty() ? sentence("there is no run in {}", runsFolder().string())
                                 : sentence("there are not so many runs in {} (there: {})",
                                            runsFolder().string(), runs.size()),
                    given, sentence("Give the path of a run folder, or set MESHREEL_RUNS"));
    }
    std::vector<fs::path> named;
    for (const fs::path& run : runs) {
        const std::string folder = run.filename().string();
        if (folder == given)
            return run.string();
        if (nameBehindDate(folder) == given)
            named.push_back(run);
    }
    if (named.empty())
        return given;
    if (named.size() == 1)
        return named.front().string();
    throw Error(ErrorKind::Input, sentence("{} runs have this name", named.size()), given,
                sentence("Give the whole name, for example {}", named.front().filename().string()));
}

CLI::Option* takeRunNames(CLI::Option* option) {
    return option->transform([](const std::string& given) { return runFolderNamed(given); }, "");
}

std::optional<ChosenGpu> gpuNamed(const std::string& gpus) {
    const std::variant<GpuChoice, Problem> read = parseGpuChoice(gpus);
    if (const auto* problem = std::get_if<Problem>(&read))
        throw Error(ErrorKind::Project, atPlace("--gpus", *problem));
    const auto& choice = std::get<GpuChoice>(read);
    if (choice.isNone())
        return std::nullopt;
    if (choice.numbers.size() > 1)
        throw Error(ErrorKind::Project,
                    Problem{.id = "gpus-for-one-device",
                            .place = {.file = "--gpus"},
                            .message = sentence("--gpus names {} GPUs, and this command computes on one",
                                                choice.numbers.size()),
                            .fixes = byHand(sentence("Name one of them"))});
    const std::vector<ChosenGpu> chosen = chooseGpus(choice, askDrivers(usualQuestion()));
    return chosen.empty() ? std::nullopt : std::optional(chosen.front());
}

}  // namespace meshreel
