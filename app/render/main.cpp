// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/standard_streams.h"
#include "engine/base/strings.h"
#include "engine/runs/rated_runs.h"
#include "engine/runs/records/chart_kind.h"
#include "engine/runs/records/roofline.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_record_reader.h"
#include "ui/charts/chart_sheet.h"
#include "ui/charts/roofline_chart.h"
#include "ui/charts/run_charts.h"
#include "ui/report/report_contents.h"
#include "ui/report/report_export.h"

namespace {

struct Arguments {
    std::string kind;
    std::string output;
    std::vector<std::string> runs;
};

/// Also the table of a tile search, which is not a run to compare with others.
std::vector<meshreel::RunRecord> chartedRecords(const std::string& path, meshreel::ChartKind kind) {
    const std::filesystem::path source = meshreel::expandTilde(path);
    if (std::optional<meshreel::RunRecord> search = meshreel::readTileSearch(source))
        return {*std::move(search)};
    return meshreel::readRunRecords(source, meshreel::chartKindRow(kind).reads);
}

bool isDrawn(meshreel::ChartKind kind, const meshreel::RunRecord& run) {
    try {
        static_cast<void>(meshreel::runChart(kind, {run}));
        return true;
    } catch (const meshreel::Error& failure) {
        std::fprintf(stderr, "meshreel: %s is left out: %s\n", meshreel::visibleText(run.name).c_str(),
                     meshreel::visibleText(failure.what()).c_str());
        return false;
    }
}

/// Pasted timings hold no steps, devices or memory; beside runs that do, they are left out by name.
void leaveOutPasted(meshreel::ChartKind kind, std::vector<meshreel::RunRecord>& runs) {
    if (!std::ranges::all_of(runs, &meshreel::RunRecord::pasted))
        std::erase_if(runs,
                      [kind](const meshreel::RunRecord& run) { return run.pasted && !isDrawn(kind, run); });
}

int chart(const Arguments& arguments) {
    const meshreel::ChartKind kind = meshreel::findChartKind(arguments.kind);
    std::vector<meshreel::Error> unread;
    std::vector<meshreel::RunRecord> runs = meshreel::readEach(
        arguments.runs, [kind](const std::string& run) { return chartedRecords(run, kind); }, unread);
    if (meshreel::chartKindRow(kind).ofVotes)
        meshreel::addRatings(runs);
    leaveOutPasted(kind, runs);
    meshreel::exportChart(meshreel::expandTilde(arguments.output), meshreel::runChart(kind, runs));
    return meshreel::sayWhatIsLeftOut(unread);
}

int report(const Arguments& arguments) {
    const std::filesystem::path file = meshreel::expandTilde(arguments.output);
    meshreel::requireReportFormat(file);
    std::vector<meshreel::Error> unread;
    std::vector<meshreel::ReportedRun> runs = meshreel::readEach(
        arguments.runs,
        [](const std::string& run) { return meshreel::readReportedRuns(meshreel::expandTilde(run)); },
        unread);
    meshreel::exportReport(file, std::move(runs));
    return meshreel::sayWhatIsLeftOut(unread);
}

/// Draws the numbers that standard input holds.
void roofline(const Arguments& arguments) {
    const std::string numbers(std::istreambuf_iterator<char>(std::cin), {});
    meshreel::exportChart(meshreel::expandTilde(arguments.output),
                          meshreel::rooflineSheet(meshreel::parseRoofline(numbers)));
}

CLI::App* declare(CLI::App& app, const char* name, const char* help, Arguments& arguments) {
    CLI::App* command = app.add_subcommand(name, help);
    command->add_option("-o,--output", arguments.output, "File to write")->required();
    return command;
}

CLI::App* declareOfRuns(CLI::App& app, const char* name, const char* help, Arguments& arguments) {
    CLI::App* command = declare(app, name, help, arguments);
    command->add_option("RUN", arguments.runs, "Run folders")->required();
    return command;
}

int fail(meshreel::ErrorKind kind, const char* sentence) {
    std::fprintf(stderr, "meshreel: %s\n", meshreel::visibleText(sentence).c_str());
    return meshreel::exitCode(kind);
}

}  // namespace

// What a handler throws (no memory for its sentence) has to end the program.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char* argv[]) {
    meshreel::fillStandardStreams();
    Arguments arguments;
    CLI::App app("Draws to a file, without a display; meshreel chart, report and bench --roofline start it");
    app.require_subcommand(1);
    declareOfRuns(app, "chart", "One chart", arguments)
        ->add_option("--kind", arguments.kind, "What to show")
        ->required();
    const CLI::App* reported = declareOfRuns(app, "report", "A page about the runs", arguments);
    const CLI::App* roofed =
        declare(app, "roofline", "Measured operations under the machine's limits", arguments);
    try {
        app.parse(argc, argv);
        const meshreel::OffscreenSession session;
        const QApplication application(argc, argv);
        if (reported->parsed())
            return report(arguments);
        if (!roofed->parsed())
            return chart(arguments);
        roofline(arguments);
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
