// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/studies/rates/rate_samples.h"

#include <gtest/gtest.h>

#include <vector>

namespace meshreel {
namespace {

RateSample sampleOf(const char* name, double seconds) {
    return {.name = name, .seconds = seconds};
}

TEST(RateSamples, TheMedianOfARepeatedSampleCounts) {
    std::vector<double> told;
    RateSamples samples({}, [&](const RateSample& sample) { told.push_back(sample.seconds); });
    samples.add(sampleOf("a", 3));
    samples.add(sampleOf("b", 1));
    samples.add(sampleOf("a", 9));
    samples.add(sampleOf("a", 4));
    EXPECT_EQ(told, (std::vector<double>{3, 1, 9, 4}));
    const std::vector<RateSample> kept = samples.samples();
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[0].seconds, 4);
    EXPECT_EQ(kept[1].seconds, 1);
}

TEST(RateSamples, AFirstPassWarmsUpAndIsComparedWithTheOthers) {
    RateSamples samples({}, {});
    std::vector<double> passes{8, 2, 9};
    std::size_t next = 0;
    samples.time(sampleOf("long", 0), true, [&] { return passes.at(next++); });
    EXPECT_EQ(next, 2U) << "a long pass runs once behind the first";
    EXPECT_EQ(samples.samples().front().seconds, 2);
    EXPECT_EQ(samples.firstStepFactors(), std::vector<double>{4});
    next = 0;
    passes = {0.04, 0.01, 0.03, 0.02};
    samples.time(sampleOf("short", 0), false, [&] { return passes.at(next++); });
    EXPECT_EQ(next, passes.size());
    EXPECT_EQ(samples.samples().back().seconds, 0.02);
    EXPECT_EQ(samples.firstStepFactors().size(), 1U);
}

}  // namespace
}  // namespace meshreel
