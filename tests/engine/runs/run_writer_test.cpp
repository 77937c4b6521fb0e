// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

const StepRecord record{0, 999, 0.999, 0.5, -1, 1, 0};

const StepDeviceTimes firstTimes{
    .step = 0,
    .devices = {{.computing = 0.4, .exchanging = 0.0625, .waiting = 0.0375, .bytesReceived = 100},
                {.computing = 0.5, .exchanging = 0, .waiting = 0, .bytesReceived = 200}}};

SamplerSnapshot takeSnapshot(std::vector<float> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return {1, Tensor::from({count}, values), {{"output0", Tensor::from<float>({2}, {5, 6})}}};
}

/// Nothing can be renamed over a folder that is not empty.
void blockFile(const RunFolder& folder, std::string_view name) {
    fs::create_directories(folder.file(name) / "x");
}

struct RunWriterTest : ::testing::Test {
    testing::TemporaryFolder temporary;
    RunFolder folder = RunFolder::create(temporary / "run");
    LogPtr log = silentLog();
    std::size_t passedOn = 0;
    RunWriter writer{folder, *log, [this](const RunEvent&) { ++passedOn; }};

    void finishStep(const StepRecord& step, const SamplerSnapshot& snapshot) {
        writer(RunCheckpoint{snapshot, step});
        writer(step);
    }
};

TEST_F(RunWriterTest, KeepsLatentsHistoryAndRow) {
    finishStep(record, takeSnapshot({1, 2, 3}));
    const auto checkpoint = folder.checkpoint();
    ASSERT_TRUE(checkpoint.has_value());
    EXPECT_EQ(checkpoint->snapshot.stepsDone, 1);
    EXPECT_EQ(checkpoint->lastStep, record);
    EXPECT_TRUE(std::ranges::equal(checkpoint->snapshot.latents.data<float>(), std::vector<float>{1, 2, 3}));
    ASSERT_EQ(checkpoint->snapshot.history.size(), 1U);
    EXPECT_EQ(checkpoint->snapshot.history[0].first, "output0");
    EXPECT_EQ(folder.steps(), std::vector<StepRecord>{record});
}

TEST_F(RunWriterTest, PassesEveryEventOnBehindTheFolder) {
    testing::TemporaryFolder other;
    RunFolder run = RunFolder::create(other / "run");
    std::vector<std::size_t> rows;
    RunWriter checked(run, *log, [&](const RunEvent&) { rows.push_back(run.steps().size()); });
    checked(PhaseStarted{Phase::Denoise});
    checked(RunCheckpoint{takeSnapshot({1}), record});
    checked(record);
    checked(Progress{});
    EXPECT_EQ(rows, (std::vector<std::size_t>{0, 0, 1, 1}));
    EXPECT_EQ(checked.steps(), std::vector{record});
}

TEST_F(RunWriterTest, TheCheckpointIsInPlaceBeforeItsRow) {
    blockFile(folder, run_file::steps);
    EXPECT_THROW(finishStep(record, takeSnapshot({1})), Error);
    EXPECT_EQ(folder.checkpoint()->snapshot.stepsDone, 1);
}

TEST_F(RunWriterTest, WhatCannotBeWrittenIsNotPassedOn) {
    blockFile(folder, run_file::checkpoint);
    EXPECT_THROW(finishStep(record, takeSnapshot({1})), Error);
    EXPECT_TRUE(folder.steps().empty());
    EXPECT_EQ(passedOn, 0U);
}

TEST_F(RunWriterTest, TimesOfDevicesAreKeptAndGoneOnWith) {
    EXPECT_TRUE(folder.deviceTimes().empty());
    writer(firstTimes);
    EXPECT_EQ(folder.deviceTimes(), std::vector{firstTimes});

    RunWriter resumed(folder, *log, ignoreEvent);
    StepDeviceTimes next = firstTimes;
    next.step = 1;
    resumed(next);
    EXPECT_EQ(folder.deviceTimes(), (std::vector{firstTimes, next}));
}

TEST_F(RunWriterTest, RowsAreAddedAndTheOthersStayWhereTheyAre) {
    StepRecord second = record;
    second.step = 1;
    finishStep(record, takeSnapshot({1}));
    const auto identity = [&] {
        struct stat status {};
        EXPECT_EQ(::stat(folder.file(run_file::steps).c_str(), &status), 0);
        return status.st_ino;
    };
    const auto before = identity();
    finishStep(second, takeSnapshot({1}));
    EXPECT_EQ(identity(), before);
    EXPECT_EQ(folder.steps(), (std::vector{record, second}));
}

TEST_F(RunWriterTest, ARowThatAKillCutIsWrittenAgainWhenTheRunGoesOn) {
    StepDeviceTimes second = firstTimes;
    second.step = 1;
    finishStep(record, takeSnapshot({1}));
    writer(firstTimes);
    writer(second);
    const std::string steps = readFile(folder.file(run_file::steps));
    const std::string devices = readFile(folder.file(run_file::devices));
    const std::size_t header = devices.find('\n') + 1;
    for (std::size_t cut = 1; cut < devices.size() - header; ++cut) {
        folder.write(run_file::devices, std::string_view(devices).substr(0, devices.size() - cut));
        const std::vector<StepDeviceTimes> left = folder.deviceTimes();
        ASSERT_TRUE(left.empty() || left.front().devices[0] == firstTimes.devices[0]) << cut;
    }
    folder.write(run_file::devices, std::string_view(devices).substr(0, devices.size() - 3));
    folder.write(run_file::steps, steps + "1,99");
    EXPECT_EQ(folder.steps(), std::vector{record});
    EXPECT_EQ(folder.deviceTimes(), std::vector{firstTimes});

    RunWriter resumed(folder, *log, ignoreEvent);
    resumed(second);
    EXPECT_EQ(folder.deviceTimes(), (std::vector{firstTimes, second}));
    EXPECT_EQ(readFile(folder.file(run_file::steps)), steps);
}

TEST_F(RunWriterTest, LeavesNoTemporaryFiles) {
    finishStep(record, takeSnapshot({1, 2}));
    writer(LatentsReady{Tensor::zeros({4})});
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    EXPECT_EQ(names, (std::vector<std::string>{".lock", "checkpoint.safetensors", "latents.checksum",
                                               "latents.safetensors", "steps.csv"}));
}

}  // namespace
}  // namespace meshreel
