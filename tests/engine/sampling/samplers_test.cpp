// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "engine/sampling/noise.h"
#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

/// A flow from noise to a normal distribution, whose velocity and paths are known.
struct GaussianFlow {
    double mean = 0.5;
    double deviation = 0.25;

    [[nodiscard]] double spread(double sigma) const {
        return std::sqrt((1 - sigma) * (1 - sigma) * deviation * deviation + sigma * sigma);
    }
    /// Where the path that leaves the noise at x = z stands.
    [[nodiscard]] double path(double sigma, double z) const { return (1 - sigma) * mean + spread(sigma) * z; }
    /// The expected noise minus the expected clean sample at x.
    [[nodiscard]] double velocity(double sigma, double x) const {
        const double z = (x - (1 - sigma) * mean) / spread(sigma);
        const double noise = sigma / spread(sigma) * z;
        const double clean = mean + (1 - sigma) * deviation * deviation / spread(sigma) * z;
        return noise - clean;
    }
};

Tensor column(std::vector<float> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return Tensor::from({count}, values);
}

std::unique_ptr<Scheduler> schedulerOf(std::string_view name, int steps, double shift = 1) {
    SchedulerConfig config;
    config.className = findSchedulerKind(name)->className;
    config.flowShift = shift;
    auto scheduler = makeScheduler(config);
    scheduler->setNoiseSeeds({7});
    scheduler->setTimesteps(steps);
    return scheduler;
}

Tensor velocitiesAt(const GaussianFlow& flow, double sigma, const Tensor& x) {
    std::vector<float> values;
    for (const float each : x.data<float>())
        values.push_back(static_cast<float>(flow.velocity(sigma, each)));
    return column(std::move(values));
}

Tensor walk(Scheduler& scheduler, const GaussianFlow& flow, Tensor x) {
    while (scheduler.stepIndex() < scheduler.steps()) {
        const double sigma = scheduler.sigmas()[static_cast<std::size_t>(scheduler.stepIndex())];
        x = scheduler.step(velocitiesAt(flow, sigma, x), x);
    }
    return x;
}

/// Distance from the path's end after `steps` noise levels.
double toError(std::string_view name, int steps) {
    const GaussianFlow flow;
    const auto scheduler = schedulerOf(name, steps);
    constexpr double z = 1.5;
    const double start = flow.path(scheduler->sigmas().front(), z);
    const Tensor end = walk(*scheduler, flow, column({static_cast<float>(start)}));
    return std::abs(end.data<float>()[0] - flow.path(0, z));
}

TEST(StepNoise, WithFramesBehindIsTheFrontOfALongerSamplesNoise) {
    for (const std::string_view kind : {"lcm", "wan_dpmpp_sde"}) {
        const auto longer = schedulerOf(kind, 3);
        const auto shorter = schedulerOf(kind, 3);
        longer->setNoiseSeeds({7, 8});
        shorter->setNoiseSeeds({7, 8}, 2);
        Tensor all = Tensor::zeros({2, 3, 5, 2, 2});
        Tensor front = Tensor::zeros({2, 3, 3, 2, 2});
        for (int step = 0; step < 2; ++step) {
            all = longer->step(Tensor::zeros(all.shape()), all);
            front = shorter->step(Tensor::zeros(front.shape()), front);
            const Tensor expected = sliced(all, 2, 0, 3);
            EXPECT_TRUE(std::ranges::equal(front.data<float>(), expected.data<float>())) << kind << step;
            EXPECT_TRUE(std::ranges::any_of(front.data<float>(), [](float value) { return value != 0.0F; }));
        }
    }
}

TEST(FlowSolvers, EulerIsOfFirstOrder) {
    const double ratio = toError("euler", 20) / toError("euler", 40);
    EXPECT_NEAR(std::log2(ratio), 1, 0.2);
}

