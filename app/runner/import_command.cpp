// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/terminal.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/planning/project_check.h"
#include "engine/project/maxdiffusion_import.h"
#include "engine/project/project_file.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
    std::vector<std::string> words;
    std::string output;
    bool json = false;
    bool force = false;
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
        text = readFile(expandTilde(config));
    MaxDiffusionImport imported = importMaxDiffusion(text, config, words);
    std::ranges::move(missingModelProblems(imported.project), std::back_inserter(imported.problems));
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

/// As files of a project: the version, then what differs from the defaults.
void write(const ImportArguments& arguments, const std::string& project) {
    const fs::path file = expandTilde(arguments.output);
    if (fs::exists(file) && !arguments.force)
        throw Error(ErrorKind::Input, "the file exists already", file.string(),
                    "Give another name, or --force to replace it");
    writeFileAtomically(file, project);
}

int import(const ImportArguments& arguments) {
    const MaxDiffusionImport imported = read(arguments);
    const std::string project = saveProjectText(imported.project);
    if (!arguments.output.empty())
        write(arguments, project);
    if (arguments.json)
        say("{}\n", reportJson(imported, project).dump(2));
    else
        printReport(imported);
    if (arguments.output.empty() && !arguments.json)
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
    app.add_flag("--json", arguments->json, "Print the report as one JSON object");
    return [arguments] { return import(*arguments); };
}

}  // namespace meshreel
