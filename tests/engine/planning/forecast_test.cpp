// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/version.h"
#include "engine/estimates/placement.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_task.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

TEST(Forecast, NothingIsPredictedWithoutRates) {
    const PredictionBasis none{};
    EXPECT_FALSE(predictPlan(*makePlan(testing::smallProject(), {.workers = 1}), none));
}

constexpr std::uint64_t ample = std::uint64_t{1} << 40;

/// A machine on which everything takes a nanosecond, and what devices send each other `exchange` times that.
PredictionBasis basisWhereExchangeTakes(double exchange) {
    constexpr double nanosecond = 1e-9;
    MachineRates rates{.machine = {.cpu = "made up", .isa = "avx2", .cpus = 4, .version = "1"}};
    rates.secondsPerUnit.fill(nanosecond);
    rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::Exchange)] *= exchange;
    return {.rates = rates, .past = {}};
}

/// A plan on cards of these ids.
PlanPtr planOnCards(const std::vector<std::string>& ids, Project project = testing::smallProject()) {
    std::vector<GpuDriver> drivers;
    for (const std::string& id : ids)
        drivers.push_back({.manifest = "/card.json",
                           .gpus = {{.id = id,
                                     .name = "Card " + id,
                                     .kind = GpuKind::Discrete,
                                     .memoryTotal = 1e12,
                                     .memoryFree = 1e12}}});
    project.gpus = {.numbers = ids.size() == 1 ? std::vector{0} : std::vector{0, 1}};
    return makePlan(project, {.workers = 1, .memoryBytes = ample, .drivers = drivers});
}

MachineRates ratesOfCard(const std::string& id, double seconds, std::string commit) {
    MachineRates rates{.machine = {.cpu = "made up", .isa = "avx2", .cpus = 4, .version = "1", .gpu = id},
                       .commit = std::move(commit)};
    rates.secondsPerUnit.fill(seconds);
    return rates;
}

TEST(Forecast, ARunOnAGpuIsPredictedByItsRatesAndTheCpus) {
    const PlanPtr plan = planOnCards({"a"});
    PredictionBasis basis = basisWhereExchangeTakes(1);
    const std::string here(versionCommit());
    basis.rates->commit = here;
    EXPECT_FALSE(predictPlan(*plan, basis)) << "the card is not measured";
    ASSERT_TRUE(missingRates(*plan, basis));
    EXPECT_EQ(missingRates(*plan, basis)->gpus.at(0).facts.name, "Card a");
    EXPECT_TRUE(missingRates(*plan, basis)->why.empty());
    basis.gpuRates = {ratesOfCard("b", 1, here)};
    EXPECT_FALSE(predictPlan(*plan, basis)) << "another card is";
    basis.gpuRates.push_back(ratesOfCard("a", 1e-9, here));
    const std::optional<Prediction> prediction = predictPlan(*plan, basis);
    ASSERT_TRUE(prediction);
    EXPECT_FALSE(missingRates(*plan, basis));
    EXPECT_FALSE(foreignRatesRemark(*plan, basis)) << "another card's rates concern nobody";
    basis.gpuRates.back() = ratesOfCard("a", 2e-9, "0123456");
    EXPECT_TRUE(foreignRatesRemark(*plan, basis));
    const Prediction slower = *predictPlan(*plan, basis);
    EXPECT_GT(slower.step.seconds, 1.9 * prediction->step.seconds);
    EXPECT_GT(slower.of(RunStage::Conditioning).seconds, 1.5 * prediction->of(RunStage::Conditioning).seconds)
        << "the GPU encodes the prompt";
    basis.rates.reset();
    EXPECT_FALSE(predictPlan(*plan, basis)) << "the CPU is not measured";
    EXPECT_TRUE(missingRates(*plan, basis)->gpus.empty());
}

