// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/expert_steps.h"

#include <gtest/gtest.h>

#include "engine/sampling/schedulers/scheduler.h"

namespace meshreel {
namespace {

TEST(ExpertSteps, WithoutABoundaryTheFirstDoesAll) {
    const std::vector<double> timesteps{999, 500, 1};
    EXPECT_EQ(expertSteps(timesteps, std::nullopt),
              (std::vector<ExpertSteps>{{.expert = 1, .firstStep = 0, .endStep = 3}}));
    EXPECT_TRUE(expertSteps({}, 875.0).empty());
}

TEST(ExpertSteps, TheBoundaryItselfIsOfTheFirst) {
    const std::vector<double> timesteps{999, 875, 874, 10};
    EXPECT_EQ(expertSteps(timesteps, 875.0),
              (std::vector<ExpertSteps>{{.expert = 1, .firstStep = 0, .endStep = 2},
                                        {.expert = 2, .firstStep = 2, .endStep = 4}}));
}

TEST(ExpertSteps, OneExpertMayHaveNothingToDo) {
    const std::vector<double> timesteps{900, 100};
    EXPECT_EQ(expertSteps(timesteps, 0.0).front(), (ExpertSteps{.expert = 1, .firstStep = 0, .endStep = 2}));
    EXPECT_EQ(expertSteps(timesteps, 1000.0).front(),
              (ExpertSteps{.expert = 2, .firstStep = 0, .endStep = 2}));
}

/// The numbers of high-noise steps that MaxDiffusion's tests name: 26 of 40 with shift 12 and 0.875, 15 of 40
/// with shift 5 and 0.9.
TEST(ExpertSteps, OfWan22AsMaxDiffusionCountsThem) {
    const auto highSteps = [](double shift, double ratio) {
        SchedulerConfig config;
        config.flowShift = shift;
        const auto scheduler = makeScheduler(config);
        scheduler->setTimesteps(40);
        return expertSteps(scheduler->timesteps(), 1000 * ratio).front().endStep;
    };
    EXPECT_EQ(highSteps(12, 0.875), 26);
    EXPECT_EQ(highSteps(5, 0.9), 15);
}

}  // namespace
}  // namespace meshreel
