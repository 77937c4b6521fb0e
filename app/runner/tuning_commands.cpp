// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/rank_launch.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/base/units.h"
#include "engine/launch/rank_process.h"
#include "engine/measure/evaluation/evaluation.h"
#include "engine/measure/evaluation/evaluation_data.h"
#include "engine/measure/magcache_calibration.h"
#include "engine/measure/measured_here.h"
#include "engine/measure/sweep.h"
#include "engine/measure/tile_search.h"
#include "engine/measure/tile_tuning.h"
#include "engine/measure/timed_forward.h"
#include "engine/mesh/cpu_placement.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/planning/run_plan.h"
#include "engine/project/numbers.h"
#include "engine/project/presets.h"
#include "engine/project/sweep_file.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/run_record.h"
#include "engine/runs/run_record_reader.h"
#include "engine/timing/verdict.h"

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

void sayAtOnce(const std::string& text) {
    say("{}", text);
    std::fflush(stdout);
}

void writeTable(const TuneArguments& arguments, const TileTuning& tuning) {
    if (arguments.outFolder.empty()) {
        sayAtOnce(tileSearchResults(tuning.task.sequence, arguments.options.mode, tuning.trials));
        return;
    }
    const std::filesystem::path folder = expandTilde(arguments.outFolder);
    std::filesystem::create_directories(folder);
    writeFileAtomically(folder / tileTableName, toCsv(tileTable(tuning.trials)));
    // Beside the table, whose columns are MaxDiffusion's.
    writeFileAtomically((folder / tileTableName).replace_extension(".machine.json"),
                        measuringMachine().dump(2) + "\n");
    sayAtOnce(fmt::format("[tile-search] wrote {}\n", withTilde(folder / tileTableName)));
}

/// Keeps the project's own sizes where nothing was clearly faster.
void applyWinner(const TuneArguments& arguments, const TileTuning& tuning, const TileSample* winner) {
    if (tuning.now.hasRun())
        sayAtOnce(fmt::format("[tile-search] the project's own: bq={} bkv={} bkv_compute={} -> {:.2f} ms\n",
                              tuning.now.blocks.blockQ, tuning.now.blocks.blockKv,
                              tuning.now.blocks.blockKvCompute, tuning.now.mean() * millisecondsPerSecond));
    if (winner == nullptr) {
        sayAtOnce("[tile-search] no config succeeded; keeping configured flash_block_sizes\n");
        return;
    }
    if (tuning.now.hasRun()) {
        const Verdict verdict = judgeFastest(*winner, tuning.now, tuning.trials.size());
        sayAtOnce(fmt::format("[tile-search] winner {}; own {}. {}\n", timesSentence(winner->times()),
                              timesSentence(tuning.now.times()), verdictSentence(verdict)));
        if (verdict.difference != Difference::Faster) {
            sayAtOnce("[tile-search] nothing is clearly faster; keeping configured flash_block_sizes\n");
            return;
        }
    }
    if (arguments.dryRun)
        return;
    const std::filesystem::path file = expandTilde(arguments.project.file);
    writeTiles(file, winner->blocks);
    sayAtOnce(fmt::format("[tile-search] wrote flash_block_sizes to {}\n", withTilde(file)));
}

constexpr const char* gpuTableName = "gpu_block_search.csv";

std::string gpuSampleLine(std::size_t index, std::size_t count, const GpuSample& trial) {
    const std::string name = fmt::format("  [{}/{}] {}{}{}", index + 1, count, trial.form,
                                         trial.block.empty() ? "" : " ", trial.block);
    return trial.timing.status == SampleStatus::Ok
               ? fmt::format("{}: {:.2f}ms\n", name, trial.timing.mean() * millisecondsPerSecond)
               : fmt::format("{}: {}\n", name, nameOf(trial.timing.status));
}

std::string gpuWinnerLine(const TunedKernel& kernel, bool kept) {
    const GpuSample* winner = kernel.fastest();
    if (winner == nullptr)
        return fmt::format("[gpu-search] {}: no candidate for {} succeeded\n", kernel.gpu.facts.name,
                           kernel.kernel);
    const std::optional<Verdict> verdict = kernel.verdict();
    return fmt::format("[gpu-search] {}: WINNER of {}: {}{}{}{}{}\n", kernel.gpu.facts.name, kernel.kernel,
                       winner->form, winner->block.empty() ? "" : " ", winner->block,
                       kernel.trials.size() == 1 ? ", the only candidate on this GPU"
                       : kept                    ? "; runs on this GPU take it from now on"
                                                 : "",
                       verdict ? fmt::format(". Beside what they took: {}", verdictSentence(*verdict)) : "");
}

