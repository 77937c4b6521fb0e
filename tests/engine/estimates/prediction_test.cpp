// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>

#include "engine/base/files.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/work.h"
#include "engine/planning/forecast.h"
#include "engine/planning/plan_work.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t plentyForPrediction = std::uint64_t{1} << 40;
const MachineIdentity machine{.cpu = "made up", .isa = "avx2", .cpus = 4, .version = "1.0"};

/// Every class takes something.
MachineRates madeUpRates() {
    MachineRates rates{.machine = machine};
    for (std::size_t kind = 0; kind < workClasses; ++kind)
        rates.secondsPerUnit.at(kind) = 1e-9 * static_cast<double>(kind + 1);
    rates.slowdown = {.oneWorker = 3, .devices = 1.1, .crowded = 1.5};
    rates.firstStep = 1.5;
    rates.spread = 0.1;
    return rates;
}

Work workOfOne(WorkClass kind, double amount) {
    Work work;
    work[kind] = amount;
    return work;
}

RunWork workOf(const Project& project, int workers = 4) {
    return measureWork(*makePlan(project, {.workers = workers, .memoryBytes = plentyForPrediction}));
}

double totalSeconds(const Project& project) {
    return predictRun(workOf(project), madeUpRates()).total.seconds;
}

TEST(Work, NamesAndJsonKnowEveryClass) {
    Work work;
    for (std::size_t kind = 0; kind < workClasses; ++kind)
        work.amounts.at(kind) = static_cast<double>(kind + 1);
    EXPECT_EQ(workFrom(workJson(work)), work);
    EXPECT_EQ(workJson(work).size(), workClasses) << "every class has a name of its own";
}

TEST(Slowdown, LiesBetweenWhatWasMeasured) {
    const Slowdown slowdown{.oneWorker = 3, .devices = 1.2, .crowded = 1.8};
    EXPECT_DOUBLE_EQ(slowdown.of({1, 4}, 4), 1);
    EXPECT_DOUBLE_EQ(slowdown.of({1, 1}, 4), 3);
    EXPECT_NEAR(slowdown.of({1, 2}, 4), std::sqrt(3.0), 1e-12);
    EXPECT_NEAR(slowdown.of({4, 1}, 4), 1.2, 1e-12);
    EXPECT_NEAR(slowdown.of({8, 1}, 4), 1.8, 1e-12);
    EXPECT_NEAR(slowdown.of({64, 1}, 4), 1.8, 1e-12);
    EXPECT_DOUBLE_EQ(slowdown.of({1, 1}, 1), 1);
    EXPECT_NEAR(slowdown.of({2, 1}, 1), 1.8, 1e-12);
}

/// Of one unit, as the table of classes has it.
double typicalOf(std::size_t kind) {
    return workClassRows()[kind].typicalSeconds;
}

TEST(RateFit, FindsTheRatesThatSamplesWereMadeWith) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> little(0, 0.1);
    std::uniform_real_distribution<double> logFactor(std::log(1.0 / 3), std::log(3.0));
    MachineRates truth{.machine = machine};
    for (std::size_t kind = 0; kind < workClasses; ++kind)
        truth.secondsPerUnit.at(kind) = typicalOf(kind) * std::exp(logFactor(random));
    std::vector<RateSample> samples;
    for (std::size_t index = 0; index < 3 * workClasses; ++index) {
        RateSample sample{.name = std::to_string(index), .work = {}, .arrangement = {1, 4}};
        for (std::size_t kind = 0; kind < workClasses; ++kind) {
            const double most = kind == index % workClasses ? 1 : 0;
            sample.work.amounts.at(kind) = (most + little(random)) / typicalOf(kind);
        }
        sample.seconds = truth.secondsOf(sample.work, {1, 4});
        samples.push_back(std::move(sample));
    }
    const auto fitted = fitSeconds(samples);
    for (std::size_t kind = 0; kind < workClasses; ++kind)
        EXPECT_NEAR(fitted.at(kind) / truth.secondsPerUnit.at(kind), 1, 0.05) << kind;
}

