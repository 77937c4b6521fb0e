// SPDX-License-Identifier: GPL-3.0-or-later
// What benchmarks say, on sizes that take no time; never how fast anything is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/measure/benchmarks/benchmark_groups.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/runs/records/roofline.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

BenchmarkOptions tiny() {
    BenchmarkOptions options;
    options.width = options.height = 32;
    options.frames = 5;
    options.layers = 1;
    options.tokens = {16};
    options.rounds = 1;
    options.peakSeconds = 0;
    options.bandwidthBytes = 1 << 20;
    return options;
}

std::set<std::string> namesOf(const BenchmarkRun& run) {
    std::set<std::string> names;
    for (const BenchmarkRow& row : run.rows())
        names.insert(row.name);
    return names;
}

class Benchmarks : public ::testing::Test {
  protected:
    [[nodiscard]] const Execution& execution() const { return m_execution; }

  private:
    WorkerPool m_workers{{.workers = 2}};
    Execution m_execution{m_workers, {}};
};

TEST_F(Benchmarks, EveryRunBeginsWithTheMachinesLimits) {
    BenchmarkRun run(execution(), tiny());
    measureGroup(run, "peaks");
    EXPECT_THAT(namesOf(run), ::testing::IsSupersetOf(
                                  {"peak.matmul.bf16", "peak.matmul.f32", "peak.bandwidth", "peak.exp"}));
    for (const BenchmarkRow& row : run.rows()) {
        EXPECT_GT(row.value, 0) << row.name;
        EXPECT_EQ(row.of, row.name);
        EXPECT_EQ(row.ratio, 1.0);
    }
}

TEST_F(Benchmarks, NetworksForFinishedVideosAreMeasuredInBothArithmetics) {
    BenchmarkRun run(execution(), tiny());
    measureGroup(run, "finish");
    EXPECT_THAT(namesOf(run),
                ::testing::IsSupersetOf({"finish.rife.f32.32x32", "finish.rife.bf16.32x32",
                                         "finish.upscale.f32.32x32", "finish.upscale.bf16.32x32"}));
}

TEST_F(Benchmarks, RowsAreComparedWithThePeakOfTheirRun) {
    BenchmarkRun run(execution(), tiny());
    run.addFlops("x", 3e12, {.median = 2, .fastest = 1, .slowest = 3, .rounds = 4}, Arithmetic::F32, 1e12);
    const BenchmarkRow& row = run.rows().back();
    EXPECT_DOUBLE_EQ(row.value, 1.5);
    EXPECT_DOUBLE_EQ(row.ratio, 1.5e12 / run.peaks().matmul(Arithmetic::F32));
    EXPECT_EQ(row.of, "peak.matmul.f32");
    EXPECT_DOUBLE_EQ(row.spread, 1.0);
    EXPECT_EQ(row.rounds, 4);
    EXPECT_THAT(row.details, ::testing::Contains(::testing::Pair("flops_per_byte", 3.0)));
}

TEST_F(Benchmarks, ARowIsComparedWithThePeaksBesideIt) {
    BenchmarkRun run(execution(), tiny());
    MeasuredTime time{.median = 2, .fastest = 2, .slowest = 2, .rounds = 4, .peaks = {2e12, 4e12, 3e12}};
    run.addFlops("moved", 6e12, time, Arithmetic::F32);
    const BenchmarkRow moved = run.rows().back();
    EXPECT_DOUBLE_EQ(moved.ratio, 1.0);
    EXPECT_THAT(moved.details,
                ::testing::Contains(::testing::Pair("peak_spread", ::testing::DoubleNear(2.0 / 3, 1e-9))));
    EXPECT_THAT(benchmarkLine(moved), ::testing::EndsWith("peak 3 within 67 %: too restless for a verdict"));
    time.peaks = {3e12, 3.1e12, 2.9e12};
    run.addFlops("quiet", 6e12, time, Arithmetic::F32);
    EXPECT_THAT(benchmarkLine(run.rows().back()), ::testing::EndsWith("peak 3 within 7 %"));
    const MeasuredTime measured = run.measure([] {}, Arithmetic::F32);
    EXPECT_GE(measured.peaks.size(), 2U);
    EXPECT_THAT(measured.peaks, ::testing::Each(::testing::Gt(0.0)));
}

