// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/measure/rate_measurement.h"
#include "engine/measure/rate_samples.h"
#include "engine/measure/scratch_run.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;

/// A second of products on all CPUs, taking `seconds`.
RateSample sampleOf(const char* name, double seconds) {
    RateSample sample{.name = name,
                      .work = {},
                      .arrangement = {.devices = 1, .workersPerDevice = MachineIdentity::ofThis().cpus},
                      .seconds = seconds};
    sample.work[WorkClass::LinearF32] = 1e11;
    return sample;
}

/// Rounds that take these seconds, one after the other.
RateMeasurement::TimeRound takes(std::vector<double> seconds) {
    return [seconds = std::move(seconds), next = std::size_t{0}](RateSamples& samples) mutable {
        samples.add(sampleOf("a", seconds.at(next)));
        samples.add(sampleOf("b", 2 * seconds.at(next)));
        ++next;
    };
}

TEST(RateMeasurement, TheMedianOfTheRoundsCounts) {
    RateMeasurement measurement({}, {}, nullptr, takes({3, 9, 4, 5}));
    for (int round = 0; round < 3; ++round)
        measurement.round();
    EXPECT_EQ(measurement.taken(), 3);
    EXPECT_THAT(measurement.rates().samples.at(0).rounds, ElementsAre(3, 9, 4));
    EXPECT_EQ(measurement.rates().samples.at(0).seconds, 4);
    measurement.round();
    EXPECT_EQ(measurement.rates().samples.at(0).seconds, 4.5)
        << "of an even number the mean of the middle two";
    EXPECT_EQ(measurement.rates().samples.at(1).seconds, 9);
}

TEST(RateMeasurement, GoesOnBehindWhatIsKept) {
    const testing::TemporaryFolder folder;
    RateMeasurement first({}, {}, nullptr, takes({3, 9, 4}));
    for (int round = 0; round < 3; ++round)
        first.round();
    writeRates(folder / "rates.json", first.rates());
    const MachineRates kept = readRates(folder / "rates.json", MachineIdentity::ofThis()).value();
    EXPECT_EQ(kept.rounds(), 3);
    RateMeasurement further({}, {}, &kept, takes({5, 6}));
    EXPECT_EQ(further.taken(), 3);
    further.round();
    further.round();
    const MachineRates rates = further.rates();
    EXPECT_EQ(rates.rounds(), 5);
    EXPECT_THAT(rates.samples.at(0).rounds, ElementsAre(3, 9, 4, 5, 6));
    EXPECT_EQ(rates.samples.at(0).seconds, 5);
    EXPECT_NEAR(rates.secondsOf(rates.samples.at(0).work, rates.samples.at(0).arrangement), 7, 2.1)
        << "fitted anew";
}

TEST(RateMeasurement, NothingOfARoundThatDidNotEndCounts) {
    int rounds = 0;
    RateMeasurement measurement({}, {}, nullptr, [&rounds](RateSamples& samples) {
        samples.add(sampleOf("a", 1));
        if (++rounds == 2)
            throw Error(ErrorKind::Cancelled, "cancelled");
    });
    measurement.round();
    EXPECT_THROW(measurement.round(), Error);
    EXPECT_EQ(measurement.taken(), 1);
    EXPECT_THAT(measurement.rates().samples.at(0).rounds, ElementsAre(1));
}

/// Times a, b and c, and stops before the one of this number, counted over all calls; `timed` counts passes.
RateMeasurement::TimeRound stopsBefore(int number, int& timed) {
    return [number, &timed](RateSamples& samples) {
        for (const char* name : {"a", "b", "c"}) {
            if (samples.takeEarlier(name))
                continue;
            if (++timed == number)
                throw Error(ErrorKind::Cancelled, "stopped");
            samples.add(sampleOf(name, timed));
        }
    };
}

TEST(RateMeasurement, GoesOnInTheRoundThatWasStopped) {
    int timed = 0;
    std::vector<std::string> told;
    const auto tell = [&told](const RateSample& sample) { told.push_back(sample.name); };
    RateMeasurement measurement({}, tell, nullptr, stopsBefore(6, timed));
    measurement.round();
    EXPECT_THROW(measurement.round(), Error);
    EXPECT_EQ(measurement.unfinished().timed(), 5U);
    measurement.round();
    EXPECT_EQ(measurement.taken(), 2);
    EXPECT_EQ(measurement.unfinished().timed(), 6U);
    EXPECT_THAT(told, ElementsAre("a", "b", "c", "a", "b", "c")) << "a and b were not timed again";
    const std::vector<RateSample> samples = measurement.rates().samples;
    ASSERT_EQ(samples.size(), 3U);
    EXPECT_THAT(samples[0].rounds, ElementsAre(1, 4));
    EXPECT_THAT(samples[1].rounds, ElementsAre(2, 5));
    EXPECT_THAT(samples[2].rounds, ElementsAre(3, 7));
}

TEST(RateMeasurement, GoesOnAfterARestart) {
    const testing::TemporaryFolder cache;
    ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    const MachineIdentity machine = MachineIdentity::ofThis();
    int timed = 0;
    {
        RateMeasurement measurement({}, {}, nullptr, stopsBefore(6, timed));
        EXPECT_THROW(goOnMeasuring(measurement, machine, 2), Error);
    }
    ASSERT_TRUE(readUnfinishedRates(machine));
    EXPECT_EQ(readUnfinishedRates(machine)->timed(), 5U);
    RateMeasurement later({}, {}, nullptr, stopsBefore(0, timed));
    const MachineRates rates = goOnMeasuring(later, machine, 2);
    EXPECT_EQ(rates.rounds(), 2);
    ASSERT_EQ(rates.samples.size(), 3U);
    EXPECT_THAT(rates.samples[1].rounds, ElementsAre(2, 5));
    EXPECT_THAT(rates.samples[2].rounds, ElementsAre(3, 7));
    EXPECT_FALSE(readUnfinishedRates(machine)) << "it is finished";
    ::unsetenv("XDG_CACHE_HOME");
}

