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
#include "engine/base/record.h"
#include "engine/base/record_json.h"
#include "engine/base/strings.h"
#include "engine/gpu/gpu_list.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/planning/gpu_selection.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/input_files.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_record_reader.h"
#include "engine/runs/run_time.h"

namespace meshreel {

namespace {

constexpr std::size_t helpColumns = 78;  ///< in a terminal of 80 columns

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

bool isOfProject(const Problem& problem) {
    constexpr std::array<ProblemId, 4> others{ProblemId(), "memory-short", "disk-short", "hosts-unreadable"};
    const bool isOfModelFiles = problem.id == ProblemId("model-unusable") && problem.involved.empty();
    return problem.severity == Severity::Error && !isOfModelFiles &&
           std::ranges::find(others, problem.id) == others.end();
}

nlohmann::ordered_json problemsJson(const std::vector<ListedProblem>& problems) {
    nlohmann::ordered_json object;
    JsonValue<std::vector<ListedProblem>>::put(object, "problems", problems);
    for (nlohmann::ordered_json& problem : object["problems"])
        problem.erase("text_parts");  // what people read
    return object["problems"];
}

void printProblems(const std::vector<ListedProblem>& problems) {
    for (const ListedProblem& problem : problems) {
        say(stderr, "{}: {}\n", enumName(problem.severity), withoutTypedPlace(problem.text.text()));
        for (const KeyChanges& fix : problem.fixes)
            say(stderr, "    fix: {}\n", commandLineText(fix));
    }
}

std::shared_ptr<const PredictionBasis> readBasisHere() {
    try {
        return std::make_shared<const PredictionBasis>(readPredictionBasis(runsFolder()));
    } catch (const Error&) {
        return nullptr;
    }
}

ExaminedProject examineProject(const std::string& file, const std::string& text,
                               const ProjectOverrides& overrides, const ForecastOptions& options) {
    const std::filesystem::path path = expandTilde(file);
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    ExaminedProject examined;
    LoadedProject& loaded = examined.loaded;
    loaded = readProject(text, wellFormedUtf8(withTilde(path)), overrides.all());
    examined.edited = editedProject(loaded);
    resolveInputs(loaded, folder);
    if (loaded.project.name.empty())
        loaded.project.name = readableStem(path);
    const TrustQuestion question = askTrust(loaded, folder);
    if (!question.empty() && !overrides.trust) {  // before anything is opened
        examined.problems = listProblems(loaded, trustProblems(question));
    } else {
        requireAgreement(question, overrides.trust);
        examined.inputs = TrustedInputs(loaded, folder);
        examined.forecast = makeForecast(loaded.project, options);
        examined.problems = listProblems(loaded, examined.forecast.problems);
    }
    examined.listed = withFixes(examined.problems, examined.edited, examined.forecast.model.get());
    return examined;
}

namespace {

/// The first error of the list, with what a run would end with; for other hardware, what a plan would.
Error refusalOf(const ExaminedProject& examined, const TargetHardware* target) {
    std::vector<Problem> problems = examined.problems;
    if (target != nullptr)
        std::erase_if(problems, isOfThisMachine);
    const std::optional<ErrorKind> refusal = examined.forecast.refusal;
    if (!refusal || hasErrors(examined.loaded.problems) || std::ranges::any_of(problems, isOfProject) ||
        !hasErrors(problems))
        return ProjectError(problems);
    return {*refusal, *std::ranges::find(problems, Severity::Error, &Problem::severity)};
}

}  // namespace

ExaminedProject loadExamined(const ProjectArguments& arguments, const ForecastOptions& options,
                             ModelNeed need, const ProblemListener& hear) {
    ExaminedProject examined = examineProject(arguments.file, readProjectText(expandTilde(arguments.file)),
                                              arguments.overrides, options);
    const bool isRefused =
        areObstacles(examined.problems, options.target.get()) || examined.forecast.plan == nullptr;
    if (!examined.listed.empty())
        hear(examined.listed, isRefused);
    if (isRefused)
        throw ProjectRefused(refusalOf(examined, options.target.get()));
    const ProjectForecast& forecast = examined.forecast;
    if (need == ModelNeed::Weights && forecast.plan->modelFolder.empty())
        throw Error(*forecast.refusal, *forecast.obstacle);
    return examined;
}

LaunchedProject loadLaunched(const ProjectArguments& arguments) {
    const std::filesystem::path file = expandTilde(arguments.file);
    LoadedProject loaded =
        parseProject(readProjectText(file), wellFormedUtf8(withTilde(file)), arguments.overrides.all());
    resolveInputs(loaded, std::filesystem::absolute(file).parent_path());
    TrustedInputs inputs = TrustedInputs::withoutLinks(loaded.project);
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
    const std::vector<fs::path> runs = runsByBeginning(runsFolder());
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
    const std::vector<ChosenGpu> chosen = chooseGpus(choice, recentDrivers());
    return chosen.empty() ? std::nullopt : std::optional(chosen.front());
}

}  // namespace meshreel
