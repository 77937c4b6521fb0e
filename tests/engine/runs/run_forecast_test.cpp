// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_forecast.h"
#include "engine/runs/run_session.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

void makeRun(const std::filesystem::path& folder) {
    static_cast<void>(
        runProject({.project = testing::smallProject(), .outFolder = folder, .options = {.workers = 1}},
                   ignoreEvent, {}));
}

void change(const std::filesystem::path& file, const nlohmann::json& patch) {
    nlohmann::json json = nlohmann::json::parse(readFile(file));
    json.merge_patch(patch);
    writeFileAtomically(file, json.dump());
}

TEST(PastRuns, TellWhatRunsWereMadeOfAndTook) {
    const testing::TemporaryFolder folder;
    makeRun(folder / "a");
    const std::vector<PastRun> past = readPastRuns(folder.path(), MachineIdentity::ofThis());
    ASSERT_EQ(past.size(), 1U);
    const RunWork expected = runWorkOf(makePlan(testing::smallProject(), {.workers = 1}));
    EXPECT_EQ(runWorkJson(past[0].work), runWorkJson(expected));
    for (const RunStage stage : runStages)
        EXPECT_GE(past[0].seconds[static_cast<std::size_t>(stage)].value_or(-1), 0) << nameOf(stage);
}

TEST(PastRuns, OthersAndUnreadableOnesArePassedOver) {
    const testing::TemporaryFolder folder;
    const MachineIdentity machine = MachineIdentity::ofThis();
    for (const char* name : {"a", "b", "c", "d"})
        makeRun(folder / name);
    EXPECT_EQ(readPastRuns(folder.path(), machine).size(), 4U);
    EXPECT_EQ(readPastRuns(folder.path(), machine, 2).size(), 2U);
    change(folder / "a" / run_file::environment, {{"cpu", "another"}});
    change(folder / "b" / run_file::environment, {{"work", nullptr}});
    change(folder / "c" / run_file::timings, {{"first_step", 2}});
    writeFileAtomically(folder / "d" / run_file::timings, "{");
    EXPECT_TRUE(readPastRuns(folder.path(), machine).empty());
    EXPECT_TRUE(readPastRuns(folder / "missing", machine).empty());
}

TEST(PastRuns, ACachedPromptTellsNothingOfTheTextEncoder) {
    const testing::TemporaryFolder folder;
    makeRun(folder / "a");
    change(folder / "a" / run_file::timings, {{"text_encoder_skipped", true}});
    const std::vector<PastRun> past = readPastRuns(folder.path(), MachineIdentity::ofThis());
    ASSERT_EQ(past.size(), 1U);
    EXPECT_FALSE(past[0].seconds[static_cast<std::size_t>(RunStage::Conditioning)]);
    EXPECT_TRUE(past[0].seconds[static_cast<std::size_t>(RunStage::Denoising)]);
}

TEST(PastRuns, NothingIsPredictedWithoutRates) {
    const PredictionBasis none{};
    EXPECT_FALSE(predictPlan(makePlan(testing::smallProject(), {.workers = 1}), none));
}

using ::testing::HasSubstr;

constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

/// A machine on which everything takes a nanosecond, and what devices send each other `exchange` times that.
PredictionBasis basisWhereExchangeTakes(double exchange) {
    constexpr double nanosecond = 1e-9;
    MachineRates rates{.machine = {.cpu = "made up", .isa = "avx2", .cpus = 4, .version = "1"}};
    rates.secondsPerUnit.fill(nanosecond);
    rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::Exchange)] *= exchange;
    return {.rates = rates, .past = {}};
}

Project projectWith(const std::string& attention, int devices, int context = -1) {
    Project project = testing::smallProject();
    project.attention = attention;
    project.devices = devices;
    project.iciContextParallelism = context;
    return project;
}

std::optional<Problem> adviceOn(const Project& project, double exchange) {
    const PlanOptions options{.cpus = 4, .memoryBytes = plenty};
    const PredictionBasis basis = basisWhereExchangeTakes(exchange);
    const RunPlan plan = makePlan(project, options);
    return slowMeshWarning(project, options, plan, *predictPlan(plan, basis), basis);
}

constexpr double cheap = 1;
constexpr double dear = 1e5;

TEST(MeshAdvice, TellsThatOneDeviceIsFaster) {
    const auto advice = adviceOn(projectWith("ulysses", 2), dear);
    ASSERT_TRUE(advice);
    EXPECT_EQ(advice->severity, Severity::Warning);
    EXPECT_EQ(advice->key, "devices");
    ASSERT_EQ(advice->fixes.size(), 1U);
    EXPECT_EQ(advice->fixes[0].changes, (KeyChanges{{.key = "devices", .value = "1"}}));
    EXPECT_THAT(advice->message.text(), HasSubstr("2 devices are predicted to take "));
    EXPECT_THAT(advice->hint().text(), HasSubstr("one device"));
}

TEST(MeshAdvice, SaysNothingOfMeshesThatAreAboutAsFastOrAlone) {
    EXPECT_FALSE(adviceOn(projectWith("ulysses", 2), cheap));
    EXPECT_FALSE(adviceOn(projectWith("flash", 1), dear));
}

TEST(MeshAdvice, TheChangeIsTheOneKeyThatTakesOneDevice) {
    const auto byAxis = adviceOn(projectWith("tokamax_ring", 0, 2), dear);
    ASSERT_TRUE(byAxis);
    ASSERT_EQ(byAxis->fixes.size(), 1U);
    EXPECT_EQ(byAxis->fixes[0].changes, (KeyChanges{{.key = "ici_context_parallelism", .value = "1"}}));
    const auto bySeveral = adviceOn(projectWith("tokamax_ring", 2, 2), dear);
    ASSERT_TRUE(bySeveral) << "it is told though no single key is the fix";
    ASSERT_EQ(bySeveral->fixes.size(), 1U);
    EXPECT_TRUE(bySeveral->fixes[0].changes.empty());
    EXPECT_EQ(bySeveral->key, "devices");
}

TEST(MeshAdvice, KnowsWorkersThatTheProjectFixes) {
    Project project = projectWith("ulysses", 2);
    project.workers = 1;
    PredictionBasis basis = basisWhereExchangeTakes(cheap);
    basis.rates->slowdown = {.oneWorker = 4, .devices = 1, .crowded = 1};
    const PlanOptions options{.cpus = 4, .memoryBytes = plenty};
    const RunPlan plan = makePlan(project, options);
    EXPECT_FALSE(slowMeshWarning(project, options, plan, *predictPlan(plan, basis), basis))
        << "one device would have one worker";
}

}  // namespace

}  // namespace meshreel
