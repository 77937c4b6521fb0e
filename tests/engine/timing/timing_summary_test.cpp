// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/timing_summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/error.h"

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

TEST(TimingSummary, KeepsWhatRanOnTheBoundOfFixedM) {
    TimingSummary summary = publishedFigures();
    EXPECT_FALSE(nlohmann::json(summary).contains("fixed_m"));
    summary.fixedM = {.boundedHeads = 1,
                      .boundTooLargeHeads = 2,
                      .weightsLostHeads = 3,
                      .boundedBlocks = 4,
                      .fallbackBlocks = 5};
    const nlohmann::json json = summary;
    EXPECT_EQ(json.at("fixed_m").at("fallback_heads"), 5);
    EXPECT_EQ(json.get<TimingSummary>().fixedM, summary.fixedM);
    FixedMCounts twice = *summary.fixedM;
    twice += *summary.fixedM;
    EXPECT_EQ(twice.boundedHeads, 2);
    EXPECT_EQ(twice.fallbackBlocks, 10);
}

TEST(TimingSummary, AddsTheStagesOfEarlierParts) {
    TimingSummary last{.load = 1,
                       .compile = 2,
                       .inference = 20,
                       .hasTrace = true,
                       .conditioning = 3,
                       .vaeEncode = 0.25,
                       .denoiseTotal = 10,
                       .vaeDecode = 7,
                       .compute = 6,
                       .hostFormatting = 1,
                       .videoWriting = 0.5};
    const std::vector<PartTimings> parts{
        {.fromStep = 0, .load = 10, .compile = 20, .conditioning = 30, .denoise = 40, .vaeEncode = 2},
        {.fromStep = 4,
         .load = 100,
         .compile = 200,
         .conditioning = 300,
         .denoise = 400,
         .decode = 70,
         .videoWriting = 5,
         .vaeEncode = 20,
         .hostFormatting = 10},
        {.fromStep = 8, .load = 1, .compile = 2, .conditioning = 3, .denoise = 10, .decode = 7}};
    addEarlierParts(last, parts, 4000);
    EXPECT_DOUBLE_EQ(last.load, 111);
    EXPECT_DOUBLE_EQ(last.compile, 222);
    EXPECT_DOUBLE_EQ(last.conditioning, 333);
    EXPECT_DOUBLE_EQ(last.vaeEncode, 22.25);
    EXPECT_DOUBLE_EQ(last.denoiseTotal, 4450);
    EXPECT_DOUBLE_EQ(last.vaeDecode, 77);
    EXPECT_DOUBLE_EQ(last.compute, 66);
    EXPECT_DOUBLE_EQ(last.hostFormatting, 11);
    EXPECT_DOUBLE_EQ(last.videoWriting, 5.5);
    EXPECT_DOUBLE_EQ(last.inference, 20 + 30 + 40 + 300 + 400 + 70 + 4000);
    EXPECT_EQ(nlohmann::json(last).get<TimingSummary>().parts, parts);
    EXPECT_FALSE(nlohmann::json(publishedFigures()).contains("parts"));
}

// As reviews of MaxDiffusion show it: quoted, with a suffix behind the title, and the row "TPU Compute".
constexpr const char* pastedBlock = R"(Results on v7x-8:
> ==================================================
>   TIMING SUMMARY (2D Ring, U=2, R=2)
> ==================================================
>   Load (checkpoint):     585.3s
>   Compile:               144.3s
>   Inference:             116.0s
>   ────────────────────────────────────────
>   Conditioning:            3.9s
>     - VAE Encode:          0.0s
>   Denoise Total:         109.8s
>   VAE Decode:              2.2s
>     - TPU Compute:         1.7s
>     - Host Formatting:     0.5s
> ==================================================
Inference: none of this counts
)";

TEST(TimingSummary, IsReadBackFromAPastedBlock) {
    const std::vector<TitledTimings> found = parseTimingSummaries(pastedBlock);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].title, "2D Ring, U=2, R=2");
    EXPECT_EQ(formatTimingSummary(found[0].timings), formatTimingSummary(publishedFigures()));
}

TEST(TimingSummary, SeveralBlocksOfAnyLineEnds) {
    TimingSummary untraced = publishedFigures();
    untraced.hasTrace = false;
    std::string text =
        formatTimingSummary(publishedFigures()) + "a line between\n" + formatTimingSummary(untraced);
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.insert(at, "\r");
    const std::vector<TitledTimings> found = parseTimingSummaries(text);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].title, "");
    EXPECT_TRUE(found[0].timings.hasTrace);
    EXPECT_FALSE(found[1].timings.hasTrace);
    EXPECT_EQ(found[1].timings.inference, 116.0);
    EXPECT_TRUE(parseTimingSummaries("no such block").empty());
}

TEST(TimingSummary, WordsAboutABlockAreNone) {
    const std::string prose = "The TIMING SUMMARY of this PR is below:\nInference: much faster\n";
    const std::vector<TitledTimings> found =
        parseTimingSummaries(prose + pastedBlock + "So much for the TIMING SUMMARY.\n");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].title, "2D Ring, U=2, R=2");
    EXPECT_TRUE(parseTimingSummaries(prose).empty());
}

TEST(TimingSummary, TheTitleIsReadAsItIsWritten) {
    for (const std::string title : {"2D Ring, U=2, R=2", "run (2)", "a: #1 = *b*"}) {
        const std::vector<TitledTimings> found =
            parseTimingSummaries(formatTimingSummary(publishedFigures(), title));
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].title, title);
    }
}

TEST(TimingSummary, ALineAboveABlockIsItsTitle) {
    const std::string block = formatTimingSummary(publishedFigures());
    const std::vector<TitledTimings> found =
        parseTimingSummaries("## Ulysses, 4 devices\n" + block + "\n**ring:**\n\n" + block + block +
                             "\nThese are words about what follows, as a review has them: they go on and\n"
                             "on.\n" +
                             block + "\nother\n" + formatTimingSummary(publishedFigures(), "own"));
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[0].title, "Ulysses, 4 devices");
    EXPECT_EQ(found[1].title, "ring");
    EXPECT_EQ(found[2].title, "");
    EXPECT_EQ(found[3].title, "");
    EXPECT_EQ(found[4].title, "own");
}

TEST(TimingSummary, ABlockThatLacksARowOrSecondsIsRefusedByName) {
    const auto refusal = [](std::string text, const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
        try {
            static_cast<void>(parseTimingSummaries(text));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            return error.message().text();
        }
        ADD_FAILURE() << "accepted";
        return std::string();
    };
    const std::string block = formatTimingSummary(publishedFigures());
    EXPECT_NE(refusal(block, "  Compile:               144.3s\n", "").find("Compile:"), std::string::npos);
    EXPECT_NE(refusal(block, "Denoise Total:", "Denoised:").find("Denoise Total:"), std::string::npos);
    EXPECT_NE(refusal(block, "116.0s", "116 minutes").find("116 minutes"), std::string::npos);
    EXPECT_NE(refusal(block, "116.0s", "-116.0s").find("-116.0s"), std::string::npos);
}

}  // namespace
}  // namespace meshreel
