// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a benchmark that are chosen, repeated, kept and read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/catalogue/model_facts.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/measure/benchmarks/benchmark_history.h"
#include "engine/measure/benchmarks/benchmark_measurement.h"
#include "engine/measure/benchmarks/benchmark_run.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/measure/benchmarks/rows_of_plan.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"
#include "engine/runs/records/data_table.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

BenchmarkOptions smallOptions() {
    BenchmarkOptions options;
    options.tokens = {16};
    options.rounds = 2;
    options.peakSeconds = 0;
    options.bandwidthBytes = 1 << 20;
    return options;
}

std::vector<std::string> rowNames(const std::vector<BenchmarkRow>& rows) {
    std::vector<std::string> names;
    for (const BenchmarkRow& row : rows)
        names.push_back(row.name);
    return names;
}

const BenchmarkRow& rowNamed(const std::vector<BenchmarkRow>& rows, const std::string& name) {
    const auto found = std::ranges::find(rows, name, &BenchmarkRow::name);
    if (found == rows.end())
        throw std::out_of_range(name);
    return *found;
}

TEST(WantedBenchmarks, AreMeasuredAloneBesideTheLimits) {
    BenchmarkRequest request{.group = "attention", .options = smallOptions(), .workers = 1};
    request.options.wanted.names = {"attention.flash.16"};
    BenchmarkMeasurement measurement(request);
    std::vector<std::string> told;
    measurement.measure({}, [&told](const BenchmarkRow& row) { told.push_back(row.name); });
    EXPECT_EQ(told, rowNames(measurement.rows()));
    std::vector<std::string> others = told;
    std::erase_if(others, [](const std::string& name) { return name.starts_with("peak."); });
    EXPECT_THAT(others, ElementsAre("attention.flash.16"));
    EXPECT_LT(others.size(), told.size()) << "its ratio is to a limit";
}

TEST(WantedBenchmarks, ThatThereAreNotAreRefused) {
    BenchmarkRequest request{.group = "elementwise", .options = smallOptions(), .workers = 1};
    request.options.wanted.names = {"elementwise.layer_norm.17"};
    try {
        BenchmarkMeasurement(request).measure({});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        EXPECT_THAT(error.what(), HasSubstr("elementwise.layer_norm.17"));
    }
}

TEST(RepeatedBenchmarks, JoinTheTimesOfBefore) {
    const BenchmarkRow before{.name = "a",
                              .value = 4,
                              .unit = "TFLOP/s",
                              .ratio = 0.4,
                              .of = "peak",
                              .rounds = 1,
                              .details = {{"seconds", 1}},
                              .seconds = {1}};
    BenchmarkRow again = before;
    again.value = 2;
    again.ratio = 0.2;
    again.seconds = {2, 2, 2};
    again.details = {{"seconds", 2}};
    const BenchmarkRow rate = joinedRow(before, again);
    EXPECT_THAT(rate.seconds, ElementsAre(1, 2, 2, 2));
    EXPECT_EQ(rate.rounds, 4);
    EXPECT_DOUBLE_EQ(rate.value, 2) << "the median is that of the later three";
    EXPECT_DOUBLE_EQ(rate.ratio, 0.25);
    EXPECT_DOUBLE_EQ(rate.spread, 0.5);
    again.unit = "s";
    again.value = 2;
    again.seconds = {2};
    const BenchmarkRow seconds = joinedRow(before, again);
    EXPECT_DOUBLE_EQ(seconds.value, 1.5) << "the median of one and two";
    EXPECT_DOUBLE_EQ(seconds.details.front().second, 1.5);
    again.seconds.clear();
    EXPECT_THAT(joinedRow(before, again).seconds, IsEmpty()) << "without times of its own";
}

TEST(RepeatedBenchmarks, LeaveTheOtherRowsAsTheyWere) {
    const BenchmarkRequest whole{.group = "attention", .options = smallOptions(), .workers = 1};
    BenchmarkMeasurement first(whole);
    first.measure({});
    BenchmarkRequest request = whole;
    request.options.wanted.names = {"attention.custom.16"};
    request.options.rounds = 3;
    BenchmarkMeasurement second(request, first.rows());
    std::vector<std::string> told;
    second.measure({}, [&told](const BenchmarkRow& row) { told.push_back(row.name); });
    EXPECT_THAT(told, ElementsAre("attention.custom.16"));
    EXPECT_EQ(rowNames(second.rows()), rowNames(first.rows()));
    for (const BenchmarkRow& row : second.rows())
        EXPECT_EQ(row.seconds.size(),
                  rowNamed(first.rows(), row.name).seconds.size() + (row.name == told.front() ? 3U : 0U))
            << row.name;
}

