// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/finish/finish.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/finish/finish_plan.h"
#include "engine/finish/frame_pairs.h"
#include "engine/media/sound_edit.h"
#include "engine/media/sound_samples.h"
#include "engine/media/video_reader.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/tensor.h"
#include "tests/support/locations.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t height = 48;
constexpr std::int64_t width = 64;

/// A bright square on a slope of grey, `offset` pixels to the right; the other scene is all speckles.
Tensor sceneFrame(std::int64_t offset, bool otherScene) {
    Tensor frame = Tensor::empty({height, width, 3}, DType::U8);
    for (std::int64_t place = 0; place < height * width; ++place) {
        const std::int64_t line = place / width;
        const std::int64_t column = place % width;
        const bool inSquare = line >= 16 && line < 32 && column >= 8 + offset && column < 24 + offset;
        const std::int64_t speckle = (line / 4 * 37 + column / 4 * 91) % 200;
        const std::int64_t grey = inSquare ? 230 : line * 2 + column;
        for (std::int64_t colour = 0; colour < 3; ++colour)
            frame.data<std::uint8_t>()[static_cast<std::size_t>(place * 3 + colour)] =
                static_cast<std::uint8_t>(otherScene ? speckle : grey);
    }
    return frame;
}

class Finishing : public ::testing::Test {
  protected:
    /// A video in which the square moves four pixels a frame; from `cut` on there is another scene.
    fs::path source(std::int64_t frames, std::int64_t cut = 1 << 20) {
        const fs::path file = m_folder.path() / "source.mp4";
        VideoOptions options;
        options.fps = 8.0;
        options.metadata = {{"title", "a square"}};
        VideoFile video(file, options);
        for (std::int64_t frame = 0; frame < frames; ++frame)
            video.add(sceneFrame(frame * 4 % 32, frame >= cut).reshaped({1, height, width, 3}));
        static_cast<void>(video.finish());
        return file;
    }

    FinishedVideo finish(
        const FinishPlan& plan, const FinishListener& listen = [](const FinishProgress&) {},
        const StopToken& stop = {}) {
        const Execution execution{m_pool, stop};
        return finishVideo(plan, execution, target(), listen);
    }

    [[nodiscard]] fs::path target() const { return m_folder.path() / "finished.mp4"; }

    WorkerPool m_pool{{.workers = 2}};
    testing::TemporaryFolder m_folder;
};

FinishSettings smoother(double factor) {
    return {.interpolate = factor, .interpolator = std::string(finish_name::blend)};
}

TEST_F(Finishing, FactorsMultiplyRateAndKeepTheLength) {
    const fs::path file = source(9);
    for (const double factor : {2.0, 3.0, 2.5}) {
        const FinishPlan plan = planFinish(file, smoother(factor));
        EXPECT_EQ(plan.outFrames, std::llround(9 * factor));
        const FinishedVideo finished = finish(plan);
        const VideoInfo info = probeVideo(finished.video);
        EXPECT_EQ(info.frames, plan.outFrames);
        EXPECT_NEAR(info.fps, 8 * factor, 1e-6);
        EXPECT_FALSE(info.variableRate);
        EXPECT_EQ(info.colour.matrix, "bt709");
        EXPECT_FALSE(fs::exists(finishFolder(target())));
    }
}

TEST_F(Finishing, FramesOfTheSourceKeepTheirPlaces) {
    const FinishPlan plan = planFinish(source(4), smoother(2.5));
    ASSERT_EQ(plan.outFrames, 10);
    EXPECT_EQ(plan.placeOf(0).frame, 0);
    EXPECT_EQ(plan.placeOf(0).part, 0);
    EXPECT_EQ(plan.placeOf(1).frame, 0);
    EXPECT_NEAR(plan.placeOf(1).part, 0.4, 1e-6);
    EXPECT_EQ(plan.placeOf(5).frame, 2);
    EXPECT_EQ(plan.placeOf(5).part, 0);
    // The last frame is shown to the end of its time.
    EXPECT_EQ(plan.placeOf(9).frame, 3);
    EXPECT_EQ(plan.placeOf(9).part, 0);
}