TEST(RateFit, NoRateIsNegativeWhateverTheSamplesSay) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> amount(0.1, 1);
    std::vector<RateSample> samples;
    for (int index = 0; index < 12; ++index) {
        RateSample sample{.name = std::to_string(index), .work = {}, .arrangement = {1, 4}};
        for (const WorkClass kind : {WorkClass::LinearF32, WorkClass::Softmax, WorkClass::Blocks})
            sample.work[kind] = amount(random);
        sample.seconds = amount(random);
        samples.push_back(std::move(sample));
    }
    const auto fitted = fitSeconds(samples);
    for (const double seconds : fitted)
        EXPECT_GE(seconds, 0);
    EXPECT_GT(*std::ranges::max_element(fitted), 0);
}

TEST(RateFit, WhatSamplesCannotTellApartKeepsItsTypicalProportions) {
    const auto typical = [](WorkClass kind) { return typicalOf(static_cast<std::size_t>(kind)); };
    constexpr double slower = 3;
    std::vector<RateSample> samples;
    for (const double amount : {1e9, 2e9, 4e9}) {
        RateSample sample{.name = std::to_string(amount), .work = {}, .arrangement = {1, 4}};
        for (const WorkClass kind : {WorkClass::LinearF32, WorkClass::Softmax}) {
            sample.work[kind] = amount;
            sample.seconds += slower * amount * typical(kind);
        }
        samples.push_back(std::move(sample));
    }
    const auto fitted = fitSeconds(samples);
    for (const WorkClass kind : {WorkClass::LinearF32, WorkClass::Softmax})
        EXPECT_NEAR(fitted.at(static_cast<std::size_t>(kind)) / typical(kind), slower, 1e-6);
}

TEST(Rates, DevicesStartBlocksAndReadWeightsAtTheSameTime) {
    for (const WorkClass kind : {WorkClass::Blocks, WorkClass::Weights}) {
        MachineRates rates{.machine = machine};
        rates.secondsPerUnit[static_cast<std::size_t>(kind)] = 1;
        const double one = rates.secondsOf(workOfOne(kind, 10), {1, 4});
        EXPECT_DOUBLE_EQ(one, 10);
        EXPECT_DOUBLE_EQ(rates.secondsOf(workOfOne(kind, 2 * 10), {2, 2}), one);
        EXPECT_DOUBLE_EQ(rates.secondsOf(workOfOne(kind, 8 * 10), {8, 1}), 2 * one) << "two on every CPU";
    }
}

TEST(RateFit, DevicesTellExchangeAndSlowdown) {
    MachineRates truth = madeUpRates();
    truth.secondsPerUnit = {};
    truth.secondsPerUnit[static_cast<std::size_t>(WorkClass::LinearF32)] = 1e-11;
    truth.secondsPerUnit[static_cast<std::size_t>(WorkClass::Exchange)] = 2e-10;
    truth.secondsPerUnit[static_cast<std::size_t>(WorkClass::Messages)] = 1e-5;
    truth.slowdown = {.oneWorker = 3, .devices = 1.25, .crowded = 1.5};
    std::vector<RateSample> samples;
    const auto add = [&](double flops, double bytes, double messages, Arrangement arrangement) {
        Work work = workOfOne(WorkClass::LinearF32, flops);
        work[WorkClass::Exchange] = bytes;
        work[WorkClass::Messages] = messages;
        samples.push_back({.name = std::to_string(samples.size()),
                           .work = work,
                           .arrangement = arrangement,
                           .seconds = truth.secondsOf(work, arrangement)});
    };
    add(1e11, 0, 0, {1, 4});
    add(2e11, 0, 0, {1, 4});
    add(1e11, 0, 0, {1, 1});
    add(1e11, 1e9, 100, {4, 1});
    add(1e11, 2e9, 400, {4, 1});
    add(3e11, 1e9, 900, {4, 1});
    add(1e11, 1e9, 100, {8, 1});
    const MachineRates fitted = fitRates(machine, samples);
    for (const RateSample& sample : samples)
        EXPECT_NEAR(fitted.secondsOf(sample.work, sample.arrangement) / sample.seconds, 1, 0.01)
            << sample.name;
    EXPECT_NEAR(fitted.slowdown.devices, 1.25, 0.02);
    EXPECT_NEAR(fitted.spread, 0.03, 1e-9) << "never less than runs differ from each other";
}

/// Of as many samples as rounds, one of them disturbed in each, that otherwise take these seconds.
std::vector<RateSample> samplesOfRounds(const std::vector<double>& rounds) {
    std::vector<RateSample> samples;
    for (std::size_t index = 0; index < std::max<std::size_t>(3, rounds.size()); ++index) {
        RateSample sample{.name = std::to_string(index),
                          .work = workOfOne(WorkClass::LinearF32, 1e11),
                          .arrangement = {1, 4},
                          .seconds = 1,
                          .rounds = rounds};
        if (index < rounds.size())
            sample.rounds[index] *= 10;
        samples.push_back(std::move(sample));
    }
    return samples;
}

