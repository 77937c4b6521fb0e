// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/media/bounded_input.h"
#include "engine/media/libav.h"

namespace meshreel {

/// The compressed sound of a file, to be copied under a video.
class SoundTrack {
  public:
    /// Returns nothing for a file without sound. Throws Error{Input} for one that cannot be read.
    static std::optional<SoundTrack> open(const std::filesystem::path& file);

    [[nodiscard]] const AVCodecParameters& codec() const { return *stream().codecpar; }
    /// "aac".
    [[nodiscard]] std::string codecName() const { return avcodec_get_name(codec().codec_id); }
    [[nodiscard]] AVRational timeBase() const { return stream().time_base; }

    /// Returns the next packet in timeBase(); 0 is where the file's video begins. What sounds before that is
    /// left out, but for what the decoder needs (AVCodecParameters::initial_padding), and so is what does not
    /// come later than the packet before. Null at the end.
    AVPacket* next();

    /// Returns the next packet as it is stored, for who decodes it: at the same times, which may be before 0
    /// or missing. Null at the end. Of one track either this or next() is called.
    AVPacket* nextStored();

    /// Returns whether the end that was reached is not the file's: what follows could not be read.
    [[nodiscard]] bool isCutShort() const { return m_end < 0 && m_end != AVERROR_EOF; }

  private:
    SoundTrack(BoundedInput input, int stream);
    [[nodiscard]] const AVStream& stream() const { return *m_input->streams[m_stream]; }

    BoundedInput m_input;
    int m_stream;
    std::int64_t m_start = 0;  // start of the video, in timeBase()
    std::int64_t m_last = -1;  // time of the previous packet
    int m_end = 0;             // libav's code behind the last packet
    PacketPtr m_packet;
};

/// Returns whether a container, by libavformat's name, takes the sound. Its tables promise more than its
/// writer does (FLAC in MP4 is "experimental"; MP3 of low rates is refused), so the sound's beginning is
/// written, into memory.
bool takesSound(const std::string& container, SoundTrack track);

}  // namespace meshreel
