// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/project_arguments.h"
#include "app/runner/run_display.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/stop_token.h"
#include "engine/base/units.h"
#include "engine/base/worker_pool.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/work.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/open_devices.h"
#include "engine/measure/benchmarks/benchmark_groups.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_measurement.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/gpu_benchmark_run.h"
#include "engine/measure/benchmarks/gpu_benchmarks.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/measure/gpu_rate_probes.h"
#include "engine/measure/prediction_trial.h"
#include "engine/measure/rate_measurement.h"
#include "engine/measure/rate_samples.h"
#include "engine/planning/forecast.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/sweep_file.h"
#include "engine/runs/records/data_table.h"
#include "engine/runs/records/roofline.h"
#include "engine/runs/run_record_reader.h"
#include "engine/tensor/compute_device.h"
#include "engine/timing/verdict.h"

namespace meshreel {

namespace {

struct BenchArguments {
    std::string group{allBenchmarks};
    std::string size = "832x480x17";
    std::string dtype = "bf16";
    int workers = availableCpus();
    bool json = false;
    std::string history;
    std::string roofline;
    std::string measured;
    std::string against;
    BenchmarkOptions options;
    std::string gpus{GpuChoice::automaticName};
    VariantFilter variants;
    bool quick = false;
};

constexpr std::array arithmetics{Arithmetic::BF16, Arithmetic::F32, Arithmetic::Int8};

/// Reads "WIDTHxHEIGHTxFRAMES".
void readVideoSize(const std::string& size, BenchmarkOptions& options) {
    int used = 0;
    const int read =
        std::sscanf(size.c_str(), "%ldx%ldx%ld%n", &options.width, &options.height, &options.frames, &used);
    if (read != 3 || static_cast<std::size_t>(used) != size.size() || options.width < 1 ||
        options.height < 1 || options.frames < 1)
        throw Error(ErrorKind::Project, fmt::format("'{}' is no size of a video", size), "--size",
                    "Write WIDTHxHEIGHTxFRAMES: 832x480x17");
}

/// Prints a row as it is measured, with its verdict beside that of an earlier time.
BenchmarkRun::OnRow printerOf(const BenchArguments& arguments) {
    if (arguments.json)
        return {};
    const SecondsByRow before =
        arguments.against.empty() ? SecondsByRow() : readRounds(expandTilde(arguments.against));
    return [before](const BenchmarkRow& row) {
        say("{}\n", benchmarkLine(row));
        if (const std::optional<Verdict> verdict = judgeRow(before, row))
            say("{:<34} {}\n", "", verdictSentence(*verdict));
        std::fflush(stdout);
    };
}

/// Before anything is measured: that it can be drawn.
void requireDrawable(const std::string& file) {
    constexpr std::array extensions{".png", ".svg", ".pdf", ".csv", ".json"};
    const std::string extension = std::filesystem::path(file).extension().string();
    if (std::ranges::find(extensions, extension) == extensions.end())
        throw Error(ErrorKind::Project, sentence("A chart cannot be written as '{}'", extension), file,
                    sentence("Use .png, .svg, .pdf, .csv or .json"));
    requireRenderer();
}

[[noreturn]] void drawRoofline(const std::string& file, const Roofline& roofline) {
    becomeRenderer({"roofline", "-o", file}, rooflineJson(roofline));
}

/// Measured by a program of its own, as the runner links no Qt.
constexpr const char* studioGroup = "ui";

int benchStudio(const BenchArguments& arguments) {
    if (!arguments.against.empty())
        throw Error(ErrorKind::Project, "--against compares rows of the engine, not of the Studio",
                    studioGroup, "Leave it out: meshreel bench ui");
    if (!arguments.roofline.empty())
        throw Error(ErrorKind::Project, "--roofline draws figures of the engine, not of the Studio",
                    studioGroup, "Leave it out: meshreel bench ui");
    if (!arguments.options.wanted.areAll())
        throw Error(ErrorKind::Project, "--only chooses rows of the engine, not of the Studio", studioGroup,
                    "Leave it out: meshreel bench ui");
    std::vector<std::string> words;
    if (arguments.json)
        words.emplace_back("--json");
    if (!arguments.history.empty())
        words.insert(words.end(), {"--append", arguments.history});
    becomeSisterProgram({.name = "meshreel-bench-ui", .whatItIs = "The program that measures the Studio"},
                        std::move(words));
}

/// Returns the GPU to measure. Throws Error{Project} without one.
ChosenGpu requireGpu(const std::string& gpus) {
    const std::optional<ChosenGpu> chosen = gpuNamed(gpus);
    if (!chosen)
        refuseWithoutGpu();
    return *chosen;
}

/// Prints the rows as they are measured.
nlohmann::ordered_json measure(const BenchArguments& arguments) {
    const BenchmarkRun::OnRow printRow = printerOf(arguments);
    const Interrupt interrupt;
    BenchmarkRequest request{.group = arguments.group,
                             .options = arguments.options,
                             .workers = arguments.workers,
                             .variants = arguments.variants,
                             .quick = arguments.quick};
    if (request.group == gpuBenchmarks) {
        request.gpu = requireGpu(arguments.gpus);
        if (!arguments.json)
            say("{}: {}\n", request.gpu->facts.name, request.gpu->facts.driver);
    }
    readVideoSize(arguments.size, request.options);
    for (const Arithmetic arithmetic : arithmetics)
        if (nameOf(arithmetic) == arguments.dtype)
            request.options.arithmetic = arithmetic;
    if (!arguments.json)
        say("{}\n", benchmarkHeader());
    BenchmarkMeasurement measurement(std::move(request));
    measurement.measure(interrupt.token(), printRow);
    return measurement.json();
}

int bench(BenchArguments arguments) {
    if (arguments.group == studioGroup)
        return benchStudio(arguments);
    if (!arguments.roofline.empty())
        requireDrawable(arguments.roofline);
    if (!arguments.measured.empty())
        drawRoofline(arguments.roofline, readRoofline(expandTilde(arguments.measured)));
    const auto measured = measure(arguments);
    if (arguments.json)
        say("{}\n", measured.dump(2));
    if (!arguments.history.empty())
        appendToHistory(expandTilde(arguments.history), measured);
    if (!arguments.roofline.empty())
        drawRoofline(arguments.roofline, toRoofline(measured));
    return 0;
}

std::string groupTable() {
    std::string text = "Groups:\n";
    for (const BenchmarkGroup& group : benchmarkGroups())
        text += fmt::format("  {:<12} {}{}\n", group.name, group.help, group.inAll ? "" : " (not in all)");
    text += fmt::format("  {:<12} {} (not in all)\n", gpuBenchmarks, gpuBenchmarksHelp);
    text += fmt::format(
        "  {:<12} {} (not in all)\n", studioGroup,
        "the Studio: first paint, panning of charts and timelines, long lists, stalls during a run");
    return text;
}

std::vector<std::string> groupNames() {
    std::vector<std::string> names{std::string(allBenchmarks)};
    for (const BenchmarkGroup& group : benchmarkGroups())
        names.emplace_back(group.name);
    names.emplace_back(gpuBenchmarks);
    names.emplace_back(studioGroup);
    return names;
}

}  // namespace

Action declareBench(CLI::App& app) {
    const auto arguments = std::make_shared<BenchArguments>();
    BenchmarkOptions& options = arguments->options;
    app.add_option("group", arguments->group, "What to measure beside this machine's limits")
        ->check(CLI::IsMember(groupNames()))
        ->capture_default_str();
    app.add_option("--arch", options.architecture, "The transformer of dit and mesh")->capture_default_str();
    app.add_option("--size", arguments->size, "The video, WIDTHxHEIGHTxFRAMES")->capture_default_str();
    std::vector<std::string> types;
    for (const Arithmetic arithmetic : arithmetics)
        types.emplace_back(nameOf(arithmetic));
    app.add_option("--dtype", arguments->dtype, "What is computed in")
        ->check(CLI::IsMember(types))
        ->capture_default_str();
    app.add_option("--layers", options.layers,
                   "Blocks of the transformer to run; all when not given (mesh: 2)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--attention", options.attention, "Attention mode of the transformer")
        ->capture_default_str();
    app.add_option("--tokens", options.tokens, "Rows of linear layers, keys of attention; each group's own")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    app.add_option("--only", options.wanted.names,
                   "Measure this row alone, beside the machine's limits; for several, give it again")
        ->type_name("ROW")
        ->allow_extra_args(false);
    app.add_option("--rounds", options.rounds, "Measured passes of each row, behind one that is not")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--row-seconds", options.rowSeconds, "No new pass of a row begins after this long")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--peak-seconds", options.peakSeconds, "For each shape of a peak; 0: a small one, once")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--workers", arguments->workers, "Threads")
        ->type_name("N")
        ->check(CLI::Range(1, maxWorkers));
    app.add_option("--gpus", arguments->gpus, "gpu: the number of the GPU in meshreel devices, or auto")
        ->type_name("N");
    app.add_option("--form", arguments->variants.form,
                   "gpu: compute in this form alone; of one that the GPU does not offer, nothing is measured")
        ->check(CLI::IsMember(EnumNames<MatrixForm>::names));
    app.add_option("--block", arguments->variants.block,
                   "gpu: cut the work in this way alone; the others are measured without it")
        ->check(CLI::IsMember(kernelBlocks()));
    app.add_flag("--quick", arguments->quick, "gpu: small sizes, for drivers in software");
    app.add_flag("--json", arguments->json, "Print one JSON object");
    app.add_option("--append", arguments->history, "Add this run to a history file, a JSON object a line")
        ->type_name("FILE");
    app.add_option(
           "--against", arguments->against,
           "Say of every row whether it is faster than what --json printed into this file, or than the "
           "last run of a history file")
        ->type_name("FILE")
        ->excludes("--json");
    auto* roofline =
        app.add_option(
               "--roofline", arguments->roofline,
               "Draw the rows under the machine's limits into this file: .png, .svg, .pdf, .csv or .json")
            ->type_name("FILE");
    app.add_option(
           "--from", arguments->measured,
           "Measure nothing: draw what --json printed into this file, or the last commit of a history "
           "file")
        ->type_name("FILE")
        ->needs(roofline);
    app.footer(groupTable());
    return [arguments] { return bench(*arguments); };
}