TEST(RateFit, TheRangeKnowsHowMuchRoundsDiffer) {
    const double factor = std::exp(0.1);
    EXPECT_EQ(roundSpread(samplesOfRounds({})), 0);
    EXPECT_EQ(roundSpread(samplesOfRounds({2})), 0) << "one tells nothing";
    EXPECT_NEAR(roundSpread(samplesOfRounds({1, 1, 1})), 0, 1e-12) << "a sample here and there is none";
    // Student's 90 % quantile of two degrees of freedom, 1.886, deviations of 0.1, and the mean's own.
    const double three = roundSpread(samplesOfRounds({1 / factor, 1, factor}));
    EXPECT_NEAR(three, 1.886 * 0.1 * std::sqrt(1 + 1.0 / 3), 0.005);
    std::vector<double> dozen;
    for (int round = 0; round < 4; ++round)
        dozen.insert(dozen.end(), {1 / factor, 1, factor});
    EXPECT_NEAR(roundSpread(samplesOfRounds(dozen)), 1.363 * 0.0853 * std::sqrt(1 + 1.0 / 12), 0.002);
    EXPECT_LT(roundSpread(samplesOfRounds(dozen)), 0.7 * three) << "more rounds tell more";

    std::vector<RateSample> samples = samplesOfRounds({1 / factor, 1, factor});
    const MachineRates same = fitRates(machine, samples);
    EXPECT_EQ(same.roundSpread, three);
    EXPECT_NEAR(same.spread, three, 1e-6) << "the fit is exact";
    for (double& seconds : samples.back().rounds)
        seconds *= 1.5;
    samples.back().seconds *= 1.5;
    const MachineRates unlike = fitRates(machine, samples);
    EXPECT_NEAR(unlike.roundSpread, three, 1e-9);
    EXPECT_GT(unlike.spread, 1.2 * three) << "what the fit leaves open comes on top";
}

TEST(Rates, AreReadBackAndOnlyByTheirMachine) {
    const testing::TemporaryFolder folder;
    MachineRates rates = madeUpRates();
    rates.samples.push_back({.name = "one",
                             .work = workOfOne(WorkClass::Runs, 1),
                             .seconds = 2,
                             .predicted = 1,
                             .rounds = {1, 2, 3}});
    rates.firstSteps = {1.5, 1.25, 2};
    rates.roundSpread = 0.07;
    rates.measured = "2026-11-22 06:00";
    rates.commit = "abcdef0";
    const auto file = folder / "rates" / "x.json";
    EXPECT_FALSE(readRates(file, machine));
    writeRates(file, rates);
    const std::optional<MachineRates> read = readRates(file, machine);
    ASSERT_TRUE(read);
    EXPECT_EQ(ratesJson(*read), ratesJson(rates));
    EXPECT_EQ(read->rounds(), 3);
    EXPECT_EQ(read->commit, "abcdef0");
    EXPECT_FALSE(read->areOfThisBuild());
    EXPECT_EQ(read->samples.at(0).rounds, rates.samples.at(0).rounds);
    MachineIdentity other = machine;
    other.version = "1.1";
    EXPECT_FALSE(readRates(file, other));
    nlohmann::ordered_json earlier = ratesJson(rates);
    earlier["format"] = 3;
    writeFileAtomically(file, earlier.dump());
    EXPECT_FALSE(readRates(file, machine)) << "its samples know fewer classes of work";
    writeFileAtomically(file, "{\"format\": 4}");
    EXPECT_FALSE(readRates(file, machine)) << "damaged files are as good as none";
    writeRates(file, rates);
    EXPECT_EQ(readFile(folder / "rates" / "x-damaged.json"), "{\"format\": 4}") << "kept under another name";
    EXPECT_FALSE(setDamagedRatesAside(file));
    writeFileAtomically(file, "{");
    EXPECT_EQ(setDamagedRatesAside(file), folder / "rates" / "x-damaged-2.json");
}

/// Rates of a GPU beside madeUpRates(): every class takes `seconds` a unit.
MachineRates ratesOfGpu(const std::string& id, double seconds) {
    MachineRates rates{.machine = machine};
    rates.machine.gpu = id;
    rates.machine.gpuName = "card " + id;
    rates.secondsPerUnit.fill(seconds);
    rates.firstStep = 2;
    rates.spread = 0.05;
    return rates;
}

