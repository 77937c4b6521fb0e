// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/golden_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

class GoldenComparisonTest : public ::testing::Test {
  protected:
    /// The row that comparing `ours` with the golden tensor "x" makes.
    static GoldenRow compared(const Tensor& golden, const Tensor& ours, GoldenTolerance tolerance) {
        GoldenComparison comparison = readComparison({{"x", golden}});
        comparison.compare("x", ours, tolerance);
        return comparison.finish().at(0);
    }

    /// The same behind two axes that both have.
    static GoldenRow broadcast(const Tensor& golden, const Tensor& ours) {
        GoldenComparison comparison = readComparison({{"x", golden}});
        comparison.compareBroadcast("x", ours, 2, exactly);
        return comparison.finish().at(0);
    }

    static GoldenRow framesRow(std::size_t differing, std::uint8_t by) {
        const Tensor golden = Tensor::zeros({10, 10}, DType::U8);
        Tensor ours = golden.clone();
        for (std::size_t i = 0; i < differing; ++i)
            ours.data<std::uint8_t>()[i] = by;
        GoldenComparison comparison = readComparison({{"x", golden}});
        comparison.compareFrames("x", ours, 1.0, 0.02);
        return comparison.finish().at(0);
    }

    static GoldenComparison readComparison(const std::vector<NamedTensor>& tensors) {
        const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        const auto file = std::filesystem::path(::testing::TempDir()) / ("meshreel-" + test + ".safetensors");
        writeSafetensors(file, tensors);
        GoldenComparison comparison(SafetensorsFile::open(file), [](const std::string&) { return true; });
        std::filesystem::remove(file);
        return comparison;
    }

    static Tensor pair(float first, float second) {
        return Tensor::from({2}, std::vector<float>{first, second});
    }
};

TEST_F(GoldenComparisonTest, ToleranceGrowsWithTheLargestGolden) {
    const Tensor golden = pair(1.0F, -8.0F);
    const GoldenRow row = compared(golden, pair(1.5F, -8.0F), {0.1, 0.05});
    EXPECT_DOUBLE_EQ(row.maxAbsError, 0.5);
    EXPECT_DOUBLE_EQ(row.allowed, 0.5);
    EXPECT_TRUE(row.passed);
    EXPECT_FALSE(compared(golden, pair(1.6F, -8.0F), {0.1, 0.05}).passed);
}

TEST_F(GoldenComparisonTest, OurNanAndInfinityFail) {
    EXPECT_FALSE(compared(pair(1, 2), pair(1, notANumber), {1.0, 1.0}).passed);
    EXPECT_FALSE(compared(pair(1, 2), pair(1, infinity), {1.0, 1.0}).passed);
    EXPECT_TRUE(compared(pair(1, notANumber), pair(1, 7), {1.0, 1.0}).passed) << "there is nothing to meet";
    EXPECT_FALSE(compared(pair(1, notANumber), pair(4, 7), {1.0, 1.0}).passed) << "but the rest decides";
}

TEST_F(GoldenComparisonTest, ShapesMustAgree) {
    const GoldenRow row = compared(pair(1, 2), pair(1, 2).reshaped({1, 2}), {1.0, 0.0});
    EXPECT_FALSE(row.passed);
    EXPECT_TRUE(std::isnan(row.maxAbsError));
    EXPECT_THAT(row.note, AllOf(HasSubstr("[1, 2] "), HasSubstr(" [2]")));
}

TEST_F(GoldenComparisonTest, OneTimeForAVideoComparesWithOneForEachOfItsTokens) {
    const Tensor ofVideos = Tensor::from<float>({2, 1}, {900, 400});
    const Tensor ofTokens = Tensor::from<float>({2, 1, 3}, {900, 900, 900, 400, 400, 400});
    const Tensor firstFrameAtZero = Tensor::from<float>({2, 1, 3}, {0, 900, 900, 0, 400, 400});
    for (const auto& [golden, ours] : {std::pair{ofTokens, ofVideos}, std::pair{ofVideos, ofTokens},
                                       std::pair{ofTokens, ofVideos.reshaped({2, 1, 1})}}) {
        const GoldenRow row = broadcast(golden, ours);
        EXPECT_TRUE(row.passed) << row.note;
        EXPECT_EQ(row.maxAbsError, 0);
        EXPECT_THAT(row.note, AllOf(HasSubstr(ours.shape().text()), HasSubstr(golden.shape().text())));
    }
    EXPECT_TRUE(broadcast(ofTokens, ofTokens).passed);
    EXPECT_TRUE(broadcast(ofTokens, ofTokens).note.empty());

    const GoldenRow other = broadcast(firstFrameAtZero, ofVideos);
    EXPECT_FALSE(other.passed);
    EXPECT_EQ(other.maxAbsError, 900);
}

TEST_F(GoldenComparisonTest, BroadcastingNeedsTheSameStepsAndVideosAndTokensThatFit) {
    const Tensor golden = Tensor::zeros({2, 1, 3});
    for (const Tensor& ours : {Tensor::zeros({3, 1}), Tensor::zeros({2, 2}), Tensor::zeros({2, 1, 4}),
                               Tensor::zeros({1, 1}), Tensor::zeros({2, 2, 3})}) {
        const GoldenRow row = broadcast(golden, ours);
        EXPECT_FALSE(row.passed) << ours.shape().text();
        EXPECT_TRUE(std::isnan(row.maxAbsError));
        EXPECT_THAT(row.note, AllOf(HasSubstr(ours.shape().text()), HasSubstr("[2, 1, 3]")));
    }
}

TEST_F(GoldenComparisonTest, WholeNumbersCompareExactly) {
    const Tensor golden = Tensor::from({1}, std::vector<std::int64_t>{std::int64_t{1} << 40});
    EXPECT_TRUE(compared(golden, golden, exactly).passed);
    EXPECT_FALSE(
        compared(golden, Tensor::from({1}, std::vector<std::int64_t>{(std::int64_t{1} << 40) + 1}), exactly)
            .passed);
}

TEST_F(GoldenComparisonTest, FramesMayDifferALittleInAFewBytes) {
    EXPECT_TRUE(framesRow(0, 0).passed);
    EXPECT_TRUE(framesRow(2, 1).passed);
    EXPECT_FALSE(framesRow(3, 1).passed) << "more bytes than the fraction allows";
    EXPECT_FALSE(framesRow(1, 2).passed) << "a byte off by two levels";
}

TEST_F(GoldenComparisonTest, DoublePrecisionIsForInformation) {
    GoldenComparison comparison = readComparison({{"x", pair(1, 2)}, {"x_f64", pair(5, 5)}});
    comparison.compare("x", pair(1, 2), exactly);
    const GoldenReport report{.folder = {}, .kind = "dit", .className = {}, .rows = comparison.finish()};
    ASSERT_EQ(report.rows.size(), 2U);
    EXPECT_TRUE(report.rows[1].informational);
    EXPECT_TRUE(report.passed());
}

TEST_F(GoldenComparisonTest, AReportWithoutOutputsDoesNotPass) {
    EXPECT_FALSE(GoldenReport{}.passed());
}

}  // namespace
}  // namespace meshreel
