// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound.h"

#include "engine/base/error.h"
#include "engine/media/frame_source.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

// Formats that hold sound themselves, as ContainerSource has them for pictures.
constexpr const char* soundFormats =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,ogg,mp3,aac,flac,wav,gif,png_pipe,apng,jpeg_pipe,"
    "bmp_pipe,tiff_pipe,webp_pipe";

}  // namespace

SoundTrack::SoundTrack(BoundedInput input, int stream)
    : m_input(std::move(input)), m_stream(stream), m_packet(requireAllocated(PacketPtr(av_packet_alloc()))) {
    const int video = av_find_best_stream(m_input.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    const AVStream& first = *m_input->streams[video < 0 ? m_stream : video];
    if (first.start_time != AV_NOPTS_VALUE)
        m_start = av_rescale_q(first.start_time, first.time_base, timeBase());
}

std::optional<SoundTrack> SoundTrack::open(const fs::path& file) {
    requireMedium(file);
    if (fs::is_directory(file))
        return std::nullopt;
    BoundedInput input(file);
    int code = input.open(soundFormats);
    if (code >= 0)
        code = input.findStreams();
    if (code < 0)
        throw Error(ErrorKind::Input, sentence("its sound cannot be read ({})", libavReason(code)),
                    file.string(), sentence("Choose another file, or write audio: none"));
    const int stream = av_find_best_stream(input.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
    if (stream < 0)
        return std::nullopt;
    return SoundTrack(std::move(input), stream);
}

AVPacket* SoundTrack::next() {
    while (true) {
        av_packet_unref(m_packet.get());
        if (m_input.readPacket(*m_packet) < 0)
            return nullptr;
        if (m_packet->stream_index != m_stream || m_packet->pts == AV_NOPTS_VALUE)
            continue;
        m_packet->pts -= m_start;
        m_packet->dts = m_packet->dts == AV_NOPTS_VALUE ? m_packet->pts : m_packet->dts - m_start;
        if (m_packet->pts >= 0 && m_packet->dts >= 0)
            return m_packet.get();
    }
}

}  // namespace meshreel