TEST(FlowSolvers, HeunIsOfSecondOrderUpToItsLastStep) {
    // The last step, which is Euler's, is 1/steps long: of second order, too.
    const double ratio = toError("heun", 20) / toError("heun", 40);
    EXPECT_NEAR(std::log2(ratio), 2, 0.3);
    EXPECT_LT(toError("heun", 20), toError("euler", 39));
}

TEST(FlowSolvers, ResIsOfSecondOrder) {
    for (const std::string_view kind : {"res_2s", "res_multistep"}) {
        const double ratio = toError(kind, 40) / toError(kind, 80);
        EXPECT_NEAR(std::log2(ratio), 2, 0.35) << kind;
    }
    EXPECT_LT(toError("res_2s", 20), toError("euler", 39));  // as many passes
}

TEST(FlowSolvers, Res2sPassesTheGeometricMeanOfItsLevels) {
    const auto euler = schedulerOf("euler", 4, 3);
    const auto res = schedulerOf("res_2s", 4, 3);
    ASSERT_EQ(res->steps(), 7);
    for (std::size_t step = 0; step < 7; ++step) {
        const float here = euler->sigmas()[step / 2];
        const float wanted = step % 2 == 0 ? here : std::sqrt(here * euler->sigmas()[step / 2 + 1]);
        EXPECT_FLOAT_EQ(res->sigmas()[step], wanted) << step;
    }
    EXPECT_EQ(res->sigmas().back(), 0.0F);
}

TEST(FlowSolvers, HeunVisitsEveryLevelBetweenTheEndsTwice) {
    const auto euler = schedulerOf("euler", 4, 3);
    const auto heun = schedulerOf("heun", 4, 3);
    ASSERT_EQ(heun->steps(), 7);
    for (int step = 0; step < 7; ++step) {
        const auto level = static_cast<std::size_t>((step + 1) / 2);
        EXPECT_EQ(heun->sigmas()[static_cast<std::size_t>(step)], euler->sigmas()[level]);
        EXPECT_EQ(heun->timesteps()[static_cast<std::size_t>(step)], euler->timesteps()[level]);
    }
    EXPECT_EQ(heun->sigmas().back(), 0.0F);
}

TEST(FlowSolvers, LcmPredictsAndNoisesAnew) {
    const auto scheduler = schedulerOf("lcm", 2);
    const Tensor sample = column({0.5F, -1.0F});
    const Tensor velocity = column({0.25F, 2.0F});
    const float sigma = scheduler->sigmas()[0];
    const float next = scheduler->sigmas()[1];
    const Tensor stepped = scheduler->step(velocity, sample);
    // Of the seed's sequence the first two numbers are the initial noise.
    const Tensor noise = counterNormal(7, {2}, 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const float clean = sample.data<float>()[i] - sigma * velocity.data<float>()[i];
        EXPECT_NEAR(stepped.data<float>()[i], (1 - next) * clean + next * noise.data<float>()[i], 1e-6F);
    }
    const Tensor last = scheduler->step(velocity, stepped);
    EXPECT_FLOAT_EQ(last.data<float>()[0], stepped.data<float>()[0] - next * velocity.data<float>()[0]);
}

/// Lu et al., 2022, with numbers worked out in f64.
TEST(FlowSolvers, DpmSdeFollowsThePublishedFormula) {
    const auto scheduler = schedulerOf("wan_dpmpp_sde", 4, 3);
    const auto sigmas = scheduler->sigmas();
    const auto lambda = [&](std::size_t at) { return std::log((1.0 - sigmas[at]) / sigmas[at]); };
    const double x = 0.75;
    const double v0 = 0.5;
    const double v1 = -0.25;
    const Tensor first = scheduler->step(column({static_cast<float>(v0)}), column({static_cast<float>(x)}));
    const double y = first.data<float>()[0];
    const Tensor second = scheduler->step(column({static_cast<float>(v1)}), first);

    const double h = lambda(2) - lambda(1);
    const double r = (lambda(1) - lambda(0)) / h;
    const double newest = y - sigmas[1] * v1;
    const double older = x - sigmas[0] * v0;
    const double d1 = (newest - older) / r;
    const double gained = 1 - std::exp(-2 * h);
    const double noise = counterNormal(7, {1}, 2).data<float>()[0];
    const double expected = sigmas[2] / sigmas[1] * std::exp(-h) * y + (1.0 - sigmas[2]) * gained * newest +
                            0.5 * (1.0 - sigmas[2]) * gained * d1 + sigmas[2] * std::sqrt(gained) * noise;
    EXPECT_NEAR(second.data<float>()[0], expected, 1e-5);
}