TEST_F(Benchmarks, TheTransformersRateIsOfItsNominalOperations) {
    BenchmarkOptions options = tiny();
    options.arithmetic = Arithmetic::F32;
    BenchmarkRun run(execution(), options);
    measureGroup(run, "dit");
    const auto& rows = run.rows();
    const auto forward = std::ranges::find(rows, "dit.forward", &BenchmarkRow::name);
    ASSERT_NE(forward, rows.end());
    const auto detail = [&](const char* name) {
        return std::ranges::find(forward->details, name, &std::pair<std::string, double>::first)->second;
    };
    EXPECT_EQ(detail("tokens"), 8);
    EXPECT_NEAR(forward->ratio, detail("tflop") / forward->value / detail("peak"), 1e-9);
    double shares = 0;
    for (const BenchmarkRow& row : rows)
        shares += row.name.starts_with("dit.share.") ? row.ratio : 0;
    EXPECT_NEAR(shares, 1.0, 1e-6);
}

TEST_F(Benchmarks, AnUnknownGroupIsRefusedWithTheGroups) {
    BenchmarkRun run(execution(), tiny());
    try {
        measureGroup(run, "speed");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        EXPECT_THAT(error.what(), ::testing::HasSubstr("attention"));
    }
}

TEST_F(Benchmarks, TheHistoryGrowsByALine) {
    const testing::TemporaryFolder folder;
    BenchmarkRun run(execution(), tiny());
    appendToHistory(folder / "history.jsonl", benchmarkJson(run));
    appendToHistory(folder / "history.jsonl", benchmarkJson(run));
    const std::string text = readFile(folder / "history.jsonl");
    ASSERT_EQ(std::ranges::count(text, '\n'), 2);
    const auto entry = nlohmann::json::parse(text.substr(0, text.find('\n')));
    EXPECT_TRUE(entry.contains("date"));
    EXPECT_TRUE(entry.at("machine").contains("commit"));
    EXPECT_EQ(entry.at("rows").size(), run.rows().size());
    for (const char* key : {"name", "value", "unit", "ratio", "of"})
        EXPECT_TRUE(entry.at("rows").at(0).contains(key)) << key;
}

TEST_F(Benchmarks, ARowIsJudgedBesideAnEarlierOneOfItsName) {
    const testing::TemporaryFolder folder;
    BenchmarkRow row{.name = "a", .value = 1, .unit = "s", .of = "a", .seconds = {2, 2.1, 2.2}};
    const std::filesystem::path history = folder / "history.jsonl";
    appendToHistory(history, benchmarkJson(std::vector{row}, 1));
    const SecondsByRow before = readRounds(history);
    EXPECT_EQ(before, (SecondsByRow{{"a", {2, 2.1, 2.2}}}));
    row.seconds = {1, 1.1, 1.2};
    EXPECT_EQ(judgeRow(before, row)->difference, Difference::Faster);
    row.name = "b";
    EXPECT_FALSE(judgeRow(before, row)) << "there was none of this name";
    row.seconds.clear();
    appendToHistory(history, benchmarkJson(std::vector{row}, 1));
    EXPECT_THROW(static_cast<void>(readRounds(history)), Error) << "it tells the seconds of no round";
    nlohmann::json other = benchmarkJson(std::vector{row}, 1);
    other["machine"]["cpu"] = "Another";
    writeFileAtomically(history, other.dump());
    EXPECT_THROW(static_cast<void>(readRounds(history)), Error);
    BenchmarkRun run(execution(), tiny());
    EXPECT_EQ(run.rows().front().seconds.size(), static_cast<std::size_t>(run.rows().front().rounds));
}

TEST_F(Benchmarks, TheRooflineHasRowsOfKnownIntensity) {
    BenchmarkRun run(execution(), tiny());
    run.addFlops("with.intensity", 1e9, {.median = 1, .fastest = 1, .slowest = 1}, Arithmetic::F32, 1e7);
    run.addFlops("without", 1e9, {.median = 1, .fastest = 1, .slowest = 1}, Arithmetic::F32);
    const std::vector<RooflinePoint> points = toRoofline(benchmarkJson(run)).points;
    ASSERT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0], (RooflinePoint{"with.intensity", 100, 1e9}));
}