TEST(BenchmarkHistory, IsReadAsItWasMeasured) {
    const testing::TemporaryFolder folder;
    const std::vector<BenchmarkRow> rows{{.name = "a",
                                          .value = 2,
                                          .unit = "TFLOP/s",
                                          .ratio = 0.5,
                                          .of = "peak.matmul.bf16",
                                          .spread = 0.1,
                                          .rounds = 2,
                                          .details = {{"seconds", 1.5}, {"restless", 1}},
                                          .seconds = {1, 2}},
                                         {.name = "b", .value = 3, .unit = "s", .of = "a"}};
    const nlohmann::ordered_json dated = datedBenchmark(benchmarkJson(rows, 1));
    keepInHistory(folder / "a.jsonl", dated);
    const std::vector<KeptBenchmark> kept = keptBenchmarksHere(folder / "a.jsonl");
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].date, dated.at("date").get<std::string>());
    EXPECT_TRUE(kept[0].isOfThisBuild());
    EXPECT_EQ(kept[0].processor, kept[0].cpu);
    ASSERT_EQ(kept[0].rows.size(), 2U);
    const BenchmarkRow& read = kept[0].rows[0];
    EXPECT_EQ(read.name, "a");
    EXPECT_EQ(read.value, 2);
    EXPECT_EQ(read.unit, "TFLOP/s");
    EXPECT_EQ(read.ratio, 0.5);
    EXPECT_EQ(read.of, "peak.matmul.bf16");
    EXPECT_EQ(read.spread, 0.1);
    EXPECT_EQ(read.rounds, 2);
    EXPECT_THAT(read.details, UnorderedElementsAre(Pair("seconds", 1.5), Pair("restless", 1)));
    EXPECT_THAT(read.seconds, ElementsAre(1, 2));
    EXPECT_THAT(roundsOf(kept[0]), ElementsAre(Pair("a", ElementsAre(1, 2))));
    writeFileAtomically(folder / "one.json", kept[0].text);
    EXPECT_EQ(readBaseline(folder / "one.json").rows.size(), 2U);
    EXPECT_THAT(keptBenchmarksHere(folder / "none.jsonl"), IsEmpty());
}

TEST(BenchmarkHistory, ReplacesTheLastLineOfItsDateAlone) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.jsonl";
    const auto line = [](const std::string& date, double value) {
        nlohmann::ordered_json json = benchmarkJson(
            std::vector<BenchmarkRow>{
                {.name = "a", .value = value, .unit = "s", .of = "a", .seconds = {value}}},
            1);
        json["date"] = date;
        return json;
    };
    keepInHistory(file, line("one", 1));
    keepInHistory(file, line("two", 2));
    keepInHistory(file, line("three", 3), "two");
    keepInHistory(file, line("four", 4), "one");
    std::vector<double> values;
    for (const KeptBenchmark& kept : readBenchmarks(file))
        values.push_back(kept.rows.front().value);
    EXPECT_THAT(values, ElementsAre(1, 3, 4)) << "another program added a line behind the first";
}

TEST(BenchmarkHistory, OfAnotherMachineIsLeftOut) {
    const testing::TemporaryFolder folder;
    nlohmann::ordered_json other = benchmarkJson(
        std::vector<BenchmarkRow>{{.name = "a", .value = 1, .unit = "s", .of = "a", .seconds = {1}}}, 1);
    keepInHistory(folder / "a.jsonl", datedBenchmark(other));
    other["machine"]["cpu"] = "Another";
    keepInHistory(folder / "a.jsonl", datedBenchmark(other));
    EXPECT_EQ(keptBenchmarksHere(folder / "a.jsonl").size(), 1U);
    EXPECT_THROW(static_cast<void>(readBaseline(folder / "a.jsonl")), Error);
    writeFileAtomically(folder / "b.jsonl", "{\"rows\": 3}\n");
    EXPECT_THROW(static_cast<void>(readBenchmarks(folder / "b.jsonl")), Error);
}

nlohmann::ordered_json datedLine(const std::string& date, double value) {
    nlohmann::ordered_json json = benchmarkJson(
        std::vector<BenchmarkRow>{{.name = "a", .value = value, .unit = "s", .of = "a", .seconds = {value}}},
        1);
    json["date"] = date;
    return json;
}

