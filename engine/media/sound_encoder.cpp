// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_encoder.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
}

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/media/sound_samples.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr int encodedRate = 48'000;
constexpr std::int64_t encodedBitsPerSecond = 128'000;

constexpr std::array aacRates{96'000, 88'200, 64'000, 48'000, 44'100, 32'000, 24'000,
                              22'050, 16'000, 12'000, 11'025, 8'000,  7'350};
constexpr std::array opusRates{48'000, 24'000, 16'000, 12'000, 8'000};

constexpr std::array<SoundEncoderRow, 2> soundEncoders{{
    {VideoFormat::Mp4, "aac", AV_SAMPLE_FMT_FLTP, aacRates},
    {VideoFormat::WebM, "libopus", AV_SAMPLE_FMT_FLT, opusRates},
}};

}  // namespace

const SoundEncoderRow* soundEncoderFor(VideoFormat format) {
    const auto* row = std::ranges::find(soundEncoders, format, &SoundEncoderRow::format);
    return row == soundEncoders.end() ? nullptr : row;
}

bool EncodedSound::isOffered(VideoFormat format) {
    const SoundEncoderRow* row = soundEncoderFor(format);
    return row != nullptr && avcodec_find_encoder_by_name(row->encoder) != nullptr;
}

EncodedSound::EncodedSound(const fs::path& file, VideoFormat format)
    : m_file(file),
      m_samples(readSound(file, encodedRate).values),
      m_packet(requireAllocated(PacketPtr(av_packet_alloc()))) {
    const SoundEncoderRow& row = *soundEncoderFor(format);
    const AVCodec* const encoder = avcodec_find_encoder_by_name(row.encoder);
    m_codec = requireAllocated(CodecPtr(avcodec_alloc_context3(encoder)));
    m_codec->sample_rate = encodedRate;
    m_codec->sample_fmt = row.samples;
    m_codec->bit_rate = encodedBitsPerSecond;
    m_codec->time_base = {1, encodedRate};
    m_codec->thread_count = 1;
    m_codec->flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER;
    av_channel_layout_default(&m_codec->ch_layout, 1);
    check(avcodec_open2(m_codec.get(), encoder, nullptr));
}

AVPacket* EncodedSound::next() {
    while (true) {
        av_packet_unref(m_packet.get());
        const int code = avcodec_receive_packet(m_codec.get(), m_packet.get());
        if (code == AVERROR_EOF)
            return nullptr;
        if (code != AVERROR(EAGAIN)) {
            check(code);
            return m_packet.get();
        }
        feed();
    }
}

void EncodedSound::feed() {
    const std::size_t left = m_samples.size() - m_fed;
    if (left == 0) {
        check(avcodec_send_frame(m_codec.get(), nullptr));
        return;
    }
    const std::size_t count = std::min(left, static_cast<std::size_t>(std::max(1, m_codec->frame_size)));
    const FramePtr frame = requireAllocated(FramePtr(av_frame_alloc()));
    frame->nb_samples = static_cast<int>(count);
    frame->format = m_codec->sample_fmt;
    frame->sample_rate = encodedRate;
    frame->pts = static_cast<std::int64_t>(m_fed);
    check(av_channel_layout_copy(&frame->ch_layout, &m_codec->ch_layout));
    check(av_frame_get_buffer(frame.get(), 0));
    std::copy_n(m_samples.begin() + static_cast<std::ptrdiff_t>(m_fed), count,
                reinterpret_cast<float*>(frame->data[0]));
    m_fed += count;
    check(avcodec_send_frame(m_codec.get(), frame.get()));
}

void EncodedSound::check(int code) const {
    if (code < 0)
        throw Error(
            ErrorKind::Input, sentence("its sound cannot be converted ({})", libavReason(code)),
            m_file.string(),
            sentence("Choose another sound, such as a WAV, MP3 or M4A file, or write this one again"));
}

}  // namespace meshreel