TEST_F(Benchmarks, TheRooflineOfAHistoryIsThatOfItsLastCommit) {
    const testing::TemporaryFolder folder;
    const auto line = [](const char* commit, const char* name, double value, double peak) {
        const nlohmann::json json{
            {"machine", {{"cpu", "One"}, {"commit", commit}}},
            {"rows",
             {{{"name", "peak.matmul.f32"}, {"value", peak}, {"unit", "TFLOP/s"}},
              {{"name", "peak.matmul.int8"}, {"value", 99}, {"unit", "TOP/s"}},
              {{"name", "peak.bandwidth"}, {"value", 20}, {"unit", "GB/s"}},
              {{"name", name},
               {"value", value},
               {"unit", "TFLOP/s"},
               {"flops_per_byte", 100},
               {"of", "peak.matmul.f32"}},
              {{"name", "text"}, {"value", 2}, {"unit", "s"}, {"flops", 4e12}, {"bytes", 1e9}}}}};
        return json.dump() + "\n";
    };
    const std::filesystem::path history = folder / "history.jsonl";
    writeFileAtomically(history, line("old", "linear.a", 9, 9) + line("new", "linear.a", 1, 2) +
                                     line("new", "linear.b", 1.5, 3));
    const Roofline roofline = readRoofline(history);
    ASSERT_EQ(roofline.points.size(), 3U);
    ASSERT_EQ(roofline.peaks.size(), 1U);
    EXPECT_DOUBLE_EQ(roofline.peaks[0].flopsPerSecond, 3e12);
    EXPECT_DOUBLE_EQ(roofline.points[0].flopsPerSecond, 1e12);
    EXPECT_EQ(roofline.points[1].name, "text");
    EXPECT_DOUBLE_EQ(roofline.points[1].flopsPerSecond, 2e12);
    EXPECT_DOUBLE_EQ(roofline.points[1].flopsPerByte, 4000);
    for (const std::string& damaged : {std::string(), std::string("x\n"), std::string("{}"),
                                       line("new", "linear.a", 1, 2) + "{\"machine\": 3}\n"}) {
        writeFileAtomically(history, damaged);
        EXPECT_THROW(static_cast<void>(readRoofline(history)), Error) << damaged;
    }
}

TEST(Stopwatch, WarmsUpThenMeasuresAtLeastOnce) {
    int calls = 0;
    const MeasuredTime limited = measureRounds({}, {.most = 10}, [&] { ++calls; });
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(limited.rounds, 1);
    EXPECT_EQ(measureRounds({}, {.least = 2, .most = 10}, [] {}).rounds, 2);
    calls = 0;
    EXPECT_EQ(measureRounds({}, {.most = 3, .seconds = 1e9}, [&] { ++calls; }).rounds, 3);
    EXPECT_EQ(calls, 4);
}

TEST(Stopwatch, LooksAtTheMachineBeforeBetweenAndAfter) {
    std::string order;
    const auto work = [&] { order += 'w'; };
    const auto beside = [&] { order += 'b'; };
    measureRounds({}, {.most = 4, .seconds = 1e9}, work, beside);
    EXPECT_EQ(order, "wbwwbwwb") << "the first is for warming up";
    order.clear();
    measureRounds({}, {.most = 1, .seconds = 1e9}, work, beside);
    EXPECT_EQ(order, "wbwb");
}

TEST(Stopwatch, AStopEndsIt) {
    StopSource stop;
    stop.request_stop();
    EXPECT_THROW(measureRounds(stop.get_token(), {.most = 3, .seconds = 1}, [] {}), Error);
}

TEST_F(Benchmarks, RandomRowsHaveTheirDeviation) {
    for (const DType type : {DType::F32, DType::BF16}) {
        const Tensor rows = randomRows(execution(), {300, 500}, type, 0.5F).toF32();
        double squares = 0;
        for (const float value : rows.data<float>())
            squares += double{value} * double{value};
        EXPECT_NEAR(std::sqrt(squares / 150000.0), 0.5, 0.01);
    }
}

}  // namespace
}  // namespace meshreel
