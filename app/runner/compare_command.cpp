// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "engine/base/paths.h"
#include "engine/runs/run_record_reader.h"

namespace meshreel {
namespace {

struct CompareArguments {
    std::vector<std::string> runs;
    bool csv = false;
    bool json = false;
    bool summaries = false;
};

int compare(const CompareArguments& arguments) {
    std::vector<RunRecord> runs;
    for (const std::string& run : arguments.runs)
        std::ranges::move(readRunRecords(expandTilde(run)), std::back_inserter(runs));
    const DataTable table = comparisonTable(runs);
    fmt::print("{}", arguments.csv ? csvOf(table) : arguments.json ? jsonOf(table) : alignedText(table));
    if (arguments.summaries)
        for (const RunRecord& run : runs)
            if (run.timings)
                fmt::print("\n{}{}", run.name, formatTimingSummary(*run.timings));
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
    app.add_flag("--summaries", arguments->summaries, "Print the timing summary of every run too")
        ->excludes(csv)
        ->excludes(json);
    return [arguments] { return compare(*arguments); };
}

}  // namespace meshreel
