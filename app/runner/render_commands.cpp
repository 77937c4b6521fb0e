// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/command.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/project_arguments.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/runs/records/chart_kind.h"

namespace meshreel {
namespace {

std::string pathOf(const SisterProgram& sister) {
    return (executableFolder() / sister.name).string();
}

/// The folder that this program was built in, or where ./demo builds.
std::filesystem::path buildFolder() {
    const std::filesystem::path above = executableFolder().parent_path();
    std::error_code ignored;
    return std::filesystem::exists(above / "CMakeCache.txt", ignored) ? above : "build/release";
}

std::string fixFor(const SisterProgram& sister) {
    return fmt::format(
        "Install the package meshreel-studio; or build it beside meshreel, where Meshreel is built with its "
        "Studio (cmake option MESHREEL_STUDIO, packages qt6-base-dev and qt6-charts-dev): "
        "cmake --build {} --target {}",
        withTilde(buildFolder()), sister.name);
}

/// The standard input of what this process becomes, in a file without a name.
bool provideInput(std::string_view input) {
    const int file = ::memfd_create("input", MFD_CLOEXEC);
    return file >= 0 && ::write(file, input.data(), input.size()) == static_cast<ssize_t>(input.size()) &&
           ::lseek(file, 0, SEEK_SET) == 0 && ::dup2(file, STDIN_FILENO) == STDIN_FILENO;
}

}  // namespace

void requireSisterProgram(const SisterProgram& sister) {
    if (!std::filesystem::exists(pathOf(sister)))
        throw Error(ErrorKind::Input, sister.whatItIs + " is not installed", pathOf(sister), fixFor(sister));
}

void becomeSisterProgram(const SisterProgram& sister, std::vector<std::string> arguments,
                         std::string_view input) {
    requireSisterProgram(sister);
    arguments.insert(arguments.begin(), pathOf(sister));
    std::vector<char*> words;
    std::ranges::transform(arguments, std::back_inserter(words),
                           [](std::string& word) { return word.data(); });
    words.push_back(nullptr);
    std::fflush(nullptr);
    if (input.empty() || provideInput(input))
        execv(words.front(), words.data());
    throw Error(ErrorKind::Input, fmt::format("{} does not start: {}", sister.whatItIs, std::strerror(errno)),
                words.front(), fixFor(sister));
}

namespace {

SisterProgram renderer() {
    return {.name = "meshreel-render", .whatItIs = "The program that draws charts and reports"};
}

}  // namespace

void requireRenderer() {
    requireSisterProgram(renderer());
}

void becomeRenderer(std::vector<std::string> arguments, std::string_view input) {
    becomeSisterProgram(renderer(), std::move(arguments), input);
}

namespace {

struct ChartArguments {
    std::vector<std::string> runs;
    std::string kind = "steps";
    std::string output;
};

[[noreturn]] void chart(const ChartArguments& arguments) {
    static_cast<void>(findChartKind(arguments.kind));  // refuses what is none before the other program starts
    std::vector<std::string> line{"chart", "--kind", arguments.kind, "-o", arguments.output, "--"};
    line.insert(line.end(), arguments.runs.begin(), arguments.runs.end());
    becomeRenderer(std::move(line));
}

std::string kindsHelp() {
    std::string help = "What to show:";
    for (const ChartKindRow& row : chartKinds())
        help += fmt::format("\n  {}: {}", row.name, row.help);
    return help;
}

}  // namespace

Action declareChart(CLI::App& app) {
    const auto arguments = std::make_shared<ChartArguments>();
    takeRunNames(app.add_option("RUN", arguments->runs,
                                "Runs by name, last or last~1, or by folder; text files with pasted timing "
                                "summaries (stages); the table of a tile search "
                                "or its folder (tiles)"))
        ->required()
        ->type_name("RUN");
    app.add_option("--kind", arguments->kind, kindsHelp())->capture_default_str();
    app.add_option("-o,--output", arguments->output, "File to write: .png, .svg, .pdf, .csv or .json")
        ->required()
        ->type_name("FILE");
    return [arguments]() -> int { chart(*arguments); };
}

Action declareReport(CLI::App& app) {
    struct Arguments {
        std::vector<std::string> runs;
        std::string output;
    };
    const auto arguments = std::make_shared<Arguments>();
    takeRunNames(app.add_option("RUN", arguments->runs,
                                "Runs by name, last or last~1, or by folder; text files with pasted timing "
                                "summaries; speeds are relative to the first"))
        ->required()
        ->type_name("RUN");
    app.add_option("-o,--output", arguments->output, "File to write: .html or .pdf")
        ->required()
        ->type_name("FILE");
    return [arguments]() -> int {
        std::vector<std::string> line{"report", "-o", arguments->output, "--"};
        line.insert(line.end(), arguments->runs.begin(), arguments->runs.end());
        becomeRenderer(std::move(line));
    };
}

}  // namespace meshreel