namespace {

struct RatesArguments {
    bool measure = false;
    int rounds = 0;  // in all; 0: not given
    bool json = false;
    bool csv = false;
    std::string check;
    std::string gpus{GpuChoice::noneName};
};

void sayProgress(const std::string& text) {
    say(stderr, "{}\n", text);
}

void saySample(const RateSample& sample) {
    sayProgress(fmt::format("  {:<58} {:9.4f} s", sample.name, sample.seconds));
}

void askForQuiet() {
    sayProgress("Measuring this machine; let it do nothing else meanwhile");
}

void sayRound(int number, int rounds) {
    sayProgress(fmt::format("Round {} of {}", number, rounds));
}

/// The CPU or a GPU of this machine, and what its rounds time.
struct MeasuredProcessor {
    MachineIdentity identity;
    RateMeasurement::TimeRound timeRound;
};

MeasuredProcessor processorOf(const RatesArguments& arguments) {
    if (arguments.gpus == GpuChoice::noneName)
        return {.identity = MachineIdentity::ofThis(), .timeRound = timeRound};
    const ChosenGpu gpu = requireGpu(arguments.gpus);
    return {.identity = MachineIdentity::ofGpu(gpu.facts),
            .timeRound = [gpu](RateSamples& samples) { timeGpuRound(samples, gpu); }};
}

/// Keeps them with every round, so that breaking off loses one at most.
MachineRates measureUntil(int rounds, const MachineRates* earlier, const MeasuredProcessor& what,
                          const StopToken& stop) {
    askForQuiet();
    const std::filesystem::path file = ratesFile(what.identity);
    RateMeasurement measurement(stop, saySample, earlier, what.timeRound, what.identity);
    while (measurement.taken() < rounds) {
        sayRound(measurement.taken() + 1, rounds);
        measurement.round();
        if (measurement.taken() >= RateMeasurement::rounds)
            writeRates(file, measurement.rates());
    }
    return measurement.rates();
}

MachineRates keptOrMeasured(const RatesArguments& arguments, const StopToken& stop) {
    const MeasuredProcessor what = processorOf(arguments);
    const std::filesystem::path file = ratesFile(what.identity);
    if (const auto aside = setDamagedRatesAside(file))
        sayProgress(
            sentence("The rates that were kept cannot be read; their file is now {}", withTilde(*aside)));
    const std::optional<MachineRates> kept =
        arguments.measure ? std::nullopt : readRates(file, what.identity);
    if (kept && !kept->areOfThisBuild())
        sayProgress(
            sentence("Another build measured the rates that are kept ({}); --measure measures them anew",
                     kept->commit.empty() ? "unknown" : kept->commit));
    if (kept && kept->rounds() >= arguments.rounds)
        return *kept;
    return measureUntil(std::max(arguments.rounds, RateMeasurement::rounds), kept ? &*kept : nullptr, what,
                        stop);
}

void printTable(const MachineRates& rates, Processor processor) {
    for (const WorkClassRow& row : workClassRows())
        if (row.processor == processor)
            say("{:<22}{:>20}  {}\n", row.name, rateText(row, rates), row.help);
}

void printSpread(const MachineRates& rates) {
    say("The first step takes {:.2f} of another. Four of five runs should come out within {:.0f} %;\n"
        "four of five further rounds would lie within {:.0f} % of those taken.\n",
        rates.firstStep, percent * std::expm1(rates.spread), percent * std::expm1(rates.roundSpread));
}

void printGpuRates(const MachineRates& rates) {
    say("{}, {}, version {}{}, measured {} in {} rounds\n\n", rates.machine.gpuName, rates.machine.gpuDriver,
        rates.machine.version, rates.commit.empty() ? "" : fmt::format(" ({})", rates.commit), rates.measured,
        rates.rounds());
    printTable(rates, Processor::Gpu);
    say("\n");
    printSpread(rates);
    const MachineIdentity machine = MachineIdentity::ofThis();
    if (!readRates(ratesFile(machine), machine))
        say("Predictions need the CPU's rates, too: meshreel rates measures them.\n");
}

void printRates(const MachineRates& rates) {
    say("{}, {}, {} CPUs, version {}{}, measured {} in {} rounds\n\n", rates.machine.cpu, rates.machine.isa,
        rates.machine.cpus, rates.machine.version,
        rates.commit.empty() ? "" : fmt::format(" ({})", rates.commit), rates.measured, rates.rounds());
    printTable(rates, Processor::Cpu);
    say("\nSlower by {:.2f} with one worker, {:.2f} on as many devices as CPUs, {:.2f} on twice as many.\n",
        rates.slowdown.oneWorker, rates.slowdown.devices, rates.slowdown.crowded);
    printSpread(rates);
}

void printQuality(const std::string& what, const std::vector<PredictionSample>& trials,
                  PredictedTimes PredictionSample::*basis, PredictedAndMeasured PredictedTimes::*time) {
    std::vector<PredictedAndMeasured> compared;
    for (const PredictionSample& trial : trials)
        compared.push_back(trial.*basis.*time);
    const PredictionQuality quality = judgePredictions(compared);
    if (quality.count > 0)
        say("{} of {} cells: median error {:.1f} %, worst {:.1f} %, the range covers {:.0f} %\n", what,
            quality.count, percent * quality.medianError, percent * quality.worstError,
            percent * quality.covered);
}

PredictionBasis basisOf(const MachineRates& rates) {
    return {.rates = rates, .past = {}, .gpuRates = readGpuRates(rates.machine)};
}

/// Cells in turns with the rates when those are measured anew: a machine that becomes slower is so for both.
std::vector<PredictionSample> tryCells(const SweepFile& sweep, const RatesArguments& arguments) {
    const Interrupt interrupt;
    PredictionMeasurement trials(sweep);
    std::size_t done = 0;
    const auto round = [&](int rounds) {
        trials.round(interrupt.token(), [&](const std::string& cell, const std::string& refusal) {
            sayProgress(fmt::format("[{}/{}] {}{}", ++done, trials.cells() * static_cast<std::size_t>(rounds),
                                    cell, refusal.empty() ? "" : ": refused. " + refusal));
        });
    };
    if (!arguments.measure) {
        const MachineRates rates = keptOrMeasured(arguments, interrupt.token());
        for (int number = 0; number < sweep.repeats; ++number)
            round(sweep.repeats);
        return trials.results(basisOf(rates));
    }
    askForQuiet();
    RateMeasurement measurement(interrupt.token(), saySample);
    const int rounds = std::max({sweep.repeats, arguments.rounds, RateMeasurement::rounds});
    for (int number = 0; number < rounds; ++number) {
        sayRound(number + 1, rounds);
        measurement.round();
        round(rounds);
    }
    const MachineRates rates = measurement.rates();
    writeRates(ratesFile(rates.machine), rates);
    return trials.results(basisOf(rates));
}

int checkRates(const RatesArguments& arguments) {
    const SweepFile sweep = loadSweep(expandTilde(arguments.check));
    sayWarnings(sweep.warnings);
    const std::vector<PredictionSample> trials = tryCells(sweep, arguments);
    const DataTable table = predictionTable(trials);
    say("{}", arguments.csv ? toCsv(table) : arguments.json ? makeJson(table) : alignedText(table));
    if (arguments.csv || arguments.json)
        return sayWhatIsLeftOut(sweep.leftOut);
    for (const auto& [title, basis] :
         {std::pair{"By the rates alone", &PredictionSample::byRates},
          std::pair{"After runs of the other strategies", &PredictionSample::byPastRuns}}) {
        say("\n{}\n", title);
        printQuality("  Steps", trials, basis, &PredictedTimes::step);
        printQuality("  Whole runs", trials, basis, &PredictedTimes::total);
    }
    return sayWhatIsLeftOut(sweep.leftOut);
}

int rates(const RatesArguments& arguments) {
    if (!arguments.check.empty())
        return checkRates(arguments);
    const Interrupt interrupt;
    const MachineRates rates = keptOrMeasured(arguments, interrupt.token());
    if (arguments.json)
        say("{}\n", ratesJson(rates).dump(2));
    else if (!rates.machine.gpu.empty())
        printGpuRates(rates);
    else
        printRates(rates);
    return 0;
}

}  // namespace

