// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "engine/base/paths.h"
#include "engine/mesh/machine_load.h"
#include "engine/project/sweep_file.h"
#include "engine/studies/sweep.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

struct SweepArguments {
    std::string file;
    std::string folder;
    int repeats = 0;
    bool list = false;
    bool oversubscribe = false;
};

void printRow(const SweepRow& row, std::size_t done, std::size_t total) {
    if (row.refusal.empty())
        fmt::print("[{}/{}] {}: {:.3f} s\n", done, total, row.cell, row.seconds);
    else
        fmt::print("{}: refused. {}\n", row.cell, row.refusal);
    std::fflush(stdout);
}

int sweep(const SweepArguments& arguments) {
    const fs::path file = expandTilde(arguments.file);
    SweepFile sweep = loadSweep(file);
    sweep.oversubscribe = arguments.oversubscribe;
    if (arguments.repeats > 0)
        sweep.repeats = arguments.repeats;
    if (arguments.list) {
        for (const SweepCell& cell : sweepCells(sweep))
            fmt::print("{}\n", cell.name());
        return 0;
    }
    const fs::path folder =
        arguments.folder.empty() ? fs::path(file.stem().string() + "-sweep") : expandTilde(arguments.folder);
    const Interrupt interrupt;
    const std::vector<SweepRow> rows = runSweep(sweep, folder, interrupt.token(), printRow);
    fmt::print("\n{}\nEvery pass: {}\n", alignedText(sweepSummary(sweep, rows)),
               withTilde(folder / "sweep.csv"));
    return 0;
}

}  // namespace

Action declareSweep(CLI::App& app) {
    const auto arguments = std::make_shared<SweepArguments>();
    app.add_option("FILE", arguments->file, "The sweep: configs/sweeps/attention-strategies.yaml is one")
        ->required()
        ->type_name("FILE");
    app.add_option("-o,--output", arguments->folder,
                   "Folder of the results; FILE's name with -sweep behind it when not given. One that holds "
                   "passes already goes on")
        ->type_name("DIR");
    app.add_option("--repeats", arguments->repeats, "Passes of each cell, in place of the file's")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    app.add_flag("--list", arguments->list, "Print the cells and stop");
    app.add_flag(oversubscribeOption, arguments->oversubscribe, oversubscribeHelp);
    return [arguments] { return sweep(*arguments); };
}

}  // namespace meshreel
