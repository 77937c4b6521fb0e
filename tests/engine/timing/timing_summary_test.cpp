// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/timing_summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace meshreel {
namespace {

// The figures published in MaxDiffusion's pull request 430 for two-dimensional ring attention.
TimingSummary publishedFigures() {
    TimingSummary summary;
    summary.load = 585.3;
    summary.compile = 144.3;
    summary.inference = 116.0;
    summary.hasTrace = true;
    summary.conditioning = 3.9;
    summary.denoiseTotal = 109.8;
    summary.vaeDecode = 2.2;
    summary.compute = 1.7;
    summary.hostFormatting = 0.5;
    return summary;
}

TEST(TimingSummary, IsMaxDiffusionsBlockByteForByte) {
    EXPECT_EQ(formatTimingSummary(publishedFigures()), R"(
==================================================
  TIMING SUMMARY
==================================================
  Load (checkpoint):     585.3s
  Compile:               144.3s
  Inference:             116.0s
  ────────────────────────────────────────
  Conditioning:            3.9s
    - VAE Encode:          0.0s
  Denoise Total:         109.8s
  VAE Decode:              2.2s
    - Compute:             1.7s
    - Host Formatting:     0.5s
==================================================
)");
}

TEST(TimingSummary, LeavesOutWhatWasNotTraced) {
    TimingSummary summary = publishedFigures();
    summary.hasTrace = false;
    EXPECT_EQ(formatTimingSummary(summary), R"(
==================================================
  TIMING SUMMARY
==================================================
  Load (checkpoint):     585.3s
  Compile:               144.3s
  Inference:             116.0s
==================================================
)");
}

TEST(TimingSummary, KeepsItsColumnsForLongTimes) {
    TimingSummary summary = publishedFigures();
    summary.load = 12345.67;
    summary.compile = 0.04;
    const std::string text = formatTimingSummary(summary);
    EXPECT_NE(text.find("\n  Load (checkpoint):   12345.7s\n  Compile:                 0.0s\n"),
              std::string::npos)
        << text;
}

TEST(TimingSummary, ReadsBackFromJson) {
    const TimingSummary summary = publishedFigures();
    const auto back = nlohmann::json::parse(nlohmann::json(summary).dump()).get<TimingSummary>();
    EXPECT_EQ(formatTimingSummary(back), formatTimingSummary(summary));

    TimingSummary untraced = summary;
    untraced.hasTrace = false;
    EXPECT_FALSE(nlohmann::json(untraced).get<TimingSummary>().hasTrace);
}

}  // namespace
}  // namespace meshreel
