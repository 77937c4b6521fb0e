// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "engine/media/libav.h"
#include "engine/media/video_writer.h"

namespace meshreel {

/// What compresses sound for the videos of a format.
struct SoundEncoderRow {
    VideoFormat format;
    const char* encoder;         ///< libavcodec's name
    AVSampleFormat samples;      ///< that it takes, a kind of float
    std::span<const int> rates;  ///< samples a second that it takes, 48000 among them
};

/// Returns the row of a format; null where the format holds no sound.
const SoundEncoderRow* soundEncoderFor(VideoFormat format);

/// A sound that is compressed anew, for a video that does not hold it as it is stored: of one channel.
class EncodedSound {
  public:
    /// Returns whether this system's libavcodec compresses sound for videos of the format.
    static bool isOffered(VideoFormat format);

    /// Reads the whole sound, for a format that isOffered(). Throws as readSound().
    EncodedSound(const std::filesystem::path& file, VideoFormat format);

    [[nodiscard]] const AVCodecContext& codec() const { return *m_codec; }
    [[nodiscard]] AVRational timeBase() const { return m_codec->time_base; }

    /// Returns the next packet in timeBase(); 0 is where the video begins, and the first ones may be before.
    /// Null at the end.
    AVPacket* next();

  private:
    void feed();
    void check(int code) const;

    std::filesystem::path m_file;
    std::vector<float> m_samples;
    std::size_t m_fed = 0;  // of them, to the encoder
    CodecPtr m_codec;
    PacketPtr m_packet;
};

}  // namespace meshreel
