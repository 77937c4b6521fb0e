// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/sampling/scheduler.h"
#include "engine/sampling/sigma_schedules.h"

namespace meshreel {
namespace {

using nlohmann::json;

SchedulerConfig configOf(const json& values) {
    return SchedulerConfig::fromJson(values, "test.json");
}

/// A velocity that depends on the sample and on time, so that a wrong history shows.
Tensor velocity(const Tensor& sample, double timestep) {
    Tensor output = Tensor::empty(sample.shape());
    std::ranges::transform(sample.data<float>(), output.data<float>().begin(), [timestep](float x) {
        return 0.6F * x + 0.3F * std::sin(static_cast<float>(timestep) / 90.0F + x);
    });
    return output;
}

Tensor startSample() {
    return Tensor::from({2, 3}, std::vector<float>{-1.4F, -0.6F, 0.1F, 0.4F, 0.9F, 1.7F});
}

Tensor runSteps(Scheduler& scheduler, Tensor sample, int end) {
    while (scheduler.stepIndex() < end) {
        const double timestep = scheduler.timesteps()[static_cast<std::size_t>(scheduler.stepIndex())];
        sample = scheduler.step(velocity(sample, timestep), sample);
    }
    return sample;
}

std::vector<float> rowValues(const Tensor& tensor) {
    const auto values = tensor.data<float>();
    return {values.begin(), values.end()};
}

struct ResumeCase {
    const char* name;
    json config;
};

class Resume : public ::testing::TestWithParam<ResumeCase> {};

TEST_P(Resume, FromAnyStepGivesTheSameBits) {
    constexpr int steps = 9;
    const SchedulerConfig config = configOf(GetParam().config);
    const auto whole = makeScheduler(config);
    whole->setTimesteps(steps);
    const std::vector<float> expected = rowValues(runSteps(*whole, startSample(), steps));

    for (int stop = 0; stop <= steps; ++stop) {
        const auto first = makeScheduler(config);
        first->setTimesteps(steps);
        const Tensor sample = runSteps(*first, startSample(), stop).clone();
        std::map<std::string, Tensor, std::less<>> saved;
        for (const auto& [name, tensor] : first->state())
            saved.emplace(name, tensor.clone());

        const auto second = makeScheduler(config);
        second->setTimesteps(steps);
        second->restore(stop, [&](std::string_view name) { return saved.find(name)->second; });
        EXPECT_EQ(second->stepIndex(), stop);
        EXPECT_EQ(rowValues(runSteps(*second, sample, steps)), expected) << "stopped after step " << stop;
    }
}

INSTANTIATE_TEST_SUITE_P(
    EveryScheduler, Resume,
    ::testing::Values(
        ResumeCase{
            "unipc",
            {{"_class_name", "UniPCMultistepScheduler"}, {"use_flow_sigmas", true}, {"flow_shift", 3.0}}},
        ResumeCase{"unipc_order_3_bh1",
                   {{"_class_name", "UniPCMultistepScheduler"},
                    {"use_flow_sigmas", true},
                    {"solver_order", 3},
                    {"solver_type", "bh1"},
                    {"disable_corrector", {0, 4}}}},
        ResumeCase{"euler", {{"_class_name", "FlowMatchEulerDiscreteScheduler"}, {"shift", 5.0}}},
        ResumeCase{"wan_unipc", {{"_class_name", "FlowUniPCMultistepScheduler"}, {"shift", 5.0}}},
        ResumeCase{
            "wan_dpmpp",
            {{"_class_name", "FlowDPMSolverMultistepScheduler"}, {"shift", 5.0}, {"solver_order", 3}}}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Scheduler, SetTimestepsForgetsTheLastRun) {
    const auto scheduler = makeScheduler(configOf({{"use_flow_sigmas", true}}));
    scheduler->setTimesteps(5);
    const std::vector<float> first = rowValues(runSteps(*scheduler, startSample(), 5));
    scheduler->setTimesteps(5);
    EXPECT_EQ(rowValues(runSteps(*scheduler, startSample(), 5)), first);
}

/// With velocity = noise - clean constant along the path, every scheduler that adds no noise of its own must
/// land on the clean sample.
TEST(Scheduler, StraightFlowsAreSolvedExactly) {
    const Tensor clean = startSample();
    const Tensor noise = Tensor::from({2, 3}, std::vector<float>{0.3F, -0.2F, 1.1F, -0.9F, 0.5F, -1.6F});
    Tensor difference = Tensor::empty(clean.shape());
    for (std::size_t i = 0; i < 6; ++i)
        difference.data<float>()[i] = noise.data<float>()[i] - clean.data<float>()[i];

    for (const SchedulerKind& kind : schedulerKinds()) {
        if (kind.name == "wan_dpmpp_sde" || kind.name == "lcm")
            continue;
        const auto scheduler = makeScheduler(configOf(
            {{"_class_name", std::string(kind.className)}, {"use_flow_sigmas", true}, {"shift", 4.0}}));
        scheduler->setTimesteps(7);
        Tensor sample = scheduler->addNoise(clean, noise, 0);
        while (scheduler->stepIndex() < scheduler->steps())
            sample = scheduler->step(difference, sample);
        for (std::size_t i = 0; i < 6; ++i)
            EXPECT_NEAR(sample.data<float>()[i], clean.data<float>()[i], 1e-5) << kind.name;
    }
}

struct Variation {
    const char* name;
    json config;
};

class FiniteToTheEnd : public ::testing::TestWithParam<Variation> {};

/// Towards sigma 0 a step is infinitely long in log-SNR: no setting may turn that into a NaN.
TEST_P(FiniteToTheEnd, ForAnyNumberOfSteps) {
    for (const int steps : {1, 2, 3, 4, 14, 15, 40}) {
        const auto scheduler = makeScheduler(configOf(GetParam().config));
        scheduler->setTimesteps(steps);
        EXPECT_EQ(scheduler->steps(), steps);
        EXPECT_TRUE(std::ranges::is_sorted(scheduler->sigmas(), std::ranges::greater{})) << steps;
        for (const float value : rowValues(runSteps(*scheduler, startSample(), steps)))
            EXPECT_TRUE(std::isfinite(value)) << steps << " steps";
    }
}

json uniPc(json settings) {
    settings["use_flow_sigmas"] = settings.value("use_flow_sigmas", true);
    return settings;
}

json wanDpm(json settings) {
    settings["_class_name"] = "FlowDPMSolverMultistepScheduler";
    return settings;
}

json euler(json settings) {
    settings["_class_name"] = "FlowMatchEulerDiscreteScheduler";
    return settings;
}

INSTANTIATE_TEST_SUITE_P(
    Settings, FiniteToTheEnd,
    ::testing::Values(
        Variation{"bh1", uniPc({{"solver_type", "bh1"}})},
        Variation{"full_order_at_the_end", uniPc({{"lower_order_final", false}, {"solver_order", 3}})},
        Variation{"sigma_min", uniPc({{"final_sigmas_type", "sigma_min"}})},
        Variation{"karras", uniPc({{"use_karras_sigmas", true}})},
        Variation{"shift_terminal", uniPc({{"shift_terminal", 0.1}})},
        Variation{"diffusion_sigmas", uniPc({{"use_flow_sigmas", false}})},
        Variation{"exponential", uniPc({{"use_flow_sigmas", false}, {"use_exponential_sigmas", true}})},
        Variation{"trailing", uniPc({{"use_flow_sigmas", false}, {"timestep_spacing", "trailing"}})},
        Variation{"leading", uniPc({{"use_flow_sigmas", false}, {"timestep_spacing", "leading"}})},
        Variation{"dpm_order_3", wanDpm({{"solver_order", 3}})},
        Variation{"dpm_heun", wanDpm({{"solver_type", "heun"}})},
        Variation{"dpm_full_order", wanDpm({{"solver_order", 3}, {"lower_order_final", false}})},
        Variation{"euler_karras", euler({{"use_karras_sigmas", true}})},
        Variation{"euler_exponential", euler({{"use_exponential_sigmas", true}})},
        Variation{"euler_shift_terminal", euler({{"shift", 3.0}, {"shift_terminal", 0.2}})}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Scheduler, OneStepTooManyIsADefect) {
    const auto scheduler = makeScheduler(configOf({{"use_flow_sigmas", true}}));
    scheduler->setTimesteps(1);
    const Tensor sample = runSteps(*scheduler, startSample(), 1);
    EXPECT_THROW(static_cast<void>(scheduler->step(sample, sample)), Error);
}

TEST(Scheduler, WrongNumbersOfStepsAndSigmasAreRefused) {
    const auto scheduler = makeScheduler(configOf({{"use_flow_sigmas", true}}));
    EXPECT_THROW(scheduler->setTimesteps(0), Error);
    EXPECT_THROW(scheduler->setTimesteps(std::vector{0.2, 0.9}), Error);
    EXPECT_THROW(scheduler->setTimesteps(std::vector{1.5, 0.9}), Error);
    scheduler->setTimesteps(3);
    EXPECT_THROW(scheduler->restore(4, {}), Error);
}

TEST(SchedulerKinds, AreFoundByEitherName) {
    for (const SchedulerKind& kind : schedulerKinds()) {
        EXPECT_EQ(findSchedulerKind(kind.name), &kind);
        EXPECT_EQ(findSchedulerKind(kind.className), &kind);
    }
    EXPECT_EQ(findSchedulerKind("ddim"), nullptr);
}

TEST(ChooseScheduler, KeepsTheCheckpointsUnlessAnotherIsNamed) {
    const SchedulerConfig checkpoint = configOf(
        {{"use_flow_sigmas", true}, {"flow_shift", 7.0}, {"solver_order", 3}, {"num_train_timesteps", 500}});
    EXPECT_EQ(chooseScheduler(checkpoint, "auto").solverOrder, 3);
    EXPECT_EQ(chooseScheduler(checkpoint, "unipc").solverOrder, 3);
    const SchedulerConfig euler = chooseScheduler(checkpoint, "euler");
    EXPECT_EQ(euler.className, "FlowMatchEulerDiscreteScheduler");
    EXPECT_EQ(euler.flowShift, 7.0);
    EXPECT_EQ(euler.numTrainTimesteps, 500);
    try {
        chooseScheduler(checkpoint, "unicp");
        FAIL() << "an unknown scheduler was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Project);
        EXPECT_THAT(error.hint(), ::testing::HasSubstr("unipc"));
    }
}

TEST(ChooseScheduler, TakesASpacingOfItsOwnForFlows) {
    const SchedulerConfig flow = configOf({{"use_flow_sigmas", true}});
    EXPECT_EQ(chooseScheduler(flow, "auto", "beta57").spacing, SigmaSpacing::Beta57);
    EXPECT_EQ(chooseScheduler(flow, "euler", "auto").spacing, SigmaSpacing::Flow);
    EXPECT_THROW(chooseScheduler(flow, "auto", "gamma"), Error);
    EXPECT_THROW(chooseScheduler(configOf({{"use_flow_sigmas", false}}), "auto", "beta"), Error);
}

TEST(SigmaSchedules, ASpacingOfItsOwnFitsEverySampler) {
    for (const SchedulerKind& kind : schedulerKinds())
        for (const OwnSpacing& own : ownSpacings())
            for (const int steps : {1, 2, 7, 200}) {
                SchedulerConfig config;
                config.className = kind.className;
                config.flowShift = 3;
                config.spacing = own.spacing;
                const auto scheduler = makeScheduler(config);
                scheduler->setTimesteps(steps);
                const auto sigmas = scheduler->sigmas();
                EXPECT_TRUE(std::ranges::is_sorted(sigmas, std::ranges::greater{})) << kind.name << own.name;
                EXPECT_NEAR(sigmas.front(), 1, 1e-5) << kind.name << own.name << steps;
                EXPECT_EQ(sigmas.back(), 0) << kind.name << own.name << steps;
                EXPECT_EQ(std::ssize(scheduler->timesteps()) + 1, std::ssize(sigmas));
                EXPECT_THROW(scheduler->setTimesteps(std::array{1.0, 0.5}), Error);
            }
}

struct RefusedConfig {
    const char* name;
    json config;
    const char* mentions;
};

class Refused : public ::testing::TestWithParam<RefusedConfig> {};

TEST_P(Refused, NamesFileAndKey) {
    try {
        makeScheduler(configOf(GetParam().config));
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().mentions));
        EXPECT_FALSE(error.hint().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Configs, Refused,
    ::testing::Values(RefusedConfig{"epsilon", {{"prediction_type", "epsilon"}}, "prediction_type"},
                      RefusedConfig{"noise_solver", {{"predict_x0", false}}, "predict_x0"},
                      RefusedConfig{"order", {{"solver_order", 4}}, "solver_order"},
                      RefusedConfig{"beta", {{"use_beta_sigmas", true}}, "use_beta_sigmas"},
                      RefusedConfig{"dynamic", {{"use_dynamic_shifting", true}}, "use_dynamic_shifting"},
                      RefusedConfig{"type", {{"solver_order", "two"}}, "solver_order"},
                      RefusedConfig{"solver", {{"solver_type", "bh3"}}, "bh3"},
                      RefusedConfig{"shift", {{"flow_shift", 0.0}}, "shift"},
                      RefusedConfig{"karras_and_exponential",
                                    {{"use_karras_sigmas", true}, {"use_exponential_sigmas", true}},
                                    "use_exponential_sigmas"},
                      RefusedConfig{"unknown_class", {{"_class_name", "DDIMScheduler"}}, "DDIMScheduler"},
                      RefusedConfig{"no_object", json::array(), "object"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

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