TEST(Work, OnAGpuCountsAsWorkOfGpus) {
    for (const WorkClassRow& row : workClassRows()) {
        const Work moved = movedToGpu(workOfOne(row.kind, 3));
        if (!row.onGpu) {
            EXPECT_EQ(moved, Work()) << row.name;
            continue;
        }
        EXPECT_EQ(moved[*row.onGpu], 3) << row.name;
        EXPECT_EQ(movedToGpu(moved), moved) << row.name;
        if (row.processor == Processor::Gpu) {
            EXPECT_EQ(*row.onGpu, row.kind) << row.name;
        }
    }
}

TEST(Rates, OfGpusLieBesideTheCpusAndAreFoundByTheirMachine) {
    const testing::TemporaryFolder cache;
    ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    const MachineRates cpu = madeUpRates();
    MachineRates elsewhere = ratesOfGpu("c", 1);
    elsewhere.machine.cpus += 1;
    for (const MachineRates& rates : {cpu, ratesOfGpu("a", 1), ratesOfGpu("b", 2), elsewhere})
        writeRates(ratesFile(rates.machine), rates);
    EXPECT_EQ(ratesFile(machine).parent_path(), ratesFile(ratesOfGpu("a", 1).machine).parent_path());
    EXPECT_TRUE(readRates(ratesFile(machine), machine)->machine.gpu.empty());
    std::vector<std::string> found;
    for (const MachineRates& rates : readGpuRates(machine)) {
        found.push_back(rates.machine.gpuName);
        EXPECT_EQ(readRates(ratesFile(rates.machine), rates.machine)->secondsPerUnit, rates.secondsPerUnit);
    }
    EXPECT_THAT(found, ::testing::UnorderedElementsAre("card a", "card b"));
    ::unsetenv("XDG_CACHE_HOME");
}

TEST(Rates, OfSeveralGpusAreThoseOfTheSlowest) {
    const MachineRates cpu = madeUpRates();
    const MachineRates both = ratesWithGpus(cpu, std::array{ratesOfGpu("a", 3), ratesOfGpu("b", 2)});
    for (const WorkClassRow& row : workClassRows()) {
        const auto kind = static_cast<std::size_t>(row.kind);
        EXPECT_EQ(both.secondsPerUnit.at(kind),
                  row.processor == Processor::Gpu ? 3 : cpu.secondsPerUnit.at(kind))
            << row.name;
    }
    EXPECT_EQ(both.spread, 0.1) << "the CPU's is wider";
    EXPECT_EQ(both.firstStep, 2);
}

TEST(Rates, GpusShareOutTheirWorkAndNoSlowDownConcernsIt) {
    const MachineRates rates = ratesWithGpus(madeUpRates(), std::array{ratesOfGpu("a", 1)});
    const Work work = workOfOne(WorkClass::GpuLinearBf16, 12);
    EXPECT_DOUBLE_EQ(rates.secondsOf(work, {.devices = 1, .workersPerDevice = 1, .gpus = 1}), 12);
    EXPECT_DOUBLE_EQ(rates.secondsOf(work, {.devices = 8, .workersPerDevice = 1, .gpus = 3}), 4);
}

TEST(RateFit, FindsAGpusRatesBySamplesOnIt) {
    MachineRates truth = ratesOfGpu("a", 0);
    std::vector<RateSample> samples;
    for (const auto& [kind, factor] :
         {std::pair{WorkClass::GpuLinearF32, 5.0}, {WorkClass::GpuMemory, 0.3}, {WorkClass::GpuBlocks, 2.0}})
        truth.secondsPerUnit.at(static_cast<std::size_t>(kind)) =
            factor * typicalOf(static_cast<std::size_t>(kind));
    for (const double size : {1.0, 4.0, 16.0})
        for (const WorkClass most : {WorkClass::GpuLinearF32, WorkClass::GpuMemory, WorkClass::GpuBlocks}) {
            RateSample sample{.name = std::to_string(samples.size()),
                              .work = {},
                              .arrangement = {.devices = 1, .workersPerDevice = 4, .gpus = 1}};
            for (const WorkClass kind : {WorkClass::GpuLinearF32, WorkClass::GpuMemory, WorkClass::GpuBlocks})
                sample.work[kind] =
                    size * (kind == most ? 1 : 0.05) / typicalOf(static_cast<std::size_t>(kind));
            sample.seconds = truth.secondsOf(sample.work, sample.arrangement);
            samples.push_back(std::move(sample));
        }
    const MachineRates fitted = fitRates(truth.machine, samples);
    EXPECT_EQ(fitted.machine.gpu, "a");
    for (const WorkClass kind : {WorkClass::GpuLinearF32, WorkClass::GpuMemory, WorkClass::GpuBlocks}) {
        const auto at = static_cast<std::size_t>(kind);
        EXPECT_NEAR(fitted.secondsPerUnit.at(at) / truth.secondsPerUnit.at(at), 1, 0.05);
    }
}