Action declareRates(CLI::App& app) {
    const auto arguments = std::make_shared<RatesArguments>();
    app.add_flag("--measure", arguments->measure, "Measure anew, although this machine's rates are kept");
    constexpr int mostRounds = 1000;
    app.add_option(
           "--rounds", arguments->rounds,
           fmt::format("Measure until so many rounds were taken in all, {} as a rule; further rounds are "
                       "added to those that are kept",
                       RateMeasurement::rounds))
        ->type_name("N")
        ->check(CLI::Range(RateMeasurement::rounds, mostRounds));
    auto* gpus = app.add_option("--gpus", arguments->gpus,
                                "The number of a GPU in meshreel devices, or auto: measure it instead of the "
                                "CPU, for predictions of runs on it")
                     ->type_name("N");
    app.add_option("--check", arguments->check,
                   "Run every cell of a sweep file and compare with what was predicted: "
                   "configs/sweeps/predictions.yaml is one. With --measure, rates and cells take turns")
        ->type_name("FILE")
        ->excludes(gpus);
    auto* json = app.add_flag("--json", arguments->json, "Print JSON");
    app.add_flag("--csv", arguments->csv, "Print the comparison as comma-separated values")
        ->needs("--check")
        ->excludes(json);
    return [arguments] { return rates(*arguments); };
}

}  // namespace meshreel
