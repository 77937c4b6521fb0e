// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <numbers>
#include <optional>

#include "clips.h"
#include "engine/media/sound.h"
#include "engine/media/sound_samples.h"
#include "engine/media/video_writer.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr int wavRate = 16'000;
constexpr double hertz = 330;

double toneAt(std::size_t sample) {
    return 0.5 * std::sin(2 * std::numbers::pi * hertz * static_cast<double>(sample) / wavRate);
}

class ConvertedSound : public ::testing::TestWithParam<VideoFormat> {};

TEST_P(ConvertedSound, IsInStepWithTheVideo) {
    if (!EncodedSound::isOffered(GetParam()))
        GTEST_SKIP() << "this libavcodec compresses no sound for the format";
    const testing::TemporaryFolder folder;
    testing::writeWav(folder / "tone.wav", wavRate, 1, 2 * wavRate,
                      [](int sample, int) { return toneAt(static_cast<std::size_t>(sample)); });
    VideoOptions options;
    options.format = GetParam();
    options.sound = folder / "tone.wav";
    options.convertSound = true;  // where it is not copied
    const WrittenVideo written = writeVideo(folder / "clip", testing::walkingSquare(17), options);
    EXPECT_TRUE(written.note.empty()) << written.note.text();
    EXPECT_NEAR(soundSeconds(written.file), 17.0 / 16, 0.1) << "it ends with the last frame";
    const SoundSamples heard = readSound(written.file, wavRate);
    ASSERT_GT(heard.values.size(), std::size_t{wavRate});
    double worst = 0;
    for (std::size_t sample = 4'000; sample < 12'000; ++sample)
        worst = std::max(worst, std::abs(static_cast<double>(heard.values[sample]) - toneAt(sample)));
    EXPECT_LT(worst, 0.1) << "a sample of difference is 0.07";
}

INSTANTIATE_TEST_SUITE_P(Formats, ConvertedSound, ::testing::Values(VideoFormat::Mp4, VideoFormat::WebM),
                         [](const auto& parameter) {
                             return parameter.param == VideoFormat::Mp4 ? "Mp4" : "WebM";
                         });

TEST(EncodedSound, IsCopiedWhereItCanBeAndIsNotAskedForElsewhere) {
    const testing::TemporaryFolder folder;
    testing::writeWav(folder / "tone.wav", wavRate, 2, wavRate, [](int, int) { return 0.0; });
    VideoOptions options;
    options.format = VideoFormat::WebM;
    options.sound = folder / "tone.wav";
    const WrittenVideo silent = writeVideo(folder / "clip", testing::walkingSquare(5), options);
    EXPECT_THAT(silent.note, testing::Names("pcm_s16le"));
    EXPECT_FALSE(SoundTrack::open(silent.file).has_value());
    options.convertSound = true;
    options.format = VideoFormat::Gif;
    EXPECT_THAT(writeVideo(folder / "clip", testing::walkingSquare(5), options).note,
                testing::Names("pcm_s16le"));
}

}  // namespace
}  // namespace meshreel
