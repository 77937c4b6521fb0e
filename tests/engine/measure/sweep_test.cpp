// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

// The embedded model's shapes, two devices, which U = 3 does not divide.
constexpr const char* smallSweep =
    "version: 1\n"
    "name: small\n"
    "repeats: 2\n"
    "trace_batch: 2\n"
    "base: {width: 32, height: 32, num_frames: 5, devices: 2, workers: 1}\n"
    "strategies:\n"
    "  - {name: ring, attention: tokamax_ring}\n"
    "  - {name: ulysses, attention: ulysses}\n"
    "  - {name: hybrid, attention: ulysses_ring, ulysses_shards: 3}\n"
    "vary:\n"
    "  batch: [1, 2]\n";

std::size_t passes(const std::vector<SweepRow>& rows) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const SweepRow& row) { return row.refusal.empty(); }));
}

TEST(Sweep, TimesEveryCellAndSaysWhichCannotRun) {
    const testing::TemporaryFolder folder;
    const SweepFile sweep = readSweep(smallSweep, "small.yaml");
    const std::vector<SweepRow> rows = runSweep(sweep, folder / "out", {}).rows;
    EXPECT_EQ(passes(rows), 2U * 2U * 2U);
    EXPECT_EQ(rows.size() - passes(rows), 2U) << "the hybrid at each batch";
    for (const SweepRow& row : rows) {
        EXPECT_EQ(row.devices, 2) << row.cell;
        EXPECT_EQ(row.workersPerDevice, 1) << row.cell;
        if (row.refusal.empty()) {
            EXPECT_GT(row.seconds, 0) << row.cell;
            EXPECT_GT(row.bytesMoved, 0) << row.cell;
        } else {
            EXPECT_THAT(row.refusal, HasSubstr("ulysses_shards"));
        }
    }
    const std::string csv = readFile(folder / "out" / "sweep.csv");
    EXPECT_THAT(csv, ::testing::StartsWith(
                         "strategy,batch,devices,workers,repeat,status,seconds,bytes_moved,detail"));
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / "trace-ring--batch-2.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out" / "trace-ring--batch-1.json"));
    const DataTable summary = sweepSummary(sweep, rows);
    ASSERT_EQ(summary.rows.size(), 6U);
    EXPECT_EQ(summary.rows[0].back(), DataCell()) << "it is the first itself";
    EXPECT_EQ(summary.rows[1].back(), DataCell("Too few times to tell: repeat 2 times"));
}

TEST(Sweep, GoesOnWhereItWasStopped) {
    const testing::TemporaryFolder folder;
    const SweepFile sweep = readSweep(smallSweep, "small.yaml");
    StopSource stop;
    EXPECT_THROW(runSweep(sweep, folder / "out", stop.get_token(),
                          [&](const SweepRow& row, std::size_t, std::size_t) {
                              if (row.refusal.empty())
                                  stop.request_stop();
                          }),
                 Error);
    std::size_t told = 0;
    const std::vector<SweepRow> rows =
        runSweep(sweep, folder / "out", {}, [&](const SweepRow&, std::size_t, std::size_t) { ++told; }).rows;
    EXPECT_EQ(passes(rows), 8U);
    EXPECT_EQ(told, 7U) << "one pass and the refusals were there";
    EXPECT_EQ(runSweep(sweep, folder / "out", {}).rows.size(), rows.size());
}

TEST(Sweep, TheCountEndsAtTheTotal) {
    const testing::TemporaryFolder folder;
    std::vector<std::pair<std::size_t, std::size_t>> told;
    static_cast<void>(runSweep(readSweep(smallSweep, "small.yaml"), folder / "out", {},
                               [&](const SweepRow& row, std::size_t done, std::size_t total) {
                                   if (row.refusal.empty())
                                       told.emplace_back(done, total);
                               }));
    ASSERT_EQ(told.size(), 8U);
    EXPECT_EQ(told.front(), (std::pair<std::size_t, std::size_t>(1, 8)));
    EXPECT_EQ(told.back(), (std::pair<std::size_t, std::size_t>(8, 8)));
}

TEST(Sweep, AnEvenNumberOfPassesHasTheMeanOfItsMiddleTwo) {
    SweepFile sweep = readSweep(smallSweep, "small.yaml");
    sweep.batches = {1};
    const std::string ring = sweepCells(sweep)[0].name();
    const std::string ulysses = sweepCells(sweep)[1].name();
    std::vector<SweepRow> rows;
    for (const double seconds : {9.0, 2.0, 4.0, 1.0})
        rows.push_back({.cell = ring, .repeat = 1, .seconds = seconds});
    for (const double seconds : {2.0, 1.0})
        rows.push_back({.cell = ulysses, .repeat = 1, .seconds = seconds});
    const DataTable summary = sweepSummary(sweep, rows);
    const std::vector<DataCell> expected{std::string("ulysses"),
                                         std::int64_t{1},
                                         std::int64_t{2},
                                         1.5,
                                         1.0 / 1.5,
                                         std::string("Too few times to tell: repeat 2 times")};
    EXPECT_EQ(summary.rows[0][3], DataCell(3.0));
    EXPECT_EQ(summary.rows[1], expected);
}