TEST(Prediction, RunsOnOtherGpusTeachNothing) {
    RunWork work = workOf(testing::smallProject());
    const MachineRates rates = ratesWithGpus(madeUpRates(), std::array{ratesOfGpu("a", 1e-9)});
    PastRun past{.work = work, .seconds = {}};
    past.seconds.fill(1e6);
    work.gpus = {"a"};
    const double alone = predictRun(work, rates).total.seconds;
    EXPECT_EQ(predictRun(work, rates, std::array{past}).total.seconds, alone);
    past.work.gpus = {"b"};
    EXPECT_EQ(predictRun(work, rates, std::array{past}).total.seconds, alone);
    past.work.gpus = {"a"};
    EXPECT_GT(predictRun(work, rates, std::array{past}).total.seconds, 2 * alone);
    EXPECT_EQ(runWorkFrom(runWorkJson(work)), work);
}

TEST(Prediction, MoreWorkNeverTakesLess) {
    Project project = testing::smallProject();
    const double before = totalSeconds(project);
    const auto grown = [&](auto change) {
        Project more = project;
        change(more);
        return totalSeconds(more);
    };
    EXPECT_GT(grown([](Project& p) { p.width = 64; }), before);
    EXPECT_GT(grown([](Project& p) { p.numFrames = 9; }), before);
    EXPECT_GT(grown([](Project& p) { p.numInferenceSteps = 5; }), before);
    EXPECT_GE(grown([](Project& p) { p.prompt += " and a blue cube, both on a table in a room"; }), before);
    EXPECT_LT(grown([](Project& p) { p.guidanceScale = 1; }), before);
}

TEST(Prediction, EveryClassOfWorkCostsSomething) {
    const MachineRates rates = madeUpRates();
    RunWork work = workOf(testing::smallProject());
    const double before = predictRun(work, rates).total.seconds;
    for (const WorkClassRow& row : workClassRows()) {
        RunWork more = work;
        more[RunStage::Denoising][row.kind] += 1e6;
        EXPECT_GT(predictRun(more, rates).total.seconds, before) << row.name;
    }
}

TEST(Prediction, StagesStepsAndTheirSum) {
    const RunWork work = workOf(testing::smallProject());
    const Prediction prediction = predictRun(work, madeUpRates());
    double sum = 0;
    for (const RunStage stage : runStages) {
        const PredictedSeconds& seconds = prediction.of(stage);
        EXPECT_GT(seconds.seconds, 0) << nameOf(stage);
        EXPECT_LT(seconds.low, seconds.seconds);
        EXPECT_GT(seconds.high, seconds.seconds);
        sum += seconds.seconds;
    }
    EXPECT_DOUBLE_EQ(prediction.total.seconds, sum);
    EXPECT_DOUBLE_EQ(prediction.firstStep.seconds, 1.5 * prediction.step.seconds);
    const double aroundSteps =
        madeUpRates().secondsOf(work.aroundSteps, {work.devices, work.workersPerDevice});
    EXPECT_NEAR(prediction.of(RunStage::Denoising).seconds, 4.5 * prediction.step.seconds + aroundSteps,
                1e-12);
    EXPECT_NEAR(prediction.step.high / prediction.step.seconds, std::exp(0.1), 1e-9);
}

