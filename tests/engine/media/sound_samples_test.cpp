// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>

#include "clips.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/video_writer.h"
#include "tests/support/locations.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr int speechRate = 16'000;

double sineAt(int sample, int rate, double hertz) {
    return 0.5 * std::sin(2 * std::numbers::pi * hertz * sample / rate);
}

TEST(SoundSamples, ASineKeepsItsPlaceAtAnotherRate) {
    const testing::TemporaryFolder folder;
    for (const int rate : {8'000, 11'025, 44'100, 48'000, 96'000}) {
        SCOPED_TRACE(rate);
        testing::writeWav(folder / "sine.wav", rate, 1, rate,
                          [&](int sample, int) { return sineAt(sample, rate, 440); });
        const SoundSamples sound = readSound(folder / "sine.wav", speechRate);
        EXPECT_EQ(sound.rate, speechRate);
        ASSERT_EQ(sound.values.size(), std::size_t{speechRate});
        double worst = 0;
        constexpr int edge = 400;  // within reach of the filter
        for (int sample = edge; sample < speechRate - edge; ++sample)
            worst =
                std::max(worst, std::abs(static_cast<double>(sound.values[static_cast<std::size_t>(sample)]) -
                                         sineAt(sample, speechRate, 440)));
        EXPECT_LT(worst, 2e-3);
    }
}

TEST(SoundSamples, TheSameRateIsNotResampled) {
    const testing::TemporaryFolder folder;
    testing::writeWav(folder / "steps.wav", speechRate, 1, 1000,
                      [](int sample, int) { return sample / 1000.0; });
    const SoundSamples sound = readSound(folder / "steps.wav", speechRate);
    ASSERT_EQ(sound.values.size(), 1000U);
    for (int sample = 0; sample < 1000; ++sample)
        EXPECT_EQ(sound.values[static_cast<std::size_t>(sample)],
                  static_cast<float>(std::lround(sample / 1000.0 * 32767.0)) / 32768.0F);
}

TEST(SoundSamples, ChannelsAreAveraged) {
    const testing::TemporaryFolder folder;
    testing::writeWav(folder / "against.wav", speechRate, 2, speechRate, [](int sample, int channel) {
        return (channel == 0 ? 1 : -1) * sineAt(sample, speechRate, 200);
    });
    const SoundSamples silent = readSound(folder / "against.wav", speechRate);
    EXPECT_LT(std::ranges::max(silent.values), 1e-4F);
    testing::writeWav(folder / "left.wav", speechRate, 2, speechRate,
                      [](int, int channel) { return channel == 0 ? 0.5 : 0.0; });
    const SoundSamples half = readSound(folder / "left.wav", speechRate);
    EXPECT_NEAR(half.values[speechRate / 2], 0.25F, 1e-4F);
}

TEST(SoundSamples, AClickIsHeardWhenItIsMade) {
    const testing::TemporaryFolder folder;
    constexpr int rate = 48'000;
    testing::writeWav(folder / "click.wav", rate, 1, 2 * rate,
                      [](int sample, int) { return sample >= rate && sample < rate + 48 ? 0.9 : 0.0; });
    const SoundSamples sound = readSound(folder / "click.wav", speechRate);
    const auto loudest = std::ranges::max_element(sound.values) - sound.values.begin();
    EXPECT_GE(loudest, speechRate - 2);
    EXPECT_LE(loudest, speechRate + 18);
}

TEST(SoundSamples, TheSoundOfAVideoIsReadFromItsBeginning) {
    const fs::path video = testing::testData() / "media" / "sound.mp4";  // 2 s of 440 Hz
    const SoundSamples sound = readSound(video, speechRate);
    EXPECT_NEAR(sound.seconds(), 2.0, 0.1);
    EXPECT_NEAR(soundSeconds(video), 2.0, 0.1);
    int rising = 0;  // in one second of it
    for (std::size_t sample = 4'001; sample <= 20'000; ++sample)
        rising += sound.values[sample - 1] < 0 && sound.values[sample] >= 0 ? 1 : 0;
    EXPECT_NEAR(rising, 440, 2);
}

TEST(SoundSamples, TheLengthIsThatOfTheSamples) {
    const testing::TemporaryFolder folder;
    testing::writeWav(folder / "long.wav", 22'050, 2, 22'050 * 3 / 2, [](int, int) { return 0.0; });
    EXPECT_NEAR(soundSeconds(folder / "long.wav"), 1.5, 1e-3);
    EXPECT_NEAR(readSound(folder / "long.wav", speechRate).seconds(), 1.5, 1e-3);
}

TEST(SoundSamples, FilesWithoutSoundAreRefused) {
    const testing::TemporaryFolder folder;
    const WrittenVideo silent = writeVideo(folder / "silent", testing::walkingSquare(3), {});
    EXPECT_EQ(soundSeconds(silent.file), 0.0);
    const auto noSound =
        testing::refusalOf(ErrorKind::Input, [&] { static_cast<void>(readSound(silent.file, speechRate)); });
    EXPECT_EQ(noSound.where(), silent.file.string());
    writeFileAtomically(folder / "notes.txt", "This is no sound.");
    EXPECT_TRUE(testing::refusalOf(ErrorKind::Input,
                                   [&] { static_cast<void>(readSound(folder / "notes.txt", speechRate)); }));
}

}  // namespace
}  // namespace meshreel
