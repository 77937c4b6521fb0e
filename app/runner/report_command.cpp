// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/renderer.h"

namespace meshreel {
namespace {

struct ReportArguments {
    std::vector<std::string> runs;
    std::string output;
};

}  // namespace

Action declareReport(CLI::App& app) {
    const auto arguments = std::make_shared<ReportArguments>();
    app.add_option(
           "RUN", arguments->runs,
           "Run folders, or text files with pasted timing summaries; speeds are relative to the first")
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