/// The forms and blocks of the GPUs that the plan names.
int tunePlannedGpus(const TuneArguments& arguments, const RunPlan& plan) {
    const Interrupt interrupt;
    std::string header;
    const std::vector<TunedKernel> kernels =
        tuneGpus(plan, arguments.options.timing, interrupt.token(),
                 [&](const TunedKernel& kernel, std::size_t index, const GpuSample& trial) {
                     const std::string other = fmt::format("[gpu-search] {}: {}, {}\n", kernel.gpu.facts.name,
                                                           kernel.kernel, kernel.size);
                     if (header != other)
                         sayAtOnce(header = other);
                     sayAtOnce(gpuSampleLine(index, kernel.trials.size(), trial));
                 });
    if (!arguments.dryRun)
        keepFastest(kernels);
    const DataTable table = gpuTable(kernels);
    if (arguments.outFolder.empty()) {
        sayAtOnce(alignedText(table));
    } else {
        const std::filesystem::path file = expandTilde(arguments.outFolder) / gpuTableName;
        std::filesystem::create_directories(file.parent_path());
        writeFileAtomically(file, toCsv(table));
        sayAtOnce(fmt::format("[gpu-search] wrote {}\n", withTilde(file)));
    }
    for (const TunedKernel& kernel : kernels)
        sayAtOnce(gpuWinnerLine(kernel, !arguments.dryRun));
    const bool found =
        std::ranges::all_of(kernels, [](const TunedKernel& kernel) { return kernel.fastest() != nullptr; });
    return found ? 0 : exitCode(ErrorKind::Device);
}

int tune(TuneArguments& arguments) {
    arguments.options.mode = std::ranges::find(tileGridModes(), arguments.mode, &TileGridRow::name)->mode;
    arguments.options.scratchBytes = arguments.scratchMebibytes * mebibyte;
    const ExaminedProject examined = loadExamined(
        arguments.project, {.ranks = 1, .oversubscribe = arguments.project.overrides.oversubscribe},
        ModelNeed::Weights);
    const RunPlan& plan = *examined.forecast.plan;
    if (!plan.placement.gpus.empty())
        return tunePlannedGpus(arguments, plan);
    const TileTuningTask task = planTiles(plan, arguments.options);
    sayAtOnce(tileSearchHeader(task.label, task.sequence, arguments.options.mode, task.choices.size(),
                               arguments.options.timing));
    const Interrupt interrupt;
    const TileTuning tuning = tuneTiles(plan, task, arguments.options.timing, interrupt.token(),
                                        [](std::size_t index, std::size_t count, const TileSample& trial) {
                                            sayAtOnce(tileSampleLine(index, count, trial));
                                        });
    writeTable(arguments, tuning);
    const TileSample* winner = fastestSample(tuning.trials);
    sayAtOnce(tileWinnerLine(winner));
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
    app.add_option("--out-dir", arguments->outFolder,
                   "Write tile_size_grid_search.csv there, or gpu_block_search.csv for a project on a GPU")
        ->type_name("DIR");
    app.add_flag("--dry-run", arguments->dryRun, "Leave the project, or what runs on the GPU take, as it is");
    return [arguments] { return tune(*arguments); };
}

namespace {

constexpr const char* magCache = "magcache";

struct CalibrateArguments {
    std::string what;
    ProjectArguments project;
    std::string out;
};

int calibrate(const CalibrateArguments& arguments) {
    ProjectArguments calibrated = arguments.project;
    std::ranges::move(calibrationSettings(), std::back_inserter(calibrated.overrides.set));
    const ExaminedProject examined = loadExamined(
        calibrated,
        {.ranks = 1, .oversubscribe = calibrated.overrides.oversubscribe, .measuresMagRatios = true},
        ModelNeed::Weights);
    const RunPlan& plan = *examined.forecast.plan;
    const std::filesystem::path file = expandTilde(arguments.out);
    const Interrupt interrupt;
    const std::vector<double> curve = measureMagCurve(plan, progressLines(), interrupt.token());
    writeMagCurve(file, plan, curve);
    say("Curve of {} steps written to {}\nTo use it: use_magcache: true and mag_ratios_file: {}\n",
        plan.steps(), withTilde(file), arguments.out);
    return 0;
}

}  // namespace

Action declareCalibrate(CLI::App& app) {
    const auto arguments = std::make_shared<CalibrateArguments>();
    app.add_option("WHAT", arguments->what,
                   "magcache: the curve that MagCache goes by, of the project's model and settings")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>{magCache}));
    addProjectArguments(app, arguments->project, ProjectRequired::Yes);
    app.add_option("-o,--out", arguments->out, "File to write")->required()->type_name("FILE");
    return [arguments] { return calibrate(*arguments); };
}

