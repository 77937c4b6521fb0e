// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/planning/forecast.h"
#include "engine/planning/plan_work.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_history.h"
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
    const RunWork expected = measureWork(*makePlan(testing::smallProject(), {.workers = 1}));
    EXPECT_EQ(runWorkJson(past[0].work), runWorkJson(expected));
    for (const RunStage stage : runStages)
        EXPECT_GE(past[0].seconds[static_cast<std::size_t>(stage)].value_or(-1), 0) << nameOf(stage);
}

TEST(PastRuns, OthersAndUnreadableOnesArePassedOver) {
    const testing::TemporaryFolder folder;
    const MachineIdentity machine = MachineIdentity::ofThis();
    for (const char* name : {"a", "b", "c", "d", "e", "f"})
        makeRun(folder / name);
    EXPECT_EQ(readPastRuns(folder.path(), machine).size(), 6U);
    EXPECT_EQ(readPastRuns(folder.path(), machine, 2).size(), 2U);
    change(folder / "a" / run_file::environment, {{"cpu", "another"}});
    change(folder / "b" / run_file::environment, {{"work", nullptr}});
    change(folder / "c" / run_file::timings, {{"first_step", 2}});
    writeFileAtomically(folder / "d" / run_file::timings, "{");
    change(folder / "e" / run_file::environment, {{"meshreel", {{"commit", "another"}}}});
    change(folder / "f" / run_file::environment, {{"libraries", {{"openblas", "OpenBLAS of another core"}}}});
    EXPECT_TRUE(readPastRuns(folder.path(), machine).empty());
    EXPECT_TRUE(readPastRuns(folder / "missing", machine).empty());
}

TEST(PastRuns, OneIsEnoughToPredictTheNextOfAnUnmeasuredMachine) {
    const testing::TemporaryFolder folder;
    makeRun(folder / "a");
    PredictionBasis basis = readPredictionBasis(folder.path());
    if (basis.rates) {  // whoever runs this has measured the machine
        basis.rates.reset();
        basis.taught = ratesOfRuns(MachineIdentity::ofThis(), basis.past);
    }
    const PlanPtr plan = makePlan(testing::smallProject(), {.workers = 1});
    const std::optional<Prediction> prediction = predictPlan(*plan, basis);
    ASSERT_TRUE(prediction);
    EXPECT_TRUE(prediction->byRunsAlone);
    const double took =
        basis.past[0].seconds[static_cast<std::size_t>(RunStage::Denoising)].value() / plan->steps();
    EXPECT_NEAR(prediction->step.seconds, took, 0.2 * took);
    EXPECT_FALSE(predictPlan(*plan, {})) << "and nothing without one";
    for (const LegalMesh& mesh : rankedMeshes(*plan, {}, &basis))
        EXPECT_FALSE(mesh.step) << "one is no ranking";
}

TEST(PastRuns, ShortenedStepsAreToldApart) {
    const testing::TemporaryFolder folder;
    Project cached = testing::smallProject();
    cached.useMagcache = true;
    cached.magRatiosBase = "1, 1, 1, 1, 1, 1, 1, 1";
    cached.retentionRatio = 0;
    static_cast<void>(runProject({.project = cached, .outFolder = folder / "a", .options = {.workers = 1}},
                                 ignoreEvent, {}));
    PredictionBasis basis{.rates = {}, .past = readPastRuns(folder.path(), MachineIdentity::ofThis())};
    ASSERT_EQ(basis.past.size(), 1U);
    EXPECT_TRUE(basis.past[0].hasShortSteps);
    basis.taught = ratesOfRuns(MachineIdentity::ofThis(), basis.past);
    const PlanOptions options{.workers = 1};
    EXPECT_FALSE(predictPlan(*makePlan(testing::smallProject(), options), basis))
        << "whole steps take longer, nobody knows by how much";
    EXPECT_TRUE(predictPlan(*makePlan(cached, options), basis));
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

}  // namespace
}  // namespace meshreel