TEST_F(Finishing, CutsAndStillPicturesAreCopied) {
    EXPECT_EQ(compareFramePair(sceneFrame(0, false), sceneFrame(0, false)), FramePair::Equal);
    EXPECT_EQ(compareFramePair(sceneFrame(0, false), sceneFrame(8, false)), FramePair::Moving);
    EXPECT_EQ(compareFramePair(sceneFrame(0, false), sceneFrame(0, true)), FramePair::Cut);
    const FinishedVideo finished = finish(planFinish(source(6, 3), smoother(2)));
    EXPECT_EQ(finished.between.cuts, 1);
    EXPECT_EQ(finished.between.made, 2);    // in the first scene
    EXPECT_EQ(finished.between.copied, 3);  // at the cut, and in the second scene, where nothing moves
}

TEST_F(Finishing, PicturesAreEnlargedByTheFilterWithoutANetwork) {
    FinishSettings settings{.upscale = 2};
    settings.upscaler = std::string(finish_name::lanczos);
    const FinishedVideo finished = finish(planFinish(source(3), settings));
    const VideoInfo info = probeVideo(finished.video);
    EXPECT_EQ(info.width, 2 * width);
    EXPECT_EQ(info.height, 2 * height);
    EXPECT_EQ(info.frames, 3);
}

/// Tiny networks with random weights: the sizes and counts are right, whatever the pictures show.
TEST_F(Finishing, NetworksMakeFramesAndPictures) {
    const fs::path golden = testing::testData() / "golden";
    FinishSettings settings{.interpolate = 2, .upscale = 2};
    settings.interpolator = (golden / "rife_426" / "weights.safetensors").string();
    settings.upscaler = (golden / "srvgg_x4" / "weights.safetensors").string();
    const FinishPlan plan = planFinish(source(3), settings);
    ASSERT_TRUE(plan.rife);
    ASSERT_TRUE(plan.upscaler);
    EXPECT_EQ(plan.upscaler->scale, 4);
    EXPECT_FALSE(plan.remarks.empty());  // twice of a network that makes four times
    const FinishedVideo finished = finish(plan);
    const VideoInfo info = probeVideo(finished.video);
    EXPECT_EQ(info.frames, 6);
    EXPECT_EQ(info.width, 2 * width);
    EXPECT_EQ(finished.between.made, 2);
}

TEST_F(Finishing, TheFileKeepsItsTitleAndTheSettings) {
    const VideoInfo info = probeVideo(finish(planFinish(source(3), smoother(2))).video);
    EXPECT_EQ(info.metadata.at("title"), "a square");
    EXPECT_EQ(info.metadata.at(std::string(finishMetadataKey)),
              "meshreel finish --interpolate 2 --interpolator blend");
    FinishSettings silent = smoother(2);
    silent.tellsSettings = false;
    EXPECT_FALSE(planFinish(source(3), silent).metadata.contains(std::string(finishMetadataKey)));
}

/// 150 frames are two parts; the second one is interrupted.
TEST_F(Finishing, AnInterruptedVideoGoesOnBehindItsParts) {
    const FinishPlan plan = planFinish(source(150), smoother(2));
    ASSERT_EQ(plan.chunks.size(), 2U);
    StopSource stop;
    const auto stopInSecondPart = [&](const FinishProgress& progress) {
        if (progress.framesDone > plan.chunks.front().count + 3)
            stop.request_stop();
    };
    EXPECT_THROW(static_cast<void>(finish(plan, stopInSecondPart, stop.get_token())), Error);
    EXPECT_FALSE(fs::exists(target()));
    // As a run that goes on writes its video anew.
    fs::last_write_time(plan.source, fs::last_write_time(plan.source) + std::chrono::seconds(10));
    const FinishedVideo finished = finish(plan);
    EXPECT_EQ(finished.keptFrames, plan.chunks.front().count);
    EXPECT_EQ(finished.frames, plan.outFrames);
    EXPECT_EQ(probeVideo(finished.video).frames, plan.outFrames);
    const Tensor resumed = readVideo(finished.video);
    const Tensor whole = readVideo(finish(plan).video);
    EXPECT_TRUE(std::ranges::equal(resumed.data<std::uint8_t>(), whole.data<std::uint8_t>()));
}

