// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/known_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/linear_solve.h"
#include "engine/sampling/scheduler.h"
#include "tests/support/random_tensor.h"

namespace meshreel {
namespace {

constexpr std::size_t frames = 6;
constexpr std::size_t known = 2;
constexpr double correlation = 0.8;
constexpr int step = 2;

/// The noise levels of three steps, 0.6 the last.
std::unique_ptr<Scheduler> flowScheduler() {
    auto scheduler = makeScheduler({});
    scheduler->setTimesteps(std::array{1.0, 0.9, 0.6});
    return scheduler;
}

/// What all frames are when each value follows the one before it with `correlation`, and a sample tells each
/// of them with the noise `deviation`: the precision, row after row.
std::vector<double> precisionOf(double deviation) {
    std::vector<double> covariance(frames * frames);
    std::vector<double> identity(frames * frames, 0.0);
    for (std::size_t row = 0; row < frames; ++row) {
        identity[row * frames + row] = 1;
        for (std::size_t column = 0; column < frames; ++column)
            covariance[row * frames + column] =
                std::pow(correlation, std::abs(static_cast<double>(row) - static_cast<double>(column)));
    }
    std::vector<double> precision = solveSymmetric(covariance, frames, identity);
    for (std::size_t row = 0; row < frames; ++row)
        precision[row * frames + row] += 1 / (deviation * deviation);
    return precision;
}

/// The means of the frames behind the first, whose values are given, and of all frames where none is.
std::vector<double> meansGiven(std::span<const double> first, const std::vector<double>& precision,
                               std::span<const double> seen, double deviation) {
    const std::size_t open = frames - first.size();
    std::vector<double> matrix;
    std::vector<double> right;
    for (std::size_t row = first.size(); row < frames; ++row) {
        double value = seen[row] / (deviation * deviation);
        for (std::size_t column = 0; column < first.size(); ++column)
            value -= precision[row * frames + column] * first[column];
        right.push_back(value);
        for (std::size_t column = first.size(); column < frames; ++column)
            matrix.push_back(precision[row * frames + column]);
    }
    return solveSymmetric(matrix, open, right);
}

TEST(SharedErrors, FallWithTheDistanceInNoiseAndVanishWithoutIt) {
    const std::vector<double> inNoise = sharedErrors(noiseLevel(1.0F, true), 0.9, 3);
    EXPECT_THAT(inNoise, ::testing::Pointwise(::testing::DoubleNear(1e-12), {0.9, 0.81, 0.729}));
    const std::vector<double> halfway = sharedErrors(noiseLevel(0.5F, true), 0.9, 3);
    const std::vector<double> near = sharedErrors(noiseLevel(0.01F, true), 0.9, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LT(halfway[i], inNoise[i]);
        EXPECT_LT(near[i], 1e-3);
    }
    EXPECT_TRUE(sharedErrors(noiseLevel(0.5F, true), 0.9, 0).empty());
}

TEST(FollowingKnown, GivesTheMeansOfAProcessWhoseFirstFramesAreKnown) {
    const auto scheduler = flowScheduler();
    const NoiseLevel level = scheduler->levelOf(step);
    const double deviation = double{level.sigma} / double{level.alpha};
    const std::vector<double> precision = precisionOf(deviation);
    const Tensor sample = testing::randomTensor({1, 1, frames, 1, 1}, 1);
    const Tensor clean = testing::randomTensor({1, 1, known, 1, 1}, 2);
    std::vector<double> seen;
    for (const float value : sample.data<float>())
        seen.push_back(double{value} / double{level.alpha});
    const std::vector<double> first(clean.data<float>().begin(), clean.data<float>().end());

    const std::vector<double> predicted = meansGiven({}, precision, seen, deviation);
    Tensor velocity = Tensor::empty(sample.shape());
    for (std::size_t i = 0; i < frames; ++i)
        velocity.data<float>()[i] =
            (sample.data<float>()[i] - static_cast<float>(predicted[i])) / level.sigma;
    const Tensor followed = followingKnown(velocity, sample, clean, *scheduler, step, correlation);

    const std::vector<double> wanted = meansGiven(first, precision, seen, deviation);
    for (std::size_t i = known; i < frames; ++i) {
        EXPECT_NEAR(sample.data<float>()[i] - level.sigma * followed.data<float>()[i], wanted[i - known],
                    1e-5)
            << i;
        EXPECT_GT(std::abs(predicted[i] - wanted[i - known]), 1e-4) << "knowing the first changes nothing";
    }
    for (std::size_t i = 0; i < known; ++i)
        EXPECT_EQ(followed.data<float>()[i], velocity.data<float>()[i]);
}

TEST(FollowingKnown, TakesEachValueOfEachVideoByItself) {
    constexpr std::int64_t videos = 2;
    constexpr std::int64_t channels = 3;
    const auto scheduler = flowScheduler();
    const Tensor sample = testing::randomTensor({videos, channels, frames, 2, 2}, 1);
    const Tensor velocity = testing::randomTensor(sample.shape(), 2);
    const Tensor clean = testing::randomTensor({1, channels, known, 2, 2}, 3);
    const Tensor followed = followingKnown(velocity, sample, clean, *scheduler, step, correlation);
    constexpr std::size_t area = 4;
    for (std::size_t plane = 0; plane < videos * channels; ++plane)
        for (std::size_t at = 0; at < area; ++at) {
            const auto alone = [&](const Tensor& of, std::size_t count, std::size_t from) {
                std::vector<float> values;
                for (std::size_t frame = 0; frame < count; ++frame)
                    values.push_back(of.data<float>()[(from * count + frame) * area + at]);
                return Tensor::from({1, 1, static_cast<std::int64_t>(count), 1, 1}, values);
            };
            const Tensor own =
                followingKnown(alone(velocity, frames, plane), alone(sample, frames, plane),
                               alone(clean, known, plane % channels), *scheduler, step, correlation);
            EXPECT_THAT(alone(followed, frames, plane).data<float>(),
                        ::testing::ElementsAreArray(own.data<float>()));
        }
}

}  // namespace
}  // namespace meshreel
