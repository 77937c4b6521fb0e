// SPDX-License-Identifier: GPL-3.0-or-later
// How GPUs of a mesh exchange keys: decided in the plan by what they offer, named and predicted.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/planning/gpu_plan.h"
#include "engine/planning/plan_json.h"
#include "engine/planning/plan_text.h"
#include "engine/planning/plan_work.h"
#include "engine/planning/run_plan.h"
#include "engine/project/gpu_choice.h"
#include "engine/project/project.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t ampleMemory = std::uint64_t{64} << 30U;

GpuFacts neighbourCard(const std::string& id, bool importsHost, std::vector<std::string> peers) {
    return {.id = id + "-driver",
            .name = "Card " + id,
            .kind = GpuKind::Discrete,
            .driver = "d 1",
            .memoryTotal = 1e12,
            .memoryFree = static_cast<double>(ampleMemory),
            .importsHost = importsHost,
            .peers = std::move(peers)};
}

PlanPtr planOn(const std::vector<GpuFacts>& gpus, const std::string& chosen,
               const std::string& mode = "tokamax_ring") {
    Project project = testing::smallProject();
    project.gpus = std::get<GpuChoice>(parseGpuChoice(chosen));
    project.attention = mode;
    const std::vector<GpuDriver> drivers{{.manifest = "/card.json", .gpus = gpus}};
    return makePlan(project, {.memoryBytes = ampleMemory, .drivers = drivers});
}

const std::vector<GpuFacts> neighbours{neighbourCard("a", true, {"a", "b"}),
                                       neighbourCard("b", true, {"b", "a"})};
const std::vector<GpuFacts> strangers{neighbourCard("a", true, {"a"}), neighbourCard("b", true, {"b"})};
const std::vector<GpuFacts> others{neighbourCard("a", true, {}), neighbourCard("b", false, {})};

TEST(GpuExchangePlan, IsTheFastestWayThatAllGpusHave) {
    EXPECT_EQ(planOn(neighbours, "0,1")->placement.exchange, GpuExchange::Peers);
    EXPECT_EQ(planOn(strangers, "0,1")->placement.exchange, GpuExchange::SharedHost);
    EXPECT_EQ(planOn(strangers, "0,0")->placement.exchange, GpuExchange::Peers) << "a card reaches itself";
    EXPECT_EQ(planOn(others, "0,1")->placement.exchange, GpuExchange::Staged);
    EXPECT_EQ(planOn(others, "0,0")->placement.exchange, GpuExchange::SharedHost);
    EXPECT_EQ(planOn(neighbours, "0")->placement.exchange, GpuExchange::Staged) << "there is nobody else";
    EXPECT_EQ(planOn(neighbours, "0,1", "ulysses")->placement.exchange, GpuExchange::Staged)
        << "heads are traded on the host";
}

TEST(GpuExchangePlan, IsNamedAndPredicted) {
    const PlanPtr peers = planOn(neighbours, "0,1");
    const PlanPtr shared = planOn(strangers, "0,1");
    const PlanPtr staged = planOn(others, "0,1");
    EXPECT_THAT(describePlan(*peers), HasSubstr("keys go from GPU to GPU by NVIDIA's driver"));
    EXPECT_THAT(describePlan(*shared), HasSubstr("through memory of the host"));
    EXPECT_THAT(describePlan(*staged), HasSubstr("through a buffer of each"));
    const auto workOf = [](const RunPlan& plan) { return measureWork(plan)[RunStage::Denoising]; };
    const double bytes = workOf(*staged)[WorkClass::Exchange];
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(workOf(*shared)[WorkClass::Exchange], 0) << "no CPU copies";
    EXPECT_EQ(workOf(*shared)[WorkClass::GpuTransfers], workOf(*staged)[WorkClass::GpuTransfers]);
    EXPECT_NEAR(workOf(*staged)[WorkClass::GpuTransfers] - workOf(*peers)[WorkClass::GpuTransfers], bytes,
                1e-6 * bytes);
}

}  // namespace
}  // namespace meshreel
