// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/muxed_sound.h"

#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// WebM says itself how much of a sound's beginning is not heard (CodecDelay), and counts from before it; the
/// packets' times count from behind it. Left below 0, they would move the pictures.
std::int64_t countedBefore(const AVFormatContext& output, const AVCodecParameters& codec,
                           AVRational timeBase) {
    if (std::string_view(output.oformat->name) != "webm" || codec.sample_rate <= 0)
        return 0;
    return av_rescale_q(codec.initial_padding, {1, codec.sample_rate}, timeBase);
}

}  // namespace

MuxedSound::MuxedSound(AVFormatContext& output, Packets packets, fs::path file)
    : m_output(output),
      m_packets(std::move(packets)),
      m_file(std::move(file)),
      m_stream(requireAllocated(avformat_new_stream(&output, nullptr))) {
    if (const auto* const track = std::get_if<SoundTrack>(&m_packets))
        check(avcodec_parameters_copy(m_stream->codecpar, &track->codec()));
    else
        check(
            avcodec_parameters_from_context(m_stream->codecpar, &std::get<EncodedSound>(m_packets).codec()));
    m_stream->codecpar->codec_tag = 0;  // the container's own
    m_stream->time_base = timeBase();
    m_before = countedBefore(output, *m_stream->codecpar, timeBase());
    m_packet = next();
}

AVRational MuxedSound::timeBase() const {
    return std::visit([](const auto& packets) { return packets.timeBase(); }, m_packets);
}

AVPacket* MuxedSound::next() {
    return std::visit([](auto& packets) { return packets.next(); }, m_packets);
}

void MuxedSound::writeUntil(double seconds) {
    while (m_packet != nullptr && static_cast<double>(m_packet->pts) * av_q2d(timeBase()) < seconds) {
        m_packet->pts += m_before;
        m_packet->dts += m_before;
        av_packet_rescale_ts(m_packet, timeBase(), m_stream->time_base);
        m_packet->stream_index = m_stream->index;
        m_packet->pos = -1;
        check(av_interleaved_write_frame(&m_output, m_packet));
        m_packet = next();
    }
}

void MuxedSound::check(int code) const {
    if (code < 0)
        throwLibavWriteError(code, m_file);
}

}  // namespace meshreel
