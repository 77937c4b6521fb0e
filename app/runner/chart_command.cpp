// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/renderer.h"
#include "engine/timing/chart_kinds.h"

namespace meshreel {
namespace {

struct ChartArguments {
    std::vector<std::string> runs;
    std::string kind = "steps";
    std::string output;
};

[[noreturn]] void chart(const ChartArguments& arguments) {
    (void)chartKindOf(arguments.kind);
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
    app.add_option(
           "RUN", arguments->runs,
           "Run folders; text files with pasted timing summaries (stages); the table of a tile search "
           "or its folder (tiles)")
        ->required()
        ->type_name("RUN");
    app.add_option("--kind", arguments->kind, kindsHelp())->capture_default_str();
    app.add_option("-o,--output", arguments->output, "File to write: .png, .svg, .pdf, .csv or .json")
        ->required()
        ->type_name("FILE");
    return [arguments]() -> int { chart(*arguments); };
}

}  // namespace meshreel