TEST(FlowSolvers, DpmSdeEndsInTheDistribution) {
    const GaussianFlow flow;
    constexpr std::int64_t samples = 4000;
    const auto scheduler = schedulerOf("wan_dpmpp_sde", 40);
    const Tensor end = walk(*scheduler, flow, counterNormal(7, {samples}));
    double mean = 0;
    double square = 0;
    for (const float value : end.data<float>()) {
        mean += value / samples;
        square += static_cast<double>(value) * value / samples;
    }
    EXPECT_NEAR(mean, flow.mean, 0.02);
    EXPECT_NEAR(std::sqrt(square - mean * mean), flow.deviation, 0.02);
}

class FlowSolverState : public ::testing::TestWithParam<std::string_view> {};

TEST_P(FlowSolverState, ContinuesAfterEveryStepWithTheSameBits) {
    const GaussianFlow flow;
    const auto straight = schedulerOf(GetParam(), 5, 3);
    Tensor x = column({0.5F, -1.5F, 2.0F});
    const Tensor wanted = walk(*schedulerOf(GetParam(), 5, 3), flow, x);
    for (int done = 1; done < straight->steps(); ++done) {
        const double sigma = straight->sigmas()[static_cast<std::size_t>(done - 1)];
        x = straight->step(velocitiesAt(flow, sigma, x), x);
        const SchedulerState state = straight->state();
        const auto resumed = schedulerOf(GetParam(), 5, 3);
        resumed->restore(done, [&](std::string_view name) {
            for (const auto& [known, tensor] : state)
                if (known == name)
                    return tensor;
            throw std::runtime_error("no state " + std::string(name));
        });
        const Tensor end = walk(*resumed, flow, x);
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(end.data<float>()[i], wanted.data<float>()[i]) << "after step " << done;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FlowSolverState,
                         ::testing::Values("heun", "lcm", "wan_dpmpp_sde", "res_2s", "res_multistep"),
                         testing::PrintedName());

TEST(FlowSolvers, ARunBegunBehindItsFirstLevelsIsARunOfTheRest) {
    for (const SchedulerKind& kind : schedulerKinds()) {
        const GaussianFlow flow;
        const auto whole = schedulerOf(kind.name, 6, 3);
        const auto rest = schedulerOf(kind.name, 6, 3);
        rest->keepLast(0.7);  // four of six
        const int dropped = whole->steps() - rest->steps();
        EXPECT_EQ(rest->droppedSteps(), dropped);
        EXPECT_EQ(rest->sigmas().front(), whole->sigmas()[static_cast<std::size_t>(dropped)]);
        EXPECT_TRUE(std::isfinite(walk(*rest, flow, column({1.0F})).data<float>()[0])) << kind.name;
        EXPECT_ANY_THROW(rest->keepLast(0.1));
    }
}

TEST(FlowSolvers, SolversOfTwoPassesBeginAWholeStepWhereverTheyBegin) {
    const GaussianFlow flow;
    constexpr double z = 1.5;
    for (const std::string_view kind : {"heun", "res_2s"})
        for (const double part : {0.9, 0.8, 0.7, 0.5, 0.3}) {
            const auto rest = schedulerOf(kind, 40);
            rest->keepLast(part);
            const double start = flow.path(rest->sigmas().front(), z);
            const Tensor end = walk(*rest, flow, column({static_cast<float>(start)}));
            EXPECT_NEAR(end.data<float>()[0], flow.path(0, z), 2e-3) << kind << ' ' << part;
        }
}

}  // namespace
}  // namespace meshreel
