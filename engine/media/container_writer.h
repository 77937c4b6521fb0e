// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "engine/media/libav.h"

namespace meshreel {

/// All that an encoder and its container need to know before the first frame.
struct StreamSettings {
    std::string container;
    std::string encoder;
    int width = 0;
    int height = 0;
    AVRational rate{};
    AVPixelFormat pixelFormat = AV_PIX_FMT_NONE;
    bool tagged = false;  ///< tags the stream as BT.709, limited range
    std::map<std::string, std::string> encoderOptions;
    std::map<std::string, std::string> containerOptions;
    std::map<std::string, std::string> metadata;
};

/// Encodes frames into one file. One encoder thread and bit-exact muxing: equal frames give equal bytes.
class ContainerWriter {
  public:
    /// Throws Error{Project} when the encoder refuses the settings, Error{Input} when the file cannot be
    /// created.
    ContainerWriter(const std::filesystem::path& file, const StreamSettings& settings);
    ~ContainerWriter();
    ContainerWriter(const ContainerWriter&) = delete;
    ContainerWriter& operator=(const ContainerWriter&) = delete;

    void write(AVFrame& frame);

    /// Flushes the encoder and completes the file; without it the file is worthless.
    void finish();

  private:
    struct OutputDeleter {
        void operator()(AVFormatContext* output) const;
    };

    void openEncoder(const StreamSettings& settings);
    void openFile(const StreamSettings& settings);
    void encode(const AVFrame* frame);
    void check(int code) const;

    std::filesystem::path m_file;
    std::unique_ptr<AVFormatContext, OutputDeleter> m_output;
    CodecPtr m_encoder;
    AVStream* m_stream = nullptr;  // owned by m_output
    PacketPtr m_packet;
    std::int64_t m_frames = 0;
};

}  // namespace meshreel
