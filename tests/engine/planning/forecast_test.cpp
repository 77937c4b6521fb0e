// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

TEST(Forecast, NothingIsPredictedWithoutRates) {
    const PredictionBasis none{};
    EXPECT_FALSE(predictPlan(makePlan(testing::smallProject(), {.workers = 1}), none));
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
    const PlanOptions options{.cpus = 4, .memoryBytes = ample};
    const RunPlan plan = makePlan(project, options);
    EXPECT_FALSE(slowMeshWarning(project, options, plan, *predictPlan(plan, basis), basis))
        << "one device would have one worker";
}

}  // namespace

}  // namespace meshreel
