// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_samples.h"

#include <gtest/gtest.h>

#include <vector>

namespace meshreel {
namespace {

RateSample makeSample(const char* name, double seconds) {
    return {.name = name, .seconds = seconds};
}

TEST(RateSamples, AreKeptAndTold) {
    std::vector<double> told;
    RateSamples samples({}, [&](const RateSample& sample) { told.push_back(sample.seconds); });
    samples.add(makeSample("a", 3));
    samples.add(makeSample("b", 1));
    EXPECT_EQ(told, (std::vector<double>{3, 1}));
    ASSERT_EQ(samples.samples().size(), 2U);
    EXPECT_EQ(samples.samples()[1].name, "b");
}

TEST(RateSamples, AFirstPassWarmsUpAndIsComparedWithTheOthers) {
    RateSamples samples({}, {});
    std::vector<double> passes{8, 2, 9};
    std::size_t next = 0;
    samples.time(makeSample("long", 0), true, [&] { return passes.at(next++); });
    EXPECT_EQ(next, 2U) << "a long pass runs once behind the first";
    EXPECT_EQ(samples.samples().front().seconds, 2);
    EXPECT_EQ(samples.firstStepFactors(), std::vector<double>{4});
    next = 0;
    passes = {0.04, 0.01, 0.03, 0.02};
    samples.time(makeSample("short", 0), false, [&] { return passes.at(next++); });
    EXPECT_EQ(next, passes.size());
    EXPECT_EQ(samples.samples().back().seconds, 0.02);
    EXPECT_EQ(samples.firstStepFactors().size(), 1U);
}

}  // namespace
}  // namespace meshreel