namespace {

namespace fs = std::filesystem;

struct SweepArguments {
    std::string file;
    std::string folder;
    std::string hosts;
    std::string cell;
    int repeats = 0;
    bool list = false;
    bool oversubscribe = false;
};

/// Times the passes of one cell, and prints a line of JSON for each: `meshreel sweep` launches this on hosts.
int timeOneCell(const SweepFile& sweep, const std::string& cell, MpiSession* ranks, const StopToken& stop) {
    timePasses(sweep, cell, ranks, stop, [](const ForwardPass& pass) {
        say("{}\n", passLine(pass));
        std::fflush(stdout);
    });
    return 0;
}

/// The file is on rank 0's host: the others get its text.
int sweepAsRank(const SweepArguments& arguments) {
    return runAsStoppableRank(
        arguments.oversubscribe ? RankLoad::Unlimited : RankLoad::Limited,
        [&](MpiSession& session, const StopToken& stop) {
            const fs::path file = expandTilde(arguments.file);
            SweepFile sweep = readSweep(
                session.broadcastText(session.rank() == 0 ? readFile(file) : std::string()), withTilde(file));
            sweep.oversubscribe = arguments.oversubscribe;
            if (arguments.repeats > 0)
                sweep.repeats = arguments.repeats;
            return timeOneCell(sweep, arguments.cell, &session, stop);
        });
}

void printRow(const SweepRow& row, std::size_t done, std::size_t total) {
    if (row.refusal.empty())
        say("[{}/{}] {}: {:.3f} s\n", done, total, row.cell, row.seconds);
    else
        say("{}: {}. {}\n", row.cell, row.failed ? "failed" : "refused", row.refusal);
    std::fflush(stdout);
}

int sweep(const SweepArguments& arguments) {
    if (underMpirun()) {
        if (arguments.cell.empty())
            throw Error(ErrorKind::Project, "ranks time one cell of a sweep", "meshreel sweep",
                        "Name it with --cell, or start the sweep without mpirun, with --hosts");
        return sweepAsRank(arguments);
    }
    const fs::path file = expandTilde(arguments.file);
    SweepFile sweep = loadSweep(file);
    sayWarnings(sweep.warnings);
    sweep.oversubscribe = arguments.oversubscribe;
    if (!arguments.hosts.empty())
        sweep.base.hosts = fs::absolute(expandTilde(arguments.hosts)).string();
    if (arguments.repeats > 0)
        sweep.repeats = arguments.repeats;
    if (arguments.list) {
        for (const SweepCell& cell : sweepCells(sweep))
            say("{}\n", cell.name());
        return sayWhatIsLeftOut(sweep.leftOut);
    }
    if (!arguments.cell.empty()) {
        const Interrupt interrupt;
        return timeOneCell(sweep, arguments.cell, nullptr, interrupt.token());
    }
    const fs::path folder =
        arguments.folder.empty() ? fs::path(file.stem().string() + "-sweep") : expandTilde(arguments.folder);
    const Interrupt interrupt;
    const SweepPasses passes = runSweep(sweep, folder, interrupt.token(), printRow);
    say("\n{}\nEvery pass: {}\n", alignedText(sweepSummary(sweep, passes.rows)),
        withTilde(folder / "sweep.csv"));
    for (const Sentence& note : passes.notes)
        say(stderr, "meshreel: {}\n", note);
    return sayWhatIsLeftOut(passes.leftOut);
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
    auto* list = app.add_flag("--list", arguments->list, "Print the cells and stop");
    auto* hosts = app.add_option("--hosts", arguments->hosts,
                                 "Time the cells on MPI ranks that are launched on the hosts of this file");
    hosts->type_name("FILE")->excludes(list);
    app.add_option("--cell", arguments->cell,
                   "Time this cell alone, here or as one of several MPI ranks, and print a line of JSON for "
                   "each pass")
        ->type_name("NAME")
        ->excludes(list)
        ->excludes(hosts)
        ->excludes("--output");
    app.add_flag(oversubscribeOption, arguments->oversubscribe, oversubscribeHelp);
    return [arguments] { return sweep(*arguments); };
}

namespace {

struct EvaluateArguments {
    EvaluationSettings settings;
    std::string size = "64x64x17";
    std::size_t prompts = 0;  // 0: all
    Seed seed = EvaluationSettings().seed;
    std::string out;
    bool json = false;
};

/// Reads "WIDTHxHEIGHTxFRAMES".
void readSize(const std::string& size, EvaluationSettings& settings) {
    int used = 0;
    const int read = std::sscanf(size.c_str(), "%ldx%ldx%ld%n", &settings.width, &settings.height,
                                 &settings.frames, &used);
    if (read != 3 || static_cast<std::size_t>(used) != size.size())
        throw Error(ErrorKind::Project, fmt::format("'{}' is no size of a video", size), "--size",
                    "Write WIDTHxHEIGHTxFRAMES: 64x64x17");
}

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const SamplingPreset& preset : samplingPresets())
        names.emplace_back(preset.name);
    return names;
}

