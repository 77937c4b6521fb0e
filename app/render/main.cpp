// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/runs/run_record_reader.h"
#include "engine/timing/chart_kinds.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/run_charts.h"

namespace {

struct Arguments {
    std::string kind;
    std::string output;
    std::vector<std::string> runs;
};

void draw(const Arguments& arguments) {
    const meshreel::ChartKind kind = meshreel::chartKindOf(arguments.kind);
    std::vector<meshreel::RunRecord> runs;
    for (const std::string& run : arguments.runs)
        std::ranges::move(meshreel::readRunRecords(meshreel::expandTilde(run)), std::back_inserter(runs));
    meshreel::exportChart(meshreel::expandTilde(arguments.output), meshreel::runChart(kind, runs));
}

int fail(meshreel::ErrorKind kind, const char* sentence) {
    std::fprintf(stderr, "meshreel: %s\n", sentence);
    return meshreel::exitCode(kind);
}

}  // namespace

// What a handler throws (no memory for its sentence) has to end the program.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char* argv[]) {
    Arguments arguments;
    CLI::App app("Draws a chart of runs to a file, without a display; meshreel chart starts it");
    app.add_option("RUN", arguments.runs, "Run folders")->required();
    app.add_option("--kind", arguments.kind, "What to show")->required();
    app.add_option("-o,--output", arguments.output, "File to write")->required();
    try {
        app.parse(argc, argv);
        qputenv("QT_QPA_PLATFORM", "offscreen");
        const QApplication application(argc, argv);
        draw(arguments);
        return 0;
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& failure) {
        return fail(meshreel::ErrorKind::Project, failure.what());
    } catch (const meshreel::Error& failure) {
        return fail(failure.kind(), failure.what());
    } catch (const std::exception& failure) {
        return fail(meshreel::ErrorKind::Internal, failure.what());
    }
}