TEST_F(Finishing, PartsOfAnotherPlanAreNotTaken) {
    const fs::path file = source(150);
    const FinishPlan plan = planFinish(file, smoother(2));
    StopSource stop;
    const auto stopAfterOnePart = [&](const FinishProgress& progress) {
        if (progress.framesDone > plan.chunks.front().count)
            stop.request_stop();
    };
    EXPECT_THROW(static_cast<void>(finish(plan, stopAfterOnePart, stop.get_token())), Error);
    FinishSettings other = smoother(2);
    other.quality = 50;
    EXPECT_EQ(finish(planFinish(file, other)).keptFrames, 0);
}

TEST_F(Finishing, PartsOfAnotherSourceAreNotTaken) {
    const FinishPlan plan = planFinish(source(150), smoother(2));
    StopSource stop;
    const auto stopAfterOnePart = [&](const FinishProgress& progress) {
        if (progress.framesDone > plan.chunks.front().count)
            stop.request_stop();
    };
    EXPECT_THROW(static_cast<void>(finish(plan, stopAfterOnePart, stop.get_token())), Error);
    EXPECT_EQ(finish(planFinish(source(150, 100), smoother(2))).keptFrames, 0);
}

/// AAC, which WebM does not hold; the sound of the source is as long as the video.
TEST_F(Finishing, SoundIsKeptInEveryFormat) {
    const fs::path tone = m_folder.path() / "tone.wav";
    testing::writeWav(tone, 44'100, 2, 44'100, [](int sample, int) { return sample % 100 / 200.0; });
    FinishSettings sounding = smoother(2);
    sounding.sound = SoundEdit{.file = tone, .fadeOut = 0.25};
    const FinishedVideo heard = finish(planFinish(source(8), sounding));
    EXPECT_NEAR(soundSeconds(heard.video), 1, 0.1);
    fs::rename(heard.video, m_folder.path() / "heard.mp4");
    FinishSettings other = smoother(2);
    const FinishPlan same = planFinish(m_folder.path() / "heard.mp4", other);
    EXPECT_FALSE(same.soundEdit);
    EXPECT_NEAR(soundSeconds(finish(same).video), 1, 0.1);
    other.format = VideoFormat::WebM;
    const FinishPlan web = planFinish(m_folder.path() / "heard.mp4", other);
    EXPECT_TRUE(web.soundEdit);
    EXPECT_FALSE(web.remarks.empty());
    const FinishedVideo inWebM = finish(web);
    EXPECT_EQ(inWebM.video.extension(), ".webm");
    EXPECT_EQ(inWebM.note.text(), "");
    EXPECT_NEAR(soundSeconds(inWebM.video), 1, 0.1);
    other.keepsSound = false;
    EXPECT_EQ(soundSeconds(finish(planFinish(m_folder.path() / "heard.mp4", other)).video), 0);
}

TEST_F(Finishing, WhatCannotBeDoneIsRefused) {
    const fs::path file = source(3);
    EXPECT_THROW(static_cast<void>(planFinish(file, {})), Error);                  // nothing asked for
    EXPECT_THROW(static_cast<void>(planFinish(file, {.interpolate = 2})), Error);  // by what?
    EXPECT_THROW(static_cast<void>(planFinish(file, smoother(0.5))), Error);
    EXPECT_THROW(static_cast<void>(planFinish(file, smoother(std::nan("")))), Error);
    FinishSettings swapped{.interpolate = 2};
    swapped.interpolator = (testing::testData() / "golden" / "esrgan_x4" / "weights.safetensors").string();
    EXPECT_THROW(static_cast<void>(planFinish(file, swapped)), Error);
    const FinishPlan plan = planFinish(file, smoother(2));
    const Execution execution{m_pool, {}};
    EXPECT_THROW(static_cast<void>(finishVideo(plan, execution, file, [](const FinishProgress&) {})), Error);
}

}  // namespace
}  // namespace meshreel