/// Draws a random seed when the evaluation begins, and reads it from the folder when it continues.
std::uint64_t chooseSeed(const Seed& wanted, const std::filesystem::path& folder, std::size_t videos) {
    if (!wanted)
        return EvaluationFolder::recordedSeed(folder).value_or(drawSeed());
    const std::uint64_t most =
        std::numeric_limits<std::uint64_t>::max() - (std::max<std::size_t>(videos, 1) - 1);
    if (*wanted > most)
        throw Error(ErrorKind::Project, sentence("each of the {} videos has the next seed", videos), "--seed",
                    sentence("Write {} at most", most));
    return *wanted;
}

std::filesystem::path folderOf(const EvaluateArguments& arguments) {
    if (!arguments.out.empty())
        return expandTilde(arguments.out);
    const std::filesystem::path model = expandTilde(arguments.settings.model).lexically_normal();
    const std::filesystem::path name =
        model.has_filename() ? model.filename() : model.parent_path().filename();
    return std::filesystem::path("evaluation") / name;
}

int evaluate(EvaluateArguments arguments) {
    readSize(arguments.size, arguments.settings);
    followPreset(arguments.settings);
    std::vector<HeldOutPrompt> prompts = readHeldOutPrompts(heldOutPromptsFile());
    if (arguments.prompts > 0)
        prompts.resize(std::min(arguments.prompts, prompts.size()));
    const Interrupt interrupt;
    const std::filesystem::path place = folderOf(arguments);
    arguments.settings.seed = chooseSeed(arguments.seed, place, prompts.size());
    const EvaluationFolder folder(place, arguments.settings);
    if (folder.note())
        say(stderr, "meshreel: {}\n", *folder.note());
    const auto tell = [&](std::size_t done, const EvaluatedClip& newest) {
        say(stderr, "[{}/{}] {}\n", done, prompts.size(), findingsLine(newest));
    };
    const Evaluation evaluation = evaluateModel(arguments.settings, prompts, folder, tell, interrupt.token());
    writeResults(evaluation, folder);
    for (const Sentence& note : evaluation.notes)
        say(stderr, "meshreel: {}\n", note);
    say("{}", arguments.json ? evaluationJson(evaluation) : evaluationTable(evaluation));
    return 0;
}

}  // namespace

Action declareEvaluate(CLI::App& app) {
    const auto arguments = std::make_shared<EvaluateArguments>();
    EvaluationSettings& settings = arguments->settings;
    app.add_option("MODEL", settings.model,
                   "Installed model or folder, trained on the embedded model's scenes")
        ->required();
    app.add_option("--prompts", arguments->prompts, "Only the first N of the list; all when not given")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    app.add_option("--size", arguments->size, "The videos, WIDTHxHEIGHTxFRAMES")->capture_default_str();
    CLI::Option* steps = app.add_option("--steps", settings.steps, "Denoising steps")
                             ->check(CLI::Range(1, 1000))
                             ->capture_default_str();
    CLI::Option* guidance = app.add_option("--guidance", settings.guidance, "Guidance scale")
                                ->check(CLI::NonNegativeNumber)
                                ->capture_default_str();
    CLI::Option* flowShift = app.add_option("--flow-shift", settings.flowShift,
                                            "Moves the noise levels of the steps towards high noise")
                                 ->check(CLI::Range(0.01, 100.0))
                                 ->capture_default_str();
    app.add_option("--preset", settings.preset, "Of sampling, in place of steps, guidance and flow shift")
        ->check(CLI::IsMember(presetNames()))
        ->capture_default_str()
        ->excludes(steps)
        ->excludes(guidance)
        ->excludes(flowShift);
    addSeedOption(
        app, arguments->seed,
        "Of the first video; each one has the next. -1 draws a random one, which settings.json keeps");
    app.add_option(
           "--clips", settings.clips,
           "Clips of each video, each of which goes on from the one before; measures their seams, too")
        ->type_name("N")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--out", arguments->out,
                   "Keeps videos, figures.json and contact-sheet.png; evaluation/MODEL when not given. A "
                   "stopped evaluation goes on")
        ->type_name("DIR");
    app.add_flag("--json", arguments->json, "Print figures.json in place of the table");
    return [arguments] { return evaluate(*arguments); };
}

}  // namespace meshreel
