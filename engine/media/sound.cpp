// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound.h"

#include <algorithm>
#include <cstdint>
#include <utility>

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
    if (video < 0)
        m_start = std::max<std::int64_t>(m_start, 0);  // before 0 is what nobody hears
    if (codec().sample_rate > 0)
        m_last -=
            av_rescale_q_rnd(codec().initial_padding, {1, codec().sample_rate}, timeBase(), AV_ROUND_UP);
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

AVPacket* SoundTrack::nextStored() {
    while (true) {
        av_packet_unref(m_packet.get());
        m_end = m_input.readPacket(*m_packet);
        if (m_end < 0)
            return nullptr;
        if (m_packet->stream_index != m_stream)
            continue;
        if (m_packet->pts != AV_NOPTS_VALUE)
            m_packet->pts -= m_start;
        // Sound is shown in the order in which it is stored; writers refuse times that do not ascend.
        m_packet->dts = m_packet->pts;
        return m_packet.get();
    }
}

AVPacket* SoundTrack::next() {
    while (AVPacket* packet = nextStored())
        if (packet->pts != AV_NOPTS_VALUE && packet->pts > m_last) {
            m_last = packet->pts;
            return packet;
        }
    return nullptr;
}

namespace {

/// What a muxer writes, in memory.
class TrialOutput {
  public:
    explicit TrialOutput(const std::string& container) {
        quietLibav();
        avformat_alloc_output_context2(&m_output, nullptr, container.c_str(), nullptr);
        if (m_output != nullptr && avio_open_dyn_buf(&m_output->pb) < 0)
            m_output->pb = nullptr;
    }
    ~TrialOutput() {
        if (m_output == nullptr)
            return;
        if (m_output->pb != nullptr) {
            std::uint8_t* bytes = nullptr;
            avio_close_dyn_buf(m_output->pb, &bytes);
            av_free(bytes);
        }
        avformat_free_context(m_output);
    }
    TrialOutput(const TrialOutput&) = delete;
    TrialOutput& operator=(const TrialOutput&) = delete;

    [[nodiscard]] AVFormatContext* get() const {
        return m_output != nullptr && m_output->pb != nullptr ? m_output : nullptr;
    }

  private:
    AVFormatContext* m_output = nullptr;
};

}  // namespace

bool takesSound(const std::string& container, SoundTrack track) {
    constexpr int tried = 100;  // packets: the first ones identify the kind of sound
    const TrialOutput output(container);
    AVStream* stream = output.get() != nullptr ? avformat_new_stream(output.get(), nullptr) : nullptr;
    if (stream == nullptr || avcodec_parameters_copy(stream->codecpar, &track.codec()) < 0)
        return false;
    stream->codecpar->codec_tag = 0;
    stream->time_base = track.timeBase();
    if (avformat_write_header(output.get(), nullptr) < 0)
        return false;
    int code = 0;
    AVPacket* packet = track.next();
    for (int count = 0; code >= 0 && packet != nullptr && count < tried; ++count) {
        av_packet_rescale_ts(packet, track.timeBase(), stream->time_base);
        packet->stream_index = stream->index;
        packet->pos = -1;
        code = av_interleaved_write_frame(output.get(), packet);
        packet = track.next();
    }
    return av_write_trailer(output.get()) >= 0 && code >= 0;
}

}  // namespace meshreel
