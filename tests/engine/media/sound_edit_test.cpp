// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_edit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "engine/media/sound.h"
#include "engine/media/video_joining.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t toneRate = 48000;

template <typename T>
void append(std::string& bytes, T value) {
    for (std::size_t index = 0; index < sizeof(T); ++index)
        bytes += static_cast<char>((value >> (8 * index)) & 0xFF);
}

class SoundEdits : public ::testing::Test {
  protected:
    /// A tone of 440 Hz on two channels, in 16 bits.
    fs::path tone(double seconds) {
        const auto samples = static_cast<std::uint32_t>(seconds * toneRate);
        std::string data;
        for (std::uint32_t index = 0; index < samples; ++index) {
            const double value = 12000.0 * std::sin(2.0 * 3.14159265 * 440.0 * index / toneRate);
            for (int channel = 0; channel < 2; ++channel)
                append(data, static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(value))));
        }
        std::string bytes = "RIFF";
        append(bytes, static_cast<std::uint32_t>(36 + data.size()));
        bytes += "WAVEfmt ";
        append(bytes, std::uint32_t{16});
        append(bytes, std::uint16_t{1});
        append(bytes, std::uint16_t{2});
        append(bytes, toneRate);
        append(bytes, toneRate * 4);
        append(bytes, std::uint16_t{4});
        append(bytes, std::uint16_t{16});
        bytes += "data";
        append(bytes, static_cast<std::uint32_t>(data.size()));
        const fs::path file = m_folder.path() / "tone.wav";
        std::ofstream(file, std::ios::binary) << bytes + data;
        return file;
    }

    /// The end of a file's sound, in seconds, to a packet.
    static double soundSeconds(const fs::path& file) {
        std::optional<SoundTrack> track = SoundTrack::open(file);
        if (!track)
            return 0;
        double last = 0;
        while (const AVPacket* packet = track->next())
            last = static_cast<double>(packet->pts + packet->duration) * av_q2d(track->timeBase());
        return last;
    }

    double edited(const SoundEdit& edit, double seconds) {
        const fs::path file = m_folder.path() / "edited.mp4";
        writeEditedSound(edit, seconds, VideoFormat::Mp4, file);
        return soundSeconds(file);
    }

    static constexpr double packet = 0.05;
    testing::TemporaryFolder m_folder;
};

TEST_F(SoundEdits, PartsEndWithTheSoundOrTheVideo) {
    const fs::path file = tone(2);
    EXPECT_NEAR(edited({.file = file, .begin = 0.5}, 10), 1.5, packet);
    EXPECT_NEAR(edited({.file = file, .begin = 0.5, .end = 1.25}, 10), 0.75, packet);
    EXPECT_NEAR(edited({.file = file, .fadeOut = 0.5}, 1), 1, packet);
}

TEST_F(SoundEdits, LoopsLastAsLongAsTheVideo) {
    EXPECT_NEAR(edited({.file = tone(0.4), .loops = true}, 3), 3, packet);
}

TEST_F(SoundEdits, PartsThatAreNotThereAreRefused) {
    const fs::path file = tone(1);
    EXPECT_THROW(edited({.file = file, .begin = 2}, 3), Error);
    EXPECT_THROW(edited({.file = file, .begin = 2, .loops = true}, 3), Error);
    EXPECT_THROW(edited({.file = file, .begin = 0.5, .end = 0.25}, 3), Error);
    EXPECT_THROW(
        writeEditedSound({.file = file, .begin = 0.5}, 3, VideoFormat::Gif, m_folder.path() / "x.gif"),
        Error);
}

/// The encoded pictures stay as they are.
TEST_F(SoundEdits, VideosAreJoinedWithASound) {
    const fs::path sound = m_folder.path() / "sound.mp4";
    writeEditedSound({.file = tone(2), .fadeIn = 0.1}, 1, VideoFormat::Mp4, sound);
    const fs::path silent = m_folder.path() / "silent.mp4";
    VideoOptions options;
    options.fps = 8;
    static_cast<void>(writeVideo(silent, Tensor::zeros({8, 32, 32, 3}, DType::U8), options));
    options.sound = sound;
    const VideoPart part{.video = silent};
    const JoinedVideo joined = joinVideos(std::span(&part, 1), m_folder.path() / "joined.mp4", options);
    EXPECT_TRUE(joined.whyEncoded.empty());
    EXPECT_TRUE(joined.video.note.empty());
    EXPECT_NEAR(soundSeconds(joined.video.file), 1, packet);
}

}  // namespace
}  // namespace meshreel