TEST(Prediction, LearnsFromRunsThatAreAlike) {
    const MachineRates rates = madeUpRates();
    const RunWork work = workOf(testing::smallProject());
    const Prediction alone = predictRun(work, rates);
    PastRun run{.work = work, .seconds = {}};
    run.seconds[static_cast<std::size_t>(RunStage::Denoising)] =
        2 * rates.secondsOf(work[RunStage::Denoising], {work.devices, work.workersPerDevice});
    const std::vector<PastRun> past(5, run);
    const Prediction learned = predictRun(work, rates, past);
    EXPECT_EQ(learned.pastRuns, 5U);
    EXPECT_NEAR(learned.step.seconds / alone.step.seconds, 2, 0.1) << "as those runs came out";
    EXPECT_LT(learned.step.high / learned.step.seconds, alone.step.high / alone.step.seconds)
        << "they agree with each other";
    EXPECT_EQ(learned.of(RunStage::Decoding).seconds, alone.of(RunStage::Decoding).seconds);

    Project other = testing::smallProject();
    other.attention = "dot_product";
    other.width = other.height = 512;
    const RunWork unlike = workOf(other);
    EXPECT_NEAR(predictRun(unlike, rates, past).step.seconds / predictRun(unlike, rates).step.seconds, 1,
                0.1);
}

TEST(Prediction, OneRunTellsLessThanManyWhereTheMachinesSpeedDiffers) {
    MachineRates rates = madeUpRates();
    rates.roundSpread = 0.2;
    rates.spread = 0.25;
    const RunWork work = workOf(testing::smallProject());
    PastRun run{.work = work, .seconds = {}};
    run.seconds[static_cast<std::size_t>(RunStage::Denoising)] =
        rates.secondsOf(work[RunStage::Denoising], {work.devices, work.workersPerDevice});
    const auto spreadAfter = [&](std::size_t runs) {
        const PredictedSeconds step = predictRun(work, rates, std::vector<PastRun>(runs, run)).step;
        return std::log(step.high / step.seconds);
    };
    EXPECT_NEAR(spreadAfter(0), 0.25, 1e-9);
    EXPECT_NEAR(spreadAfter(1), 0.8 * 0.2 + 0.2 * 0.25, 1e-9) << "it met the machine at one speed";
    EXPECT_LT(spreadAfter(16), 0.06) << "they met it at any";
}

TEST(Prediction, FewRunsThatDifferTellLessThanManyThatDifferAsMuch) {
    MachineRates rates = madeUpRates();
    rates.roundSpread = 0;
    rates.spread = 1;
    const RunWork work = workOf(testing::smallProject());
    PastRun slow{.work = work, .seconds = {}};
    slow.seconds[static_cast<std::size_t>(RunStage::Denoising)] =
        1.2 * rates.secondsOf(work[RunStage::Denoising], {work.devices, work.workersPerDevice});
    PastRun fast = slow;
    *fast.seconds[static_cast<std::size_t>(RunStage::Denoising)] /= 1.2 * 1.2;
    const auto spreadOfPast = [&](std::size_t pairs) {
        std::vector<PastRun> past(pairs, slow);
        past.insert(past.end(), pairs, fast);
        const PredictedSeconds step = predictRun(work, rates, past).step;
        const double weight = static_cast<double>(past.size()) / (static_cast<double>(past.size()) + 0.25);
        return (std::log(step.high / step.seconds) - (1 - weight) * rates.spread) / weight;
    };
    const double deviation = std::log(1.2);
    EXPECT_GT(spreadOfPast(1), 2.5 * deviation) << "two runs hardly tell how runs differ";
    EXPECT_NEAR(spreadOfPast(100), 1.28 * deviation, 0.01 * deviation) << "by now a normal distribution";
}

