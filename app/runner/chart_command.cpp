// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/timing/chart_kinds.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

struct ChartArguments {
    std::vector<std::string> runs;
    std::string kind = "steps";
    std::string output;
};

constexpr const char* installHint =
    "Build Meshreel with its Studio (cmake option MESHREEL_STUDIO, packages qt6-base-dev and qt6-charts-dev) "
    "and leave meshreel-render beside meshreel; .csv and .json need it too";

fs::path rendererBesideThis() {
    const fs::path renderer = executableFolder() / "meshreel-render";
    if (!fs::exists(renderer))
        throw Error(ErrorKind::Input, "The program that draws charts is not installed", renderer.string(),
                    installHint);
    return renderer;
}

/// Becomes the renderer: its sentences and exit codes are the runner's.
int chart(const ChartArguments& arguments) {
    (void)chartKindOf(arguments.kind);
    std::vector<std::string> line{
        rendererBesideThis().string(), "--kind", arguments.kind, "-o", arguments.output, "--"};
    line.insert(line.end(), arguments.runs.begin(), arguments.runs.end());
    std::vector<char*> words;
    std::ranges::transform(line, std::back_inserter(words), [](std::string& word) { return word.data(); });
    words.push_back(nullptr);
    execv(words.front(), words.data());
    throw Error(ErrorKind::Input,
                fmt::format("The program that draws charts does not start: {}", std::strerror(errno)),
                line.front(), installHint);
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
    app.add_option("RUN", arguments->runs, "Run folders")->required()->type_name("DIR");
    app.add_option("--kind", arguments->kind, kindsHelp())->capture_default_str();
    app.add_option("-o,--output", arguments->output, "File to write: .png, .svg, .pdf, .csv or .json")
        ->required()
        ->type_name("FILE");
    return [arguments] { return chart(*arguments); };
}

}  // namespace meshreel
