// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/project_arguments.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/listed_problem.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"
#include "engine/catalogue/model_facts.h"
#include "engine/checks/fixes.h"
#include "engine/checks/project_check.h"
#include "engine/estimates/prediction.h"
#include "engine/planning/project_forecast.h"
#include "engine/planning/target_hardware.h"
#include "engine/project/input_files.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "engine/runs/run_history.h"
#include "engine/runs/run_record_reader.h"

namespace meshreel {

namespace {

struct Arguments {
    std::vector<std::string> files;
    ProjectOverrides overrides;
    TargetArguments target;
    bool fix = false;
    bool json = false;
};

ForecastOptions examinationFor(const ProjectOverrides& overrides,
                               const std::shared_ptr<const TargetHardware>& target) {
    return {.basis = readBasisHere(),
            .target = target,
            .oversubscribe = overrides.oversubscribe,
            .runsFolder = runsFolder()};
}

/// The project's text with the first fix of the first error that has one; nothing when no error has one.
std::optional<std::string> withOneFix(const ExaminedProject& checked) {
    for (const ListedProblem& problem : checked.listed) {
        if (problem.severity != Severity::Error || problem.fixes.empty())
            continue;
        EditedProject fixed = checked.edited;
        for (const KeyChange& change : problem.fixes.front()) {
            const ProjectKey* key = findProjectKey(change.key);
            setFromText(fixed.project, *key, change.value);
            fixed.refused.erase(key);
        }
        return saveProjectText(fixed.project, checked.loaded.sourceText, fixed.refused);
    }
    return std::nullopt;
}

std::vector<std::string> splitLines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// Returns how many lines to skip in each text until both continue alike; one line each if that is not near.
std::pair<std::size_t, std::size_t> linesUntilAlike(std::span<const std::string> old,
                                                    std::span<const std::string> now) {
    constexpr std::size_t farthest = 64;
    for (std::size_t distance = 1; distance <= farthest; ++distance)
        for (std::size_t gone = 0; gone <= distance; ++gone)
            if (gone < old.size() && distance - gone < now.size() && old[gone] == now[distance - gone])
                return {gone, distance - gone};
    return {std::min<std::size_t>(1, old.size()), std::min<std::size_t>(1, now.size())};
}

/// The lines that differ, "-" and "+" before them.
void printDifference(const std::string& before, const std::string& after) {
    const std::vector<std::string> oldLines = splitLines(before);
    const std::vector<std::string> newLines = splitLines(after);
    std::span<const std::string> old = oldLines;
    std::span<const std::string> now = newLines;
    while (!old.empty() || !now.empty()) {
        if (!old.empty() && !now.empty() && old.front() == now.front()) {
            old = old.subspan(1);
            now = now.subspan(1);
            continue;
        }
        const auto [gone, come] = linesUntilAlike(old, now);
        for (const std::string& line : old.first(gone))
            say("-{}\n", line);
        for (const std::string& line : now.first(come))
            say("+{}\n", line);
        old = old.subspan(gone);
        now = now.subspan(come);
    }
}

/// Applies the first fix of each error, until no error is left or none has a fix, and writes the file.
void fixFile(const std::string& file, const ProjectOverrides& overrides) {
    constexpr int mostFixes = 100;  // each ends an error, so that it is never reached
    const std::filesystem::path path = expandTilde(file);
    const ForecastOptions options = examinationFor(overrides, nullptr);
    const std::string before = readFile(path);
    std::string text = before;
    for (int count = 0; count < mostFixes; ++count) {
        const std::optional<std::string> fixed = withOneFix(examineProject(file, text, overrides, options));
        if (!fixed || *fixed == text)
            break;
        text = *fixed;
    }
    if (text == before)
        return;
    writeFileAtomically(path, text);
    say("{}: changed\n", wellFormedUtf8(file));
    printDifference(before, text);
}

/// Returns the exit code of a run; an unknown model is a fault of the project. For other hardware: of a plan.
int codeOf(const ExaminedProject& checked, const TargetHardware* target) {
    if (!areObstacles(checked.problems, target))
        return 0;
    const auto isRefusedFor = [target](const Problem& problem) {
        return isOfProject(problem) && (target == nullptr || !isOfThisMachine(problem));
    };
    if (std::ranges::any_of(checked.problems, isRefusedFor) || !checked.forecast.refusal ||
        hasErrors(missingModelProblems(checked.loaded.project)))
        return exitCode(ErrorKind::Project);
    return exitCode(*checked.forecast.refusal);
}

/// {"file", "good", "problems": problemsJson()}.
nlohmann::ordered_json checkedJson(const std::string& file, bool good,
                                   const std::vector<ListedProblem>& problems) {
    return {{"file", wellFormedUtf8(file)}, {"good", good}, {"problems", problemsJson(problems)}};
}

struct ValidatedFile {
    int code = 0;  ///< 0 when the project can be run, or planned for the target, as far as this machine knows
    nlohmann::ordered_json json = {};
};

/// Prints the problems of one file, except with --json.
ValidatedFile validateFile(const std::string& file, const Arguments& arguments,
                           const std::shared_ptr<const TargetHardware>& target) {
    ExaminedProject checked;
    try {
        if (arguments.fix)
            fixFile(file, arguments.overrides);
        checked = examineProject(file, readProjectText(expandTilde(file)), arguments.overrides,
                                 examinationFor(arguments.overrides, target));
    } catch (const Error& unreadable) {
        if (!arguments.json)
            say(stderr, "meshreel: {}\n", unreadable.what());
        return {exitCode(ErrorKind::Project),
                checkedJson(file, false, withFixes(std::array{unreadable.problem()}, {}, nullptr))};
    }
    const int code = codeOf(checked, target.get());
    if (arguments.json)
        return {code, checkedJson(file, code == 0, checked.listed)};
    printProblems(checked.listed);
    if (code != 0)
        return {code};
    if (target != nullptr)
        say("{}: good for {}\n", wellFormedUtf8(file), target->hardware->title);
    else
        say("{}: good\n", wellFormedUtf8(file));
    for (const std::string& adapter : adapterDescriptions(checked.loaded.project))
        say("adapter: {}\n", adapter);
    for (const Problem& note : checked.forecast.notes)
        if (note.id == ProblemId("input-sampled"))
            say("input: {}. {}\n", note.message, note.hint());
        else if (note.id == ProblemId("wildcards-drawn"))
            say("words: {}\n", note.message);
    return {};
}

}  // namespace

Action declareValidate(CLI::App& app) {
    const auto arguments = std::make_shared<Arguments>();
    app.add_option("PROJECT", arguments->files, "Project files (YAML)")->required()->type_name("FILE");
    auto* fix = app.add_flag(
        "--fix", arguments->fix,
        "Apply the first fix of every error that has one, and write the file; what changed is printed");
    addProjectOverrides(app, arguments->overrides);
    addTargetHardware(app, arguments->target);
    app.add_flag("--json", arguments->json, "Print one JSON array with an object for each file")
        ->excludes(fix);
    return [arguments] {
        if (arguments->fix && !arguments->overrides.all().empty())
            throw Error(
                ErrorKind::Project,
                sentence("--fix changes the file, and --set, --preset and --devices do not stand in it"),
                "--fix", sentence("Leave them out, or write them into the file first"));
        std::shared_ptr<const TargetHardware> target;
        if (arguments->target.given())
            target = std::make_shared<const TargetHardware>(
                readTargetHardware(arguments->target.hardware, arguments->target.program));
        int firstCode = 0;
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const std::string& file : arguments->files) {
            ValidatedFile validated = validateFile(file, *arguments, target);
            firstCode = firstCode != 0 ? firstCode : validated.code;
            json.push_back(std::move(validated.json));
        }
        if (arguments->json)
            say("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return firstCode;
    };
}

namespace {

namespace fs = std::filesystem;

struct ImportArguments {
    std::vector<std::string> words;
    std::string output;
    bool json = false;
    bool force = false;
    bool skipRefused = false;
};

constexpr std::array fates{ImportFate::Taken, ImportFate::Translated, ImportFate::Refused,
                           ImportFate::Ignored};

/// The config may be named in a whole command line of MaxDiffusion, or stand first under any name.
MaxDiffusionCommand parseCommand(const std::vector<std::string>& words) {
    MaxDiffusionCommand command = readMaxDiffusionCommand(words);
    const std::string& first = words.front();
    if (command.config.empty() && first.find('=') == std::string::npos && !first.ends_with(".py"))
        return {.config = first, .words = {words.begin() + 1, words.end()}};
    return command;
}

/// Whether a name is enough: a command line gives it, or MaxDiffusion has a config of that name.
bool mayBeElsewhere(const std::string& config, const std::vector<std::string>& words) {
    return words.front() != config || modelOfConfig(config);
}

MaxDiffusionImport read(const ImportArguments& arguments) {
    const auto [config, words] = parseCommand(arguments.words);
    std::string text;
    if (!config.empty() && (fs::exists(expandTilde(config)) || !mayBeElsewhere(config, arguments.words)))
        text = readProjectText(expandTilde(config));
    MaxDiffusionImport imported = importMaxDiffusion(text, config, words);
    imported.problems = listProblems(imported);
    return imported;
}

std::string placeOf(const ImportedKey& key) {
    return key.line > 0 ? fmt::format("{}:{}", fs::path(key.file).filename().string(), key.line) : key.file;
}

void printReport(const MaxDiffusionImport& imported) {
    for (const ImportFate fate : fates) {
        const auto count = std::ranges::count(imported.keys, fate, &ImportedKey::fate);
        if (count == 0)
            continue;
        say(stderr, "{} {}:\n", count, nameOf(fate));
        for (const ImportedKey& key : imported.keys)
            if (key.fate == fate)
                say(stderr, "  {:<24} {}\n", placeOf(key),
                    fate == ImportFate::Taken        ? key.result
                    : fate == ImportFate::Translated ? key.name + " -> " + key.result
                                                     : key.name + ": " + key.reason.text());
    }
    if (!imported.problems.empty())
        say(stderr, "Fix before running:\n");
    for (const Problem& problem : imported.problems)
        say(stderr, "  {}\n", problem.text());
}

nlohmann::ordered_json reportJson(const MaxDiffusionImport& imported, const std::string& project) {
    nlohmann::ordered_json json{{"keys", nlohmann::ordered_json::array()},
                                {"problems", nlohmann::ordered_json::array()},
                                {"project", project}};
    for (const ImportedKey& key : imported.keys)
        json["keys"].push_back({{"key", key.name},
                                {"file", key.file},
                                {"line", key.line},
                                {"fate", nameOf(key.fate)},
                                {"result", key.result},
                                {"reason", key.reason}});
    for (const Problem& problem : imported.problems)
        json["problems"].push_back(problem.text());
    return json;
}

/// Writes it as projects are saved: the version, then what differs from the defaults.
void write(const ImportArguments& arguments, const std::string& project) {
    const fs::path file = expandTilde(arguments.output);
    if (fs::exists(file) && !arguments.force)
        throw Error(ErrorKind::Input, "the file exists already", file.string(),
                    "Give another name, or --force to replace it");
    writeFileAtomically(file, project);
}

/// A project made of a file that was not understood would look like what its author meant.
void requireKnown(const MaxDiffusionImport& imported, const ImportArguments& arguments) {
    if (!imported.known)
        throw Error(ErrorKind::Project,
                    "nothing is imported: this is not a config of MaxDiffusion that Meshreel can read",
                    arguments.words.front(), "Give the path of a config (base_wan_14b.yml)");
    const auto refused = std::ranges::count(imported.keys, ImportFate::Refused, &ImportedKey::fate);
    if (refused > 0 && !arguments.skipRefused)
        throw Error(ErrorKind::Project,
                    fmt::format("nothing is imported: {}", refused == 1
                                                               ? std::string("a key is refused")
                                                               : fmt::format("{} keys are refused", refused)),
                    arguments.words.front(), "Correct what is refused, or leave it out with --skip-refused");
}

int import(const ImportArguments& arguments) {
    const MaxDiffusionImport imported = read(arguments);
    const std::string project = saveProjectText(imported.project);
    if (arguments.json)
        say("{}\n", reportJson(imported, project).dump(2));
    else
        printReport(imported);
    requireKnown(imported, arguments);
    if (!arguments.output.empty())
        write(arguments, project);
    else if (!arguments.json)
        say("{}", project);
    return 0;
}

}  // namespace

Action declareImport(CLI::App& app) {
    const auto arguments = std::make_shared<ImportArguments>();
    app.add_option("CONFIG", arguments->words,
                   "A MaxDiffusion config (base_wan_14b.yml) and key=value words, those alone, or the whole "
                   "command line (generate_wan.py base_wan_14b.yml ...)")
        ->required()
        ->type_name("FILE|KEY=VALUE");
    app.add_option("-o,--output", arguments->output, "Project to write; printed when not given")
        ->type_name("FILE");
    app.add_flag("--force", arguments->force, "Replace the project when it exists");
    app.add_flag("--skip-refused", arguments->skipRefused,
                 "Leave out the keys that are refused; without it nothing is written when there are any");
    app.add_flag("--json", arguments->json, "Print the report as one JSON object");
    return [arguments] { return import(*arguments); };
}

}  // namespace meshreel