TEST(Prediction, TextsAreForPeople) {
    EXPECT_EQ(toText({12.34, 11, 14}), "12.3 s (11 to 14)");
    EXPECT_EQ(toText({310, 280, 350}), "5:10 min (4:40 to 5:50)");
    EXPECT_EQ(toText({9000, 7200, 10800}), "2:30 h (2:00 to 3:00)");
    const std::string text = describePrediction(predictRun(workOf(testing::smallProject()), madeUpRates()));
    for (const char* part :
         {"Time:", "a step", "preparing", "conditioning", "denoising", "decoding", "rates"})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST(RunWork, IsReadBack) {
    const RunWork work = workOf(testing::smallProject());
    EXPECT_EQ(runWorkFrom(runWorkJson(work)), work);
}

TEST(RunWork, DevicesShareTheWorkAndPayForIt) {
    Project project = testing::smallProject();
    project.width = project.height = 64;
    const Work one = workOf(project, 1)[RunStage::Denoising];
    project.devices = 2;
    project.attention = "tokamax_ring";
    const RunWork two = workOf(project, 1);
    EXPECT_EQ(two.devices, 2);
    EXPECT_EQ(one[WorkClass::Exchange], 0);
    EXPECT_GT(two[RunStage::Denoising][WorkClass::Exchange], 0);
    EXPECT_GT(two[RunStage::Denoising][WorkClass::Messages], 0);
    EXPECT_NEAR(
        two[RunStage::Denoising][WorkClass::BlockedAttentionF32] / one[WorkClass::BlockedAttentionF32], 1,
        0.01);
}

TEST(RunWork, TypesAndKernelsChooseTheClass) {
    Project project = testing::smallProject();
    project.weightsDtype = project.activationsDtype = "bfloat16";
    project.vaeDtype = "bfloat16";
    const RunWork bf16 = workOf(project);
    EXPECT_GT(bf16[RunStage::Denoising][WorkClass::LinearBf16], 0);
    EXPECT_GT(bf16[RunStage::Denoising][WorkClass::BlockedAttentionBf16], 0);
    EXPECT_EQ(bf16[RunStage::Denoising][WorkClass::BlockedAttentionF32], 0);
    EXPECT_GT(bf16[RunStage::Decoding][WorkClass::ConvolutionBf16], 0);
    EXPECT_EQ(bf16[RunStage::Decoding][WorkClass::ConvolutionF32], 0);
    project.attention = "dot_product";
    EXPECT_GT(workOf(project)[RunStage::Denoising][WorkClass::DenseAttention], 0);
}

TEST(RunWork, CheckpointsAndTheTextsKeysAreNoPartOfAStep) {
    Project project = testing::smallProject();
    const RunWork work = workOf(project);
    EXPECT_EQ(work.aroundSteps[WorkClass::Checkpoints], project.numInferenceSteps);
    EXPECT_GT(work.aroundSteps[WorkClass::LinearF32], 0);
    MachineRates dear = madeUpRates();
    const Prediction before = predictRun(work, dear);
    constexpr double more = 3;  // seconds a checkpoint
    dear.secondsPerUnit[static_cast<std::size_t>(WorkClass::Checkpoints)] += more;
    const Prediction after = predictRun(work, dear);
    EXPECT_EQ(after.step.seconds, before.step.seconds);
    EXPECT_NEAR(after.of(RunStage::Denoising).seconds - before.of(RunStage::Denoising).seconds,
                more * project.numInferenceSteps, 1e-9);
    EXPECT_NEAR(after.total.seconds - before.total.seconds, more * project.numInferenceSteps, 1e-9);
}

TEST(RunWork, LayersOfInt8RoundWhatTheyReadAndWrite) {
    Project project = testing::smallProject();
    project.activationsDtype = "bfloat16";
    const auto rounded = [&] { return workOf(project)[RunStage::Denoising][WorkClass::Rounding]; };
    project.weightsDtype = "bfloat16";
    EXPECT_EQ(rounded(), 0);
    project.weightsDtype = "int8";
    const double few = rounded();
    EXPECT_GT(few, 0);
    project.width *= 2;
    EXPECT_NEAR(rounded(), 2 * few, 1e-9 * few) << "for each token";
}

TEST(RunWork, AGpuCountsLayersOfInt8ByThemselves) {
    Work onCpu;
    onCpu[WorkClass::LinearInt8] = 5;
    onCpu[WorkClass::Rounding] = 7;
    const Work moved = movedToGpu(onCpu);
    EXPECT_EQ(moved, workOfOne(WorkClass::GpuLinearInt8, 5)) << "rounding is part of them";
}

TEST(RunWork, TextCountsByItsKeysAndByThePrompt) {
    Project project = testing::smallProject();
    project.prompt = "a ball";
    const RunWork brief = workOf(project);
    project.prompt = "a red ball that moves over a table to the right and is followed by a blue cube";
    const RunWork wordy = workOf(project);
    EXPECT_GT(wordy[RunStage::Denoising][WorkClass::KeyPacking],
              brief[RunStage::Denoising][WorkClass::KeyPacking]);
    EXPECT_EQ(wordy[RunStage::Conditioning][WorkClass::Prompts], 2) << "one of them is empty";
    project.guidanceScale = 1;
    EXPECT_EQ(workOf(project)[RunStage::Conditioning][WorkClass::Prompts], 1);
}

TEST(RunWork, GuidanceDoesTheEmbeddingsAndTheFirstSelfAttentionOnce) {
    Project project = testing::smallProject();
    const Work guided = workOf(project)[RunStage::Denoising];
    project.guidanceScale = 1;
    const Work alone = workOf(project)[RunStage::Denoising];
    EXPECT_EQ(2 * alone[WorkClass::Blocks] - guided[WorkClass::Blocks], project.numInferenceSteps);
    EXPECT_LT(guided[WorkClass::KeyPacking], 2 * alone[WorkClass::KeyPacking]);
    EXPECT_LT(guided[WorkClass::LinearF32], 2 * alone[WorkClass::LinearF32]);
}

TEST(Flops, PartsOfAPassAddUp) {
    const WanTransformerConfig config = makePlan(testing::smallProject())->model.transformer;
    EXPECT_DOUBLE_EQ(
        transformerPassFlops(config, 1000, 64),
        linearFlops(config, 1000) + selfAttentionFlops(config, 1000) + crossAttentionFlops(config, 1000, 64));
}

TEST(Flops, DecodingGrowsWithTheVideo) {
    const auto flops = [](const Shape& latents) { return vaeDecodeWork(WanVaeConfig(), latents).flops; };
    const double one = flops({1, 16, 2, 8, 8});
    EXPECT_GT(flops({1, 16, 3, 8, 8}), one);
    EXPECT_GT(flops({1, 16, 2, 8, 16}), 2 * one) << "attention within frames grows faster";
}

/// A run of the project as it would go by rates that nobody has measured.
PastRun pastRunOf(const Project& project, const MachineRates& real) {
    PastRun run{.work = workOf(project), .seconds = {}};
    for (const RunStage stage : runStages)
        run.seconds[static_cast<std::size_t>(stage)] =
            real.secondsOf(run.work[stage], run.work.arrangement());
    return run;
}

TEST(RatesOfRuns, AFinishedRunTellsTheTimeOfTheNextLikeIt) {
    Project project = testing::smallProject();
    const MachineRates real = madeUpRates();
    const std::vector<PastRun> past{pastRunOf(project, real)};
    const std::optional<MachineRates> taught = ratesOfRuns(machine, past);
    ASSERT_TRUE(taught);
    EXPECT_EQ(taught->rounds(), 0) << "they were not measured";
    const Prediction same = predictRun(workOf(project), *taught, past);
    EXPECT_EQ(same.pastRuns, 1U);
    const double step = real.secondsOf(workOf(project)[RunStage::Denoising], workOf(project).arrangement()) /
                        project.numInferenceSteps;
    EXPECT_NEAR(same.step.seconds, step, 0.1 * step);
    EXPECT_LT(same.step.low, 0.8 * step) << "nobody knows what else the machine did";
    EXPECT_GT(same.step.high, 1.2 * step);
    project.numInferenceSteps *= 2;
    const Prediction longer = predictRun(workOf(project), *taught, past);
    EXPECT_NEAR(longer.step.seconds, step, 0.15 * step);
}

TEST(RatesOfRuns, OnlyRunsLikeThoseArePredicted) {
    const Project project = testing::smallProject();
    const MachineRates real = madeUpRates();
    PredictionBasis basis{.rates = {}, .past = {pastRunOf(project, real)}};
    basis.taught = ratesOfRuns(machine, basis.past);
    const auto planOf = [](const Project& planned) {
        return makePlan(planned, {.workers = 4, .memoryBytes = plentyForPrediction});
    };
    const std::optional<Prediction> known = predictPlan(*planOf(project), basis);
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->byRunsAlone);
    Project larger = project;
    larger.width *= 8;
    larger.height *= 8;
    EXPECT_FALSE(predictPlan(*planOf(larger), basis)) << "typical proportions are no measurement";
    Project shared = project;
    shared.devices = 2;
    EXPECT_FALSE(predictPlan(*planOf(shared), basis)) << "how devices share this machine is not known";
    basis.rates = real;
    EXPECT_FALSE(predictPlan(*planOf(project), basis)->byRunsAlone) << "measured rates come first";
}

TEST(RatesOfRuns, RunsOfGpusTellNothingOfTheCpu) {
    PastRun run = pastRunOf(testing::smallProject(), madeUpRates());
    run.work.gpus = {"a card"};
    EXPECT_FALSE(ratesOfRuns(machine, std::vector{run}));
    EXPECT_FALSE(ratesOfRuns(machine, {}));
}

}  // namespace
}  // namespace meshreel
