// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <QApplication>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/standard_streams.h"
#include "engine/base/worker_pool.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "ui/benchmarks/gallery_benchmarks.h"
#include "ui/benchmarks/ui_benchmarks.h"
#include "ui/charts/chart_sheet.h"
#include "ui/window/application.h"

namespace {

using meshreel::BenchmarkRow;

struct Arguments {
    bool json = false;
    bool paintOnce = false;
    std::string history;
};

/// Calls `onRow` with every row as it comes.
std::vector<BenchmarkRow> measure(const std::function<void(const BenchmarkRow&)>& onRow) {
    const QTemporaryDir folder;
    // Neither the queue nor the runs of the person measuring.
    qputenv("XDG_DATA_HOME", folder.path().toLocal8Bit());
    const auto scratch = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
    std::vector<BenchmarkRow> rows;
    const auto add = [&](BenchmarkRow row) {
        onRow(row);
        rows.push_back(std::move(row));
    };
    add(meshreel::measureFirstPaint(QCoreApplication::applicationFilePath(),
                                    {QStringLiteral("--paint-once")}));
    add(meshreel::measureChartPan());
    add(meshreel::measureRunList(scratch("list")));
    for (BenchmarkRow& row : meshreel::measureGallery(scratch("gallery")))
        add(std::move(row));
    add(meshreel::measureStall(scratch("runs")));
    add(meshreel::measureTimelinePan());
    return rows;
}

void silent(const BenchmarkRow& /*row*/) {}

void printRow(const BenchmarkRow& row) {
    std::puts(meshreel::benchmarkLine(row).c_str());
    std::fflush(stdout);
}

void bench(const Arguments& arguments) {
    if (!arguments.json)
        std::puts(meshreel::benchmarkHeader().c_str());
    const std::vector<BenchmarkRow> rows = measure(arguments.json ? silent : printRow);
    const nlohmann::ordered_json benchmark = meshreel::benchmarkJson(rows, meshreel::availableCpus());
    if (arguments.json)
        std::puts(benchmark.dump(2).c_str());
    if (!arguments.history.empty())
        meshreel::appendToHistory(meshreel::expandTilde(arguments.history), benchmark);
}

void start(int argc, char* argv[], const Arguments& arguments) {
    const meshreel::OffscreenSession session;
    QStandardPaths::setTestModeEnabled(true);  // the layout of the person measuring stays untouched
    QApplication application(argc, argv);
    meshreel::setUpApplication(application);
    QApplication::setApplicationName(QStringLiteral("meshreel-bench-ui"));
    if (arguments.paintOnce)
        meshreel::paintOnce();
    else
        bench(arguments);
}

}  // namespace

// What a handler throws (no memory for its sentence) has to end the program.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char* argv[]) {
    meshreel::fillStandardStreams();
    Arguments arguments;
    CLI::App app("Measures how fluid the Studio is, without a display; meshreel bench ui starts it");
    app.add_flag("--json", arguments.json, "Print one JSON object");
    app.add_option("--append", arguments.history, "Add this run to a history file, a JSON object a line")
        ->type_name("FILE");
    app.add_flag("--paint-once", arguments.paintOnce, "Show the window, print \"painted\" and end");
    try {
        app.parse(argc, argv);
        start(argc, argv, arguments);
        return 0;
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& failure) {
        std::fprintf(stderr, "meshreel: %s\n", failure.what());
        return meshreel::exitCode(meshreel::ErrorKind::Project);
    } catch (const meshreel::Error& failure) {
        std::fprintf(stderr, "meshreel: %s\n", failure.what());
        return meshreel::exitCode(failure.kind());
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "meshreel: %s\n", failure.what());
        return meshreel::exitCode(meshreel::ErrorKind::Internal);
    }
}
