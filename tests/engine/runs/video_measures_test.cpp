// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/video_measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/judged_run.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using testing::makeJudgedRun;

TEST(VideoMeasures, AreThoseOfTheVideos) {
    const testing::TemporaryFolder folder;
    makeJudgedRun(folder / "a", {.steps = 10, .level = 100});
    makeJudgedRun(folder / "b", {.steps = 20, .level = 110});
    const VideoMeasures alone = measureVideo(folder / "a", std::nullopt, {});
    EXPECT_NEAR(alone.flicker.value(), 0, 1e-4) << "it becomes lighter steadily";
    EXPECT_NEAR(alone.sharpness.value(), 0, 1e-4) << "and is plain";
    EXPECT_FALSE(alone.distance);
    const VideoMeasures beside = measureVideo(folder / "b", folder / "a", {});
    EXPECT_NEAR(beside.distance.value().psnr, 20 * std::log10(255.0 / 10), 1e-6);
    EXPECT_LT(beside.distance->ssim, 1);
    const VideoMeasures same = measureVideo(folder / "a", folder / "a", {});
    const auto psnr = std::ranges::find(measureRows(), "psnr_db", &MeasureRow::column);
    EXPECT_EQ(psnr->value(same), psnrOfEqual) << "it is infinite";
    makeJudgedRun(folder / "c", {.hasVideo = false});
    EXPECT_THROW(measureVideo(folder / "c", std::nullopt, {}), Error);
    StopSource stop;
    stop.request_stop();
    EXPECT_THROW(measureVideo(folder / "a", std::nullopt, stop.get_token()), Error);
}

TEST(VideoMeasures, AreTakenAgainstTheBaselineOfTheSameScene) {
    const testing::TemporaryFolder folder;
    makeJudgedRun(folder / "0", {.prompt = "ball", .steps = 10});
    makeJudgedRun(folder / "1", {.prompt = "cube", .steps = 10});
    makeJudgedRun(folder / "2", {.prompt = "ball", .steps = 20});
    makeJudgedRun(folder / "3", {.prompt = "cube", .steps = 20});
    makeJudgedRun(folder / "4", {.prompt = "cube", .steps = 20, .seed = 8});
    makeJudgedRun(folder / "5", {.prompt = "ball", .steps = 10, .devices = 2});
    std::vector<JudgedRun> runs;
    for (const char* name : {"0", "1", "2", "3", "4", "5"})
        runs.push_back(readJudgedRun(folder / name));
    const RatedRuns rated(runs);
    EXPECT_EQ(referenceOf(rated, 0, 0), std::nullopt) << "the baseline itself";
    EXPECT_EQ(referenceOf(rated, 1, 0), std::nullopt) << "of its setting, and of another scene";
    EXPECT_EQ(referenceOf(rated, 2, 0), 0U);
    EXPECT_EQ(referenceOf(rated, 3, 0), 1U) << "of the baseline's setting";
    EXPECT_EQ(referenceOf(rated, 4, 0), std::nullopt) << "no run of it has this seed";
    EXPECT_EQ(referenceOf(rated, 5, 0), 0U) << "what should be equal";
}

TEST(VideoMeasures, OfSeveralVideosAreTheirMeans) {
    const std::array<VideoMeasures, 2> two{
        VideoMeasures{.flicker = 1, .sharpness = {}, .distance = FrameDistance{.psnr = 30, .ssim = 0.9}},
        VideoMeasures{.flicker = 3, .sharpness = 8, .distance = {}}};
    const VideoMeasures both = together(two);
    EXPECT_DOUBLE_EQ(both.flicker.value(), 2);
    EXPECT_DOUBLE_EQ(both.sharpness.value(), 8);
    EXPECT_NEAR(both.distance.value().psnr, 30, 1e-9);
    EXPECT_FALSE(together({}).flicker);
    DataTable table{.columns = {"run"}, .rows = {{"a"}, {"b"}}};
    addMeasureColumns(table, std::array<std::optional<VideoMeasures>, 2>{two[0], std::nullopt});
    EXPECT_EQ(table.columns.size(), 1 + measureRows().size());
    EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][1]), 1);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][1]));
}

TEST(VideoMeasures, EachIsExplainedInASentence) {
    std::set<std::string> columns;
    for (const MeasureRow& row : measureRows()) {
        columns.emplace(row.column);
        EXPECT_FALSE(row.title.empty());
        EXPECT_TRUE(row.help.ends_with('.')) << row.column;
    }
    EXPECT_EQ(columns, (std::set<std::string>{"flicker", "sharpness", "psnr_db", "ssim"}));
}

}  // namespace
}  // namespace meshreel