TEST(BenchmarkHistory, LeavesOutLinesThatCannotBeRead) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.jsonl";
    nlohmann::ordered_json odd = datedLine("one", 1);
    odd["date"] = 7;
    odd["rows"][0]["rounds"] = 1e300;
    odd["rows"][0]["round_seconds"] = {0, 1};
    keepInHistory(file, odd);
    writeFileAtomically(file, readFile(file) + "damaged\n{\"rows\": 3}\n{\"machine\": {\"cp");
    keepInHistory(file, datedLine("two", 2));
    keepInHistory(file, datedLine("three", 3), "two");
    int unreadable = 0;
    const std::vector<KeptBenchmark> kept = keptBenchmarksHere(file, &unreadable);
    EXPECT_EQ(unreadable, 3) << "the last one ends where its writer was killed";
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[0].date, "");
    EXPECT_GT(kept[0].rows.front().rounds, 0);
    EXPECT_THAT(kept[0].rows.front().seconds, IsEmpty()) << "nothing takes no time";
    EXPECT_EQ(kept[1].date, "three");
    EXPECT_THROW(static_cast<void>(readBenchmarks(file)), Error) << "as a file that somebody chose";
}

TEST(BenchmarkHistory, KeepsTheNewestOfMany) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.jsonl";
    nlohmann::ordered_json large = datedLine("old", 1);
    large["note"] = std::string(std::size_t{1} << 13, 'x');
    const std::string line = large.dump() + "\n";
    std::string text;
    while (text.size() < (std::size_t{20} << 20))
        text += line;
    writeFileAtomically(file, text);
    EXPECT_FALSE(keptBenchmarksHere(file).empty()) << "more than is read of a file";
    keepInHistory(file, datedLine("new", 2));
    const std::vector<KeptBenchmark> kept = keptBenchmarksHere(file);
    EXPECT_EQ(kept.size(), 200U);
    EXPECT_EQ(kept.back().date, "new");
}

TEST(BenchmarkHistory, TellsWhatWasNotMeasuredToItsEnd) {
    EXPECT_TRUE(toKept(datedLine("one", 1)).isComplete);
    EXPECT_FALSE(toKept(incompleteBenchmark(datedLine("one", 1))).isComplete);
}

TEST(RepeatedBenchmarks, AreOfOneGpu) {
    const KeptBenchmark before{.processor = "A card"};
    EXPECT_NO_THROW(requireSameGpu({.facts = {.name = "A card"}}, before));
    EXPECT_THROW(requireSameGpu({.facts = {.name = "Another"}}, before), Error);
}

TEST(BenchmarkHistory, IsATableWithItsVerdicts) {
    const std::vector<BenchmarkRow> rows{
        {.name = "a", .value = 1, .unit = "s", .of = "a", .rounds = 3, .seconds = {1, 1.1, 1.2}},
        {.name = "b", .value = 1, .unit = "s", .of = "a"}};
    const std::string csv = toCsv(benchmarkTable(rows, {{"a", {2, 2.1, 2.2}}}));
    EXPECT_THAT(csv,
                HasSubstr("row,value,unit,ratio,of,median_seconds,spread,rounds,before_seconds,verdict"));
    EXPECT_THAT(csv, HasSubstr("Faster: "));
    EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
}

BenchmarkRow named(const char* name) {
    return {.name = name, .unit = "s", .of = name};
}

TEST(RowsOfAPlan, AreThoseOfWhatItComputes) {
    Project project;
    project.prompt = "a ball";
    project.attention = "flash";
    project.weightsDtype = project.activationsDtype = "bfloat16";
    const auto planOf = [&project](const char* model) {
        return makePlan(project,
                        {.cpus = 2,
                         .memoryBytes = std::uint64_t{1} << 42,
                         .beyondMemory = true,
                         .model = std::make_shared<const ModelFacts>(releasedModelFacts(model).value())});
    };
    const std::vector<BenchmarkRow> rows{
        named("peak.matmul.bf16"),           named("peak.matmul.f32"),
        named("linear.1.3b.query.1280"),     named("linear.1.3b.query.32760"),
        named("linear.14b.query.1280"),      named("linear.14b.query.32760"),
        named("attention.flash.7800"),       named("attention.flash.32760"),
        named("attention.custom.32760"),     named("dit.forward"),
        named("gpu.linear.1.3b.query.32760")};
    const auto ownNames = [&rows](const RunPlan& plan) {
        std::vector<std::string> own;
        const std::vector<bool> isOwn = rowsOfPlan(rows, plan);
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (isOwn[row])
                own.push_back(rows[row].name);
        return own;
    };
    project.numFrames = 81;
    project.width = 832;
    project.height = 480;
    EXPECT_THAT(
        ownNames(*planOf("wan2.1-t2v-1.3b")),
        ElementsAre("peak.matmul.bf16", "linear.1.3b.query.32760", "attention.flash.32760", "dit.forward"));
    project.numFrames = 17;
    project.weightsDtype = project.activationsDtype = "float32";
    EXPECT_THAT(ownNames(*planOf("wan2.1-t2v-14b")),
                ElementsAre("peak.matmul.f32", "linear.14b.query.32760", "attention.flash.7800"));
}

}  // namespace
}  // namespace meshreel
