// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <variant>

#include "engine/media/libav.h"
#include "engine/media/sound.h"
#include "engine/media/sound_encoder.h"

namespace meshreel {

/// A sound on its way into a file that libavformat writes: as it is stored, or compressed anew.
class MuxedSound {
  public:
    using Packets = std::variant<SoundTrack, EncodedSound>;

    /// Adds a stream to `output`, whose header is not written yet and which outlives this; `file` is for
    /// messages.
    MuxedSound(AVFormatContext& output, Packets packets, std::filesystem::path file);

    /// Writes what sounds before this time of the video and was not written yet. Throws as
    /// throwLibavWriteError(), and as EncodedSound::next() does.
    void writeUntil(double seconds);

  private:
    [[nodiscard]] AVRational timeBase() const;
    [[nodiscard]] AVPacket* next();
    void check(int code) const;

    AVFormatContext& m_output;
    Packets m_packets;
    std::filesystem::path m_file;
    AVStream* m_stream = nullptr;  // owned by m_output
    std::int64_t m_before = 0;     // what is added to times, in timeBase()
    AVPacket* m_packet = nullptr;  // the next one, owned by m_packets
};

}  // namespace meshreel
