// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/evaluation/evaluation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace meshreel {
namespace {

EvaluatedClip perfect(const char* motion) {
    return {.wanted = {"a red ball", "ball", "red", "black", motion},
            .found = {.background = "black",
                      .present = true,
                      .colour = "red",
                      .shape = "ball",
                      .motion = motion,
                      .edgeWidth = 1.5,
                      .flicker = 0.0}};
}

Metric metric(std::span<const EvaluatedClip> clips, std::string_view key) {
    const std::vector<Metric> metrics = measureMetrics(clips);
    return *std::ranges::find(metrics, key, [](const Metric& f) { return f.row->key; });
}

TEST(Figures, PerfectClipsReachEveryGoal) {
    const std::vector<EvaluatedClip> clips{perfect("left"), perfect("still")};
    for (const Metric& metric : measureMetrics(clips))
        EXPECT_TRUE(metric.reached()) << metric.row->key;
}

TEST(Figures, AWrongWordCountsInItsFigureOnly) {
    std::vector<EvaluatedClip> clips(4, perfect("left"));
    clips[0].found.shape = "star";
    EXPECT_DOUBLE_EQ(*metric(clips, "shape").value, 75.0);
    EXPECT_FALSE(metric(clips, "shape").reached());
    EXPECT_DOUBLE_EQ(*metric(clips, "color").value, 100.0);
}

TEST(Figures, TheWrongDirectionIsTheRightKind) {
    std::vector<EvaluatedClip> clips{perfect("left"), perfect("up"), perfect("spinning")};
    clips[0].found.motion = "right";
    EXPECT_DOUBLE_EQ(*metric(clips, "direction").value, 50.0);
    EXPECT_DOUBLE_EQ(*metric(clips, "motion").value, 100.0);
    clips[2].found.motion = "still";
    EXPECT_NEAR(*metric(clips, "motion").value, 200.0 / 3.0, 1e-9);
    EXPECT_DOUBLE_EQ(*metric(clips, "direction").value, 50.0);
}

TEST(Figures, WithoutVideosThatTellThereIsNone) {
    const std::vector<EvaluatedClip> clips{perfect("still")};
    EXPECT_FALSE(metric(clips, "direction").value.has_value());
    EXPECT_FALSE(metric(clips, "direction").reached());
    EXPECT_FALSE(metric({}, "color").value.has_value());
}

TEST(Figures, FirstFramesAreToldOfVideosMadeOfPictures) {
    std::vector<EvaluatedClip> clips(2, perfect("left"));
    EXPECT_EQ(measureMetrics(clips).size(), metricRows().size() - 2) << "neither first frames nor seams";
    clips[0].found.firstFrameKept = 26.0;
    clips[1].found.firstFrameKept = 32.0;
    EXPECT_EQ(measureMetrics(clips).size(), metricRows().size() - 1);
    EXPECT_DOUBLE_EQ(*metric(clips, "first_frame").value, 29.0);
    EXPECT_TRUE(metric(clips, "first_frame").reached());
}

TEST(Figures, TheWorstSeamOfVideosOfSeveralClipsCounts) {
    std::vector<EvaluatedClip> clips(3, perfect("left"));
    clips[0].found.seam = 0.9;
    clips[2].found.seam = 1.4;
    EXPECT_EQ(measureMetrics(clips).size(), metricRows().size() - 1);
    EXPECT_DOUBLE_EQ(*metric(clips, "seam").value, 1.4);
    EXPECT_TRUE(metric(clips, "seam").reached());
    clips[1].found.seam = 1.6;
    EXPECT_FALSE(metric(clips, "seam").reached());
}

TEST(Figures, AMissingSubjectIsWrongInAllButTheBackground) {
    std::vector<EvaluatedClip> clips{perfect("left")};
    clips[0].found = ClipFindings();
    clips[0].found.background = "black";
    EXPECT_DOUBLE_EQ(*metric(clips, "color").value, 0.0);
    EXPECT_DOUBLE_EQ(*metric(clips, "background").value, 100.0);
    EXPECT_FALSE(metric(clips, "edge_width").value.has_value());
}

TEST(EvaluationReport, TellsWhatIsWrong) {
    EvaluatedClip clip = perfect("left");
    EXPECT_EQ(findingsLine(clip), "a red ball: as asked");
    clip.found.shape = "ring";
    clip.found.motion = "up";
    EXPECT_EQ(findingsLine(clip), "a red ball: motion up, not left; shape ring, not ball");
}

TEST(EvaluationReport, TheTableSaysWhatWasReached) {
    Evaluation evaluation;
    evaluation.clips = {perfect("left")};
    evaluation.clips[0].found.shape = "ring";
    evaluation.metrics = measureMetrics(evaluation.clips);
    const std::string table = evaluationTable(evaluation);
    EXPECT_NE(table.find("Shape                             0.0 %        >= 90 %  missed"), std::string::npos)
        << table;
    EXPECT_NE(evaluationJson(evaluation).find("\"wanted\": \">= 90 %\""), std::string::npos);
}

}  // namespace
}  // namespace meshreel