TEST(Sweep, SomeCellsAreRepeatedMoreOftenThanOthers) {
    const testing::TemporaryFolder folder;
    SweepFile sweep = readSweep(smallSweep, "small.yaml");
    sweep.batches = {1};
    sweep.traceBatch.reset();
    const std::vector<SweepRow> before = runSweep(sweep, folder / "out", {}).rows;
    const std::string ring = sweepCells(sweep)[0].name();
    EXPECT_EQ(referenceOf(sweep, sweepCells(sweep)[1]), ring);
    std::vector<std::pair<std::size_t, std::size_t>> told;
    const std::vector<SweepRow> rows = runSweep(sweep, folder / "out", {},
                                                [&](const SweepRow&, std::size_t done, std::size_t total) {
                                                    told.emplace_back(done, total);
                                                },
                                                {{ring, 5}})
                                           .rows;
    EXPECT_EQ(rows.size(), before.size() + 3) << "two of five were there";
    EXPECT_EQ(std::ranges::count(rows, ring, &SweepRow::cell), 5);
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told.back(), (std::pair<std::size_t, std::size_t>(7, 7)));
}

TEST(Sweep, WhatARefusedCellLeavesOpenIsEmpty) {
    SweepFile sweep = readSweep(smallSweep, "small.yaml");
    sweep.batches = {1};
    const SweepRow refused{.cell = sweepCells(sweep)[2].name(),
                           .devices = 0,
                           .workersPerDevice = 0,
                           .refusal = "It cannot run."};
    const DataTable table = sweepTable(sweep, std::vector{refused});
    EXPECT_EQ(table.rows[0][2], DataCell());
    EXPECT_EQ(table.rows[0][3], DataCell());
}

TEST(Sweep, KeepsWhatARefusalIsMadeOfBesideItsText) {
    const testing::TemporaryFolder folder;
    SweepFile sweep = readSweep(smallSweep, "small.yaml");
    sweep.strategies.erase(sweep.strategies.begin(), sweep.strategies.begin() + 2);
    sweep.batches = {1};
    const std::vector<SweepRow> rows = runSweep(sweep, folder / "out", {}).rows;
    ASSERT_EQ(rows.size(), 1U);
    ASSERT_FALSE(rows[0].refusal.pattern().empty());
    const std::vector<SweepRow> recorded = recordedPasses(sweep, folder / "out").rows;
    ASSERT_EQ(recorded.size(), 1U);
    EXPECT_EQ(recorded[0].refusal, rows[0].refusal);
    EXPECT_EQ(recorded[0].refusal.pattern(), rows[0].refusal.pattern());

    const std::filesystem::path file = folder / "out" / "rows.jsonl";
    nlohmann::json ofEarlierVersions = nlohmann::json::parse(readFile(file));
    ofEarlierVersions.erase("refusal_parts");
    writeFileAtomically(file, ofEarlierVersions.dump() + "\n");
    EXPECT_EQ(recordedPasses(sweep, folder / "out").rows.at(0).refusal, rows[0].refusal);
}

TEST(Sweep, AFolderOfAnotherSweepIsRefused) {
    const testing::TemporaryFolder folder;
    SweepFile sweep = readSweep(smallSweep, "small.yaml");
    sweep.strategies.resize(1);
    sweep.batches = {1};
    static_cast<void>(runSweep(sweep, folder / "out", {}));
    sweep.base.height = 64;
    EXPECT_THROW(runSweep(sweep, folder / "out", {}), Error);
}

/// A sweep that was stopped behind its first pass.
SweepFile begunSweep(const std::filesystem::path& folder) {
    SweepFile sweep = readSweep(smallSweep, "small.yaml");
    StopSource stop;
    EXPECT_THROW(runSweep(sweep, folder, stop.get_token(),
                          [&](const SweepRow& row, std::size_t, std::size_t) {
                              if (row.refusal.empty())
                                  stop.request_stop();
                          }),
                 Error);
    return sweep;
}

