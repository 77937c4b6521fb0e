// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/text_progress.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/planning/run_plan.h"
#include "engine/studies/tile_report.h"
#include "engine/studies/tile_tuning.h"
#include "engine/timing/tile_times.h"

namespace meshreel {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

struct TuneArguments {
    ProjectArguments project;
    std::string mode = "smart";
    TileTuningOptions options;
    std::int64_t scratchMebibytes = 0;
    std::string outFolder;
    bool dryRun = false;
};

void say(const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
}

void writeTable(const TuneArguments& arguments, const TileTuning& tuning) {
    if (arguments.outFolder.empty()) {
        say(tileSearchResults(tuning.task.sequence, arguments.options.mode, tuning.trials));
        return;
    }
    const std::filesystem::path folder = expandTilde(arguments.outFolder);
    std::filesystem::create_directories(folder);
    writeFileAtomically(folder / tileTableName, csvOf(tileTable(tuning.trials)));
    say(fmt::format("[tile-search] wrote {}\n", withTilde(folder / tileTableName)));
}

/// Keeps the project's own sizes where nothing was clearly faster.
void applyWinner(const TuneArguments& arguments, const TileTuning& tuning, const TileTrial* winner) {
    constexpr double milliseconds = 1e3;
    const bool ownRan = tuning.now.status == TrialStatus::Ok;
    if (ownRan)
        say(fmt::format("[tile-search] the project's own: bq={} bkv={} bkv_compute={} -> {:.2f} ms\n",
                        tuning.now.blocks.blockQ, tuning.now.blocks.blockKv, tuning.now.blocks.blockKvCompute,
                        tuning.now.mean() * milliseconds));
    if (winner == nullptr || !clearlyFaster(*winner, tuning.now)) {
        say(winner == nullptr
                ? "[tile-search] no config succeeded; keeping configured flash_block_sizes\n"
                : "[tile-search] nothing is clearly faster; keeping configured flash_block_sizes\n");
        return;
    }
    if (arguments.dryRun)
        return;
    const std::filesystem::path file = expandTilde(arguments.project.file);
    FlashBlockSizes blocks = winner->blocks;
    blocks.blockKvComputeIn = 0;  // automatic, as it was timed
    writeTiles(file, blocks);
    say(fmt::format("[tile-search] wrote flash_block_sizes to {}\n", withTilde(file)));
}

int tune(TuneArguments& arguments) {
    arguments.options.mode = std::ranges::find(tileGridModes(), arguments.mode, &TileGridRow::name)->mode;
    arguments.options.scratchBytes = arguments.scratchMebibytes * mebibyte;
    ProgressLines messages;
    const PlanOptions planOptions{.oversubscribe = arguments.project.overrides.oversubscribe};
    const RunPlan plan =
        makePlan(loadProjectWith(arguments.project, messages, [](const Project&) { return 1; }), planOptions);
    const TileTuningTask task = planTiles(plan, arguments.options);
    say(tileSearchHeader(task.label, task.sequence, arguments.options.mode, task.choices.size(),
                         arguments.options.timing));
    const Interrupt interrupt;
    const TileTuning tuning = tuneTiles(plan, task, arguments.options.timing, interrupt.token(),
                                        [](std::size_t index, std::size_t count, const TileTrial& trial) {
                                            say(tileTrialLine(index, count, trial));
                                        });
    writeTable(arguments, tuning);
    const TileTrial* winner = fastestTrial(tuning.trials);
    say(tileWinnerLine(winner));
    applyWinner(arguments, tuning, winner);
    return winner != nullptr ? 0 : exitCode(ErrorKind::Resources);
}

std::string modesHelp() {
    std::string help = "Which sizes to try:";
    for (const TileGridRow& row : tileGridModes())
        help += fmt::format("\n  {}: {}", row.name, row.help);
    return help;
}

}  // namespace

Action declareTune(CLI::App& app) {
    const auto arguments = std::make_shared<TuneArguments>();
    TileTuningOptions& options = arguments->options;
    addProjectArguments(app, arguments->project, ProjectRequired::Yes);
    std::vector<std::string> modes;
    for (const TileGridRow& row : tileGridModes())
        modes.emplace_back(row.name);
    app.add_option("--mode", arguments->mode, modesHelp())
        ->check(CLI::IsMember(modes))
        ->capture_default_str();
    app.add_option("--k", options.count, "smart: sizes of block_q, and of block_kv beside each")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--step", options.step, "full: sizes are multiples of this, itself one of 128")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--max-configs", options.mostChoices, "full: only the first N pairs")->type_name("N");
    app.add_option("--iters", options.timing.iterations, "Passes of each choice that count")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--warmup", options.timing.warmUp, "Passes before them")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--vmem-mb", arguments->scratchMebibytes,
                   "Scratch of a worker in MiB; not given: vmem_limit_bytes, or this CPU's caches")
        ->check(CLI::PositiveNumber);
    app.add_option("--out-dir", arguments->outFolder, "Write tile_size_grid_search.csv there")
        ->type_name("DIR");
    app.add_flag("--dry-run", arguments->dryRun, "Leave the project as it is");
    return [arguments] { return tune(*arguments); };
}

}  // namespace meshreel