TEST(RateMeasurement, TakesUpNothingOfAnotherBuildOrMachine) {
    RateMeasurement measurement({}, {}, nullptr, takes({1}));
    UnfinishedRates other = measurement.unfinished();
    other.round.samples = {sampleOf("a", 5)};
    UnfinishedRates older = other;
    older.rounds.commit = "another";
    measurement.takeUp(older);
    EXPECT_EQ(measurement.unfinished().timed(), 0U);
    other.rounds.machine.cpus += 1;
    measurement.takeUp(other);
    EXPECT_EQ(measurement.unfinished().timed(), 0U);
}

TEST(RateMeasurement, WhatIsTimedMayChangeBetweenRounds) {
    RateMeasurement first({}, {}, nullptr, takes({1}));
    first.round();
    const MachineRates kept = first.rates();
    RateMeasurement further({}, {}, &kept, [](RateSamples& samples) {
        RateSample counted = sampleOf("b", 2);
        counted.work[WorkClass::LinearF32] = 5e10;
        samples.add(counted);
        samples.add(sampleOf("c", 1));
    });
    further.round();
    const std::vector<RateSample> samples = further.rates().samples;
    ASSERT_EQ(samples.size(), 2U) << "a is not timed any more";
    EXPECT_THAT(samples[0].rounds, ElementsAre(2, 2));
    EXPECT_EQ(samples[0].work[WorkClass::LinearF32], 5e10);
    EXPECT_THAT(samples[1].rounds, ElementsAre(1));
}

RateSample makeSample(const char* name, double seconds) {
    return {.name = name, .seconds = seconds};
}

TEST(RateSamples, AreKeptAndTold) {
    std::vector<double> told;
    RateSamples samples({}, [&](const RateSample& sample) { told.push_back(sample.seconds); });
    samples.add(makeSample("a", 3));
    samples.add(makeSample("b", 1));
    EXPECT_EQ(told, (std::vector<double>{3, 1}));
    ASSERT_EQ(samples.samples().size(), 2U);
    EXPECT_EQ(samples.samples()[1].name, "b");
}

TEST(RateSamples, AFirstPassWarmsUpAndIsComparedWithTheOthers) {
    RateSamples samples({}, {});
    std::vector<double> passes{8, 2, 9};
    std::size_t next = 0;
    samples.time(makeSample("long", 0), true, [&] { return passes.at(next++); });
    EXPECT_EQ(next, 2U) << "a long pass runs once behind the first";
    EXPECT_EQ(samples.samples().front().seconds, 2);
    EXPECT_EQ(samples.firstStepFactors(), std::vector<double>{4});
    next = 0;
    passes = {0.04, 0.01, 0.03, 0.02};
    samples.time(makeSample("short", 0), false, [&] { return passes.at(next++); });
    EXPECT_EQ(next, passes.size());
    EXPECT_EQ(samples.samples().back().seconds, 0.02);
    EXPECT_EQ(samples.firstStepFactors().size(), 1U);
}

TEST(RateSamples, WhatWasTimedBeforeIsNotTimedAgain) {
    std::vector<std::string> told;
    RateSamples samples({}, [&told](const RateSample& sample) { told.push_back(sample.name); },
                        {makeSample("a", 3)}, {1.5});
    samples.time(makeSample("a", 0), true, []() -> double { throw std::logic_error("timed again"); });
    samples.time(makeSample("b", 0), false, [] { return 1.0; });
    EXPECT_THAT(told, ElementsAre("b"));
    ASSERT_EQ(samples.samples().size(), 2U);
    EXPECT_EQ(samples.samples()[0].seconds, 3);
    EXPECT_EQ(samples.firstStepFactors(), std::vector<double>{1.5});
}

TEST(RateSamples, APassDuringWhichSomethingElseBeganCountsForNothing) {
    StopSource stop;
    RateSamples samples(stop.get_token(), {});
    int passes = 0;
    EXPECT_THROW(samples.time(makeSample("a", 0), false,
                              [&] {
                                  if (++passes == 2)
                                      stop.request_stop();
                                  return 1.0;
                              }),
                 Error);
    EXPECT_TRUE(samples.samples().empty());
}

TEST(ScratchRun, KeepsCheckpointsApartFromSteps) {
    Project project;
    project.prompt = "a red ball";
    project.width = project.height = 32;
    project.numFrames = 5;
    project.numInferenceSteps = 3;
    project.workers = 1;
    const ScratchRun run = runInScratch(project, {});
    EXPECT_EQ(run.work.aroundSteps[WorkClass::Checkpoints], 3);
    EXPECT_GT(run.stepSeconds, 0);
    EXPECT_GT(run.aroundStepsSeconds, 0);
    const double denoising = run.stages[static_cast<std::size_t>(RunStage::Denoising)];
    EXPECT_GT(denoising, run.stepSeconds + run.aroundStepsSeconds);
    EXPECT_GT(run.total(), denoising);
}

}  // namespace

}  // namespace meshreel