TEST(Sweep, TracesOfAnyCellHaveANameThatTheFileSystemTakes) {
    const testing::TemporaryFolder folder;
    const std::string longName(300, 'n');
    const SweepFile sweep = readSweep(
        "version: 1\nrepeats: 1\ntrace_batch: 1\n"
        "base: {width: 32, height: 32, num_frames: 5, workers: 1}\n"
        "strategies:\n"
        "  - {name: " +
            longName + "1, attention: flash}\n" + "  - {name: " + longName + "2, attention: flash}\n" +
            "  - {name: '环 a:b', attention: flash}\n",
        "names.yaml");
    EXPECT_EQ(runSweep(sweep, folder / "out", {}).rows.size(), 3U);
    std::size_t traces = 0;
    std::size_t readable = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
        const std::string name = entry.path().filename().string();
        traces += name.starts_with("trace-") ? 1 : 0;
        readable += name.starts_with("trace-环-a-b") ? 1 : 0;
    }
    EXPECT_EQ(traces, 3U);
    EXPECT_EQ(readable, 1U);
}

TEST(Sweep, RowsThatCannotBeReadAreNamedAndTheOthersStay) {
    const testing::TemporaryFolder folder;
    const SweepFile sweep = begunSweep(folder / "out");
    const std::filesystem::path file = folder / "out" / "rows.jsonl";
    const std::string good = readFile(file);
    const std::size_t rows = recordedPasses(sweep, folder / "out").rows.size();
    ASSERT_GT(rows, 0U);
    for (const std::string& bad :
         {std::string("{\"cell\": \"ring, batch 1\"}"), std::string("{\"cell\": \"ri"), std::string(40, '\0'),
          std::string("[]"), good.substr(0, good.find('\n')).replace(good.find("batch"), 5, "botch")}) {
        SCOPED_TRACE(bad);
        writeFileAtomically(file, bad + "\n" + good);
        const SweepPasses recorded = recordedPasses(sweep, folder / "out");
        EXPECT_EQ(recorded.rows.size(), rows);
        ASSERT_EQ(recorded.leftOut.size(), 1U);
        EXPECT_THAT(recorded.leftOut.front().what(), HasSubstr("rows.jsonl:1"));
    }
    const std::string damaged = readFile(file);
    const SweepPasses continued = runSweep(sweep, folder / "out", {});
    EXPECT_EQ(passes(continued.rows), 8U);
    EXPECT_EQ(continued.leftOut.size(), 1U);
    EXPECT_EQ(readFile(folder / "out" / "rows-damaged.jsonl"), damaged) << "nothing is lost";
    EXPECT_TRUE(recordedPasses(sweep, folder / "out").leftOut.empty());
}

TEST(Sweep, PassesOfAnotherMachineOrBuildAreNotContinued) {
    const testing::TemporaryFolder folder;
    const SweepFile sweep = begunSweep(folder / "out");
    const std::filesystem::path file = folder / "out" / "machine.json";
    const auto here = nlohmann::json::parse(readFile(file));
    for (const char* fact : {"cpu", "isa", "cpus", "version", "commit", "build_id"}) {
        SCOPED_TRACE(fact);
        nlohmann::json elsewhere = here;
        elsewhere.at(fact) = "another";
        writeFileAtomically(file, elsewhere.dump());
        try {
            static_cast<void>(runSweep(sweep, folder / "out", {}));
            FAIL() << "was continued";
        } catch (const Error& refusal) {
            EXPECT_EQ(refusal.kind(), ErrorKind::Input);
            EXPECT_THAT(refusal.what(), HasSubstr(std::string(fact) + " was \"another\""));
        }
        EXPECT_FALSE(recordedPasses(sweep, folder / "out").rows.empty()) << "they can be looked at";
    }
    std::filesystem::remove(file);
    const SweepPasses continued = runSweep(sweep, folder / "out", {});
    ASSERT_EQ(continued.notes.size(), 1U);
    EXPECT_THAT(continued.notes.front(), testing::Names(withTilde(folder / "out"), "machine.json"));
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(Sweep, ACellWhoseModelCannotBeReadIsLeftOut) {
    const testing::TemporaryFolder folder;
    const std::string models(testing::sourceFolder() / "resources/models/tiny-wan-t2v");
    std::filesystem::copy(models, folder / "broken", std::filesystem::copy_options::recursive);
    writeFileAtomically(folder / "broken" / "transformer" / "config.json", "{");
    const SweepFile sweep = readSweep(
        "version: 1\nrepeats: 1\n"
        "base: {width: 32, height: 32, num_frames: 5, workers: 1}\n"
        "strategies:\n"
        "  - {name: plain, attention: flash}\n"
        "vary:\n"
        "  pretrained_model_name_or_path: [" +
            (folder / "broken").string() + ", " + models + "]\n",
        "models.yaml");
    const SweepPasses found = runSweep(sweep, folder / "out", {});
    EXPECT_EQ(passes(found.rows), 1U);
    ASSERT_EQ(found.leftOut.size(), 1U);
    EXPECT_THAT(found.leftOut.front().what(), HasSubstr("config.json"));
}

}  // namespace
}  // namespace meshreel
