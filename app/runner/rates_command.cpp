// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/command.h"
#include "app/runner/interrupt.h"
#include "app/runner/terminal.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/measure/prediction_trial.h"
#include "engine/measure/rate_measurement.h"
#include "engine/runs/run_record_reader.h"

namespace meshreel {
namespace {

constexpr double percent = 100;

struct RatesArguments {
    bool measure = false;
    int rounds = 0;  // in all; 0: not given
    bool json = false;
    bool csv = false;
    std::string check;
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

/// Keeps them with every round, so that breaking off loses one at most.
MachineRates measureUntil(int rounds, const MachineRates* earlier, const std::filesystem::path& file,
                          const StopToken& stop) {
    askForQuiet();
    RateMeasurement measurement(stop, saySample, earlier);
    while (measurement.taken() < rounds) {
        sayRound(measurement.taken() + 1, rounds);
        measurement.round();
        if (measurement.taken() >= RateMeasurement::rounds)
            writeRates(file, measurement.rates());
    }
    return measurement.rates();
}

MachineRates keptOrMeasured(const RatesArguments& arguments, const StopToken& stop) {
    const MachineIdentity machine = MachineIdentity::ofThis();
    const std::filesystem::path file = ratesFile(machine);
    if (const auto aside = setDamagedRatesAside(file))
        sayProgress(
            sentence("The rates that were kept cannot be read; their file is now {}", withTilde(*aside)));
    const std::optional<MachineRates> kept = arguments.measure ? std::nullopt : readRates(file, machine);
    if (kept && !kept->areOfThisBuild())
        sayProgress(
            sentence("Another build measured the rates that are kept ({}); --measure measures them anew",
                     kept->commit.empty() ? "unknown" : kept->commit));
    if (kept && kept->rounds() >= arguments.rounds)
        return *kept;
    return measureUntil(std::max(arguments.rounds, RateMeasurement::rounds), kept ? &*kept : nullptr, file,
                        stop);
}

/// "203 GFLOP/s", "1.2 ms" of what is counted by ones.
std::string rateText(const WorkClassRow& row, double secondsPerUnit) {
    constexpr double milliseconds = 1e3;
    constexpr double giga = 1e9;
    constexpr double slow = 1e-6;
    if (secondsPerUnit == 0)
        return "-";
    return secondsPerUnit > slow ? fmt::format("{:.3g} ms", milliseconds * secondsPerUnit)
                                 : fmt::format("{:.3g} G{}/s", 1 / secondsPerUnit / giga, row.unit);
}

void printRates(const MachineRates& rates) {
    say("{}, {}, {} CPUs, version {}{}, measured {} in {} rounds\n\n", rates.machine.cpu, rates.machine.isa,
        rates.machine.cpus, rates.machine.version,
        rates.commit.empty() ? "" : fmt::format(" ({})", rates.commit), rates.measured, rates.rounds());
    for (const WorkClassRow& row : workClassRows())
        say("{:<18}{:>20}  {}\n", row.name,
            rateText(row, rates.secondsPerUnit[static_cast<std::size_t>(row.kind)]), row.help);
    say("\nSlower by {:.2f} with one worker, {:.2f} on as many devices as CPUs, {:.2f} on twice as many.\n"
        "The first step takes {:.2f} of another. Four of five runs should come out within {:.0f} %;\n"
        "four of five further rounds would lie within {:.0f} % of those taken.\n",
        rates.slowdown.oneWorker, rates.slowdown.devices, rates.slowdown.crowded, rates.firstStep,
        percent * std::expm1(rates.spread), percent * std::expm1(rates.roundSpread));
}

void printQuality(const std::string& what, const std::vector<PredictionTrial>& trials,
                  PredictedTimes PredictionTrial::*basis, PredictedAndMeasured PredictedTimes::*time) {
    std::vector<PredictedAndMeasured> compared;
    for (const PredictionTrial& trial : trials)
        compared.push_back(trial.*basis.*time);
    const PredictionQuality quality = judgePredictions(compared);
    if (quality.count > 0)
        say("{} of {} cells: median error {:.1f} %, worst {:.1f} %, the range covers {:.0f} %\n", what,
            quality.count, percent * quality.medianError, percent * quality.worstError,
            percent * quality.covered);
}

/// Cells in turns with the rates when those are measured anew: a machine that becomes slower is so for both.
std::vector<PredictionTrial> tryCells(const SweepFile& sweep, const RatesArguments& arguments) {
    const Interrupt interrupt;
    PredictionTrials trials(sweep);
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
        return trials.results(rates);
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
    return trials.results(rates);
}

int checkRates(const RatesArguments& arguments) {
    const SweepFile sweep = loadSweep(expandTilde(arguments.check));
    const std::vector<PredictionTrial> trials = tryCells(sweep, arguments);
    const DataTable table = predictionTable(trials);
    say("{}", arguments.csv ? csvOf(table) : arguments.json ? jsonOf(table) : alignedText(table));
    if (arguments.csv || arguments.json)
        return sayWhatIsLeftOut(sweep.leftOut);
    for (const auto& [title, basis] :
         {std::pair{"By the rates alone", &PredictionTrial::byRates},
          std::pair{"After runs of the other strategies", &PredictionTrial::byPastRuns}}) {
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
    app.add_option("--check", arguments->check,
                   "Run every cell of a sweep file and compare with what was predicted: "
                   "configs/sweeps/predictions.yaml is one. With --measure, rates and cells take turns")
        ->type_name("FILE");
    auto* json = app.add_flag("--json", arguments->json, "Print JSON");
    app.add_flag("--csv", arguments->csv, "Print the comparison as comma-separated values")
        ->needs("--check")
        ->excludes(json);
    return [arguments] { return rates(*arguments); };
}

}  // namespace meshreel