TEST(Forecast, RatesOfAnEarlierBuildSayWhatTheyLack) {
    PredictionBasis basis = basisWhereExchangeTakes(1);
    basis.gpuRates = {ratesOfCard("a", 1e-9, "0123456"), ratesOfCard("b", 1e-9, {})};
    // A file without the class reads as 0.
    basis.gpuRates[0].secondsPerUnit[static_cast<std::size_t>(WorkClass::GpuLinearInt8)] = 0;
    Project project = testing::smallProject();
    project.weightsDtype = project.activationsDtype = "bfloat16";
    EXPECT_TRUE(predictPlan(*planOnCards({"a"}, project), basis)) << "bf16 needs nothing of it";
    project.weightsDtype = "int8";
    const PlanPtr plan = planOnCards({"a"}, project);
    EXPECT_FALSE(predictPlan(*plan, basis)) << "its layers would take no time";
    EXPECT_FALSE(ratesFor(measureWork(*plan), basis));
    const std::optional<MissingRates> missing = missingRates(*plan, basis);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->gpus.at(0).facts.name, "Card a");
    EXPECT_THAT(missing->why, testing::Names("Card a", "gpu_linear_int8"));
    EXPECT_TRUE(predictPlan(*planOnCards({"b"}, project), basis));
    project.attention = "ulysses";
    const PlanPtr both = planOnCards({"a", "b"}, project);
    EXPECT_FALSE(predictPlan(*both, basis)) << "the other's rates say nothing of the slowest";
    EXPECT_EQ(missingRates(*both, basis)->gpus.size(), 1U);
}

TEST(Forecast, TwoGpusHalveAStepAndOneOfThemDecodes) {
    PredictionBasis basis = basisWhereExchangeTakes(0);
    basis.rates->secondsPerUnit.fill(0);
    for (const char* id : {"a", "b"})
        basis.gpuRates.push_back(ratesOfCard(id, 1e-9, {}));
    for (MachineRates& rates : basis.gpuRates)
        rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::GpuTransfers)] =
            rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::GpuBlocks)] =
                rates.secondsPerUnit[static_cast<std::size_t>(WorkClass::GpuMemory)] = 1e-30;
    Project project = testing::smallProject();
    const Prediction one = *predictPlan(*planOnCards({"a"}, project), basis);
    project.attention = "ulysses";
    const Prediction two = *predictPlan(*planOnCards({"a", "b"}, project), basis);
    EXPECT_NEAR(two.step.seconds / one.step.seconds, 0.5, 0.05);
    EXPECT_DOUBLE_EQ(two.of(RunStage::Decoding).seconds, one.of(RunStage::Decoding).seconds);
}

TEST(Forecast, StreamedLayersCostTheirCopies) {
    const PlanPtr plan = planOnCards({"a"});
    const double resident = measureWork(*plan)[RunStage::Denoising][WorkClass::GpuTransfers];
    const PlanPtr streamed = withPlacement(*plan, placedAs(*plan, plan->placement.withResidentLayers(0)));
    EXPECT_GT(measureWork(*streamed)[RunStage::Denoising][WorkClass::GpuTransfers], 2 * resident);
    EXPECT_EQ(measureWork(*streamed)[RunStage::Denoising][WorkClass::LinearF32], 0) << "the GPU multiplies";
    const PlanPtr apart = withPlacement(
        *plan,
        placedAs(*plan, plan->placement.with(vaeParts, [](PartPlan& part) { part.place = PartPlace::Cpu; })));
    EXPECT_GT(measureWork(*apart)[RunStage::Decoding][WorkClass::ConvolutionF32], 0);
    EXPECT_EQ(measureWork(*apart)[RunStage::Decoding][WorkClass::GpuConvolutionF32], 0);
}

Project projectWith(const std::string& attention, int devices, int context = -1) {
    Project project = testing::smallProject();
    project.attention = attention;
    project.devices = devices;
    project.iciContextParallelism = context;
    return project;
}

std::optional<Problem> adviceOn(const Project& project, double exchange) {
    const PlanOptions options{.cpus = 4, .memoryBytes = ample};
    const PredictionBasis basis = basisWhereExchangeTakes(exchange);
    const PlanPtr plan = makePlan(project, options);
    return slowMeshWarning(project, options, *plan, *predictPlan(*plan, basis), basis);
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
    EXPECT_THAT(*advice, ::testing::AllOf(testing::Fault("mesh-slow"), testing::Names("2")));
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
    const PlanOptions options{.cpus = 4, .memoryBytes = ample};
    const PlanPtr plan = makePlan(project, options);
    EXPECT_FALSE(slowMeshWarning(project, options, *plan, *predictPlan(*plan, basis), basis))
        << "one device would have one worker";
}

}  // namespace

}  // namespace meshreel
