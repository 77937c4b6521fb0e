// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/paths.h"
#include "engine/runs/run_record_reader.h"
#include "engine/timing/best_configs.h"
#include "engine/timing/run_summaries.h"

namespace meshreel {
namespace {

struct CompareArguments {
    std::vector<std::string> runs;
    bool csv = false;
    bool json = false;
    bool markdown = false;
    bool best = false;
    bool summaries = false;
};

using TableWriter = std::string (*)(const DataTable& table);

TableWriter writerOf(const CompareArguments& arguments) {
    return arguments.csv ? csvOf : arguments.json ? jsonOf : arguments.markdown ? markdownOf : alignedText;
}

int compare(const CompareArguments& arguments) {
    std::vector<RunRecord> runs;
    for (const std::string& run : arguments.runs)
        std::ranges::move(readRunRecords(expandTilde(run)), std::back_inserter(runs));
    const bool best = arguments.best || arguments.markdown;
    const DataTable table = best ? bestConfigs(runs) : comparisonTable(runs);
    fmt::print("{}", writerOf(arguments)(table));
    if (const std::string summaries = runSummaries(runs); arguments.summaries && !summaries.empty())
        fmt::print("\n{}", summaries);
    return 0;
}

}  // namespace

Action declareCompare(CLI::App& app) {
    const auto arguments = std::make_shared<CompareArguments>();
    app.add_option(
           "RUN", arguments->runs,
           "Run folders, or text files with pasted timing summaries; speeds are relative to the first")
        ->required()
        ->type_name("RUN");
    auto* csv = app.add_flag("--csv", arguments->csv, "Print comma-separated values");
    auto* json = app.add_flag("--json", arguments->json, "Print a JSON array")->excludes(csv);
    app.add_flag("--best", arguments->best,
                 "Only the fastest run of each attention mode and number of devices, with its mesh and block "
                 "sizes");
    app.add_flag("--markdown", arguments->markdown, "Print those as a Markdown table")
        ->excludes(csv)
        ->excludes(json);
    app.add_flag("--summaries", arguments->summaries, "Print the timing summary of every run too")
        ->excludes(csv)
        ->excludes(json);
    return [arguments] { return compare(*arguments); };
}

}  // namespace meshreel
