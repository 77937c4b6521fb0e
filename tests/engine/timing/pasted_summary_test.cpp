// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/pasted_summary.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

constexpr std::string_view published = R"(
==================================================
  TIMING SUMMARY (2D Ring, U=2, R=2)
==================================================
  Load (checkpoint):     585.3s
  Compile:               144.3s
  Inference:             116.0s
  ────────────────────────────────────────
  Conditioning:            3.9s
    - VAE Encode:          0.0s
  Denoise Total:         109.8s
  VAE Decode:              2.2s
    - TPU Compute:         1.7s
    - Host Formatting:     0.5s
==================================================
  Compile:               999.9s
)";

TEST(PastedSummary, ReadsThePublishedLayout) {
    const std::vector<PastedSummary> blocks = parseTimingSummaries(published);
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].title, "2D Ring, U=2, R=2");
    const TimingSummary& timings = blocks[0].timings;
    EXPECT_TRUE(timings.hasTrace);
    EXPECT_EQ(timings.load, 585.3);
    EXPECT_EQ(timings.compile, 144.3);  // what stands behind the closing rule is not of the block
    EXPECT_EQ(timings.inference, 116.0);
    EXPECT_EQ(timings.conditioning, 3.9);
    EXPECT_EQ(timings.denoiseTotal, 109.8);
    EXPECT_EQ(timings.vaeDecode, 2.2);
    EXPECT_EQ(timings.compute, 1.7);
    EXPECT_EQ(timings.hostFormatting, 0.5);
}

TEST(PastedSummary, ReadsWhatMeshreelPrints) {
    TimingSummary timings{.load = 1.5, .compile = 0.25, .inference = 1234.5};
    const PastedSummary plain = parseTimingSummaries(formatTimingSummary(timings)).front();
    EXPECT_FALSE(plain.timings.hasTrace);
    EXPECT_EQ(plain.timings.inference, 1234.5);
    EXPECT_TRUE(plain.title.empty());
    timings.hasTrace = true;
    timings.compute = 7;
    const std::string twice = formatTimingSummary(timings) + "text between\n" + formatTimingSummary(timings);
    ASSERT_EQ(parseTimingSummaries(twice).size(), 2U);
    EXPECT_EQ(parseTimingSummaries(twice)[1].timings.compute, 7);
}

TEST(PastedSummary, PassesOverPrefixesAndLineEndsOfLogs) {
    const std::vector<PastedSummary> blocks = parseTimingSummaries(
        "I0301 12:00:01.5 generate_wan.py:77] TIMING SUMMARY\r\n"
        "I0301 12:00:01.5 generate_wan.py:78] Load (checkpoint): 12.0s\r\n"
        "INFO Compile: 3.5s\r\n"
        "> Inference: 9s\r\n");
    EXPECT_EQ(blocks.at(0).timings.load, 12.0);
    EXPECT_EQ(blocks.at(0).timings.compile, 3.5);
    EXPECT_EQ(blocks.at(0).timings.inference, 9.0);
}

TEST(PastedSummary, SaysWhatIsMissing) {
    EXPECT_THROW(parseTimingSummaries("Inference: 3.0s"), Error);
    try {
        parseTimingSummaries("TIMING SUMMARY\n  Load (checkpoint): 1.0s\n  Inference: 3.0s\n");
        FAIL() << "a block without its compile time was read";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(error.message().find("Compile"), std::string::npos);
    }
}

}  // namespace
}  // namespace meshreel
