// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/families/random_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace meshreel {
namespace {

std::vector<float> filled(std::uint64_t seed, const std::string& name, const Shape& shape, int workers = 1) {
    WorkerPool pool({.workers = workers});
    std::vector<float> values(static_cast<std::size_t>(shape.elements()));
    RandomWeights(seed).fill(pool, name, shape, 0, values);
    return values;
}

TEST(RandomWeights, HaveTheDeviationThatKeepsActivations) {
    const Shape shape{300, 1024};
    double sum = 0;
    double squares = 0;
    const std::vector<float> values = filled(7, "ffn.weight", shape);
    for (const float value : values) {
        sum += double{value};
        squares += double{value} * double{value};
    }
    const auto count = static_cast<double>(values.size());
    EXPECT_NEAR(sum / count, 0.0, 0.0005);
    EXPECT_NEAR(std::sqrt(squares / count), 1.0 / std::sqrt(1024.0), 0.0002);
}

TEST(RandomWeights, NormsAreOnesAndBiasesSmall) {
    for (const char* name : {"norm_q.weight", "mid.norm1.gamma", "vision_model.pre_layrnorm.weight"})
        EXPECT_THAT(filled(1, name, {8}), ::testing::Each(1.0F)) << name;
    EXPECT_THAT(filled(1, "to_q.bias", {100}),
                ::testing::Each(::testing::Truly([](float value) { return std::abs(value) < 0.05F; })));
}

TEST(RandomWeights, DependOnSeedNameAndPlaceAlone) {
    const Shape shape{50, 40};
    const std::vector<float> whole = filled(3, "a", shape);
    EXPECT_EQ(filled(3, "a", shape, 3), whole);
    EXPECT_NE(filled(4, "a", shape), whole);
    EXPECT_NE(filled(3, "b", shape), whole);
    WorkerPool pool({.workers = 2});
    std::vector<float> piece(700);
    RandomWeights(3).fill(pool, "a", shape, 1300, piece);
    EXPECT_EQ(piece, std::vector<float>(whole.begin() + 1300, whole.end()));
}

}  // namespace
}  // namespace meshreel
