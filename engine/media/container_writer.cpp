// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/container_writer.h"

#include <algorithm>
#include <cmath>

#include "engine/base/sentence.h"

namespace meshreel {
namespace {

constexpr double keyFrameSeconds = 2.0;  // a player seeks at most this far back

}  // namespace

void ContainerWriter::OutputDeleter::operator()(AVFormatContext* output) const {
    avio_closep(&output->pb);
    avformat_free_context(output);
}

ContainerWriter::ContainerWriter(const std::filesystem::path& file, const StreamSettings& settings)
    : m_file(file), m_packet(requireAllocated(PacketPtr(av_packet_alloc()))) {
    quietLibav();
    AVFormatContext* output = nullptr;
    if (avformat_alloc_output_context2(&output, nullptr, settings.container.c_str(), fileUrl(file).c_str()) <
        0)
        throw Error(ErrorKind::Project,
                    sentence("this system's libavformat cannot write {}", settings.container), {},
                    sentence("Choose another video format"));
    m_output.reset(output);
    openEncoder(settings);
    openFile(settings);
}

ContainerWriter::~ContainerWriter() = default;

void ContainerWriter::openEncoder(const StreamSettings& settings) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(settings.encoder.c_str());
    if (encoder == nullptr)
        throw Error(ErrorKind::Project,
                    sentence("this system's libavcodec has no encoder {}", settings.encoder), {},
                    sentence("Choose another video format"));
    m_encoder = requireAllocated(CodecPtr(avcodec_alloc_context3(encoder)));
    m_encoder->width = settings.width;
    m_encoder->height = settings.height;
    m_encoder->pix_fmt = settings.pixelFormat;
    m_encoder->time_base = av_inv_q(settings.rate);
    m_encoder->framerate = settings.rate;
    m_encoder->sample_aspect_ratio = {1, 1};
    m_encoder->gop_size = std::max(1, static_cast<int>(std::lround(keyFrameSeconds * av_q2d(settings.rate))));
    m_encoder->thread_count = 1;
    m_encoder->flags |= AV_CODEC_FLAG_BITEXACT;
    if (settings.tagged) {
        m_encoder->colorspace = AVCOL_SPC_BT709;
        m_encoder->color_primaries = AVCOL_PRI_BT709;
        m_encoder->color_trc = AVCOL_TRC_BT709;
        m_encoder->color_range = AVCOL_RANGE_MPEG;
        m_encoder->chroma_sample_location = AVCHROMA_LOC_LEFT;
    }
    if ((m_output->oformat->flags & AVFMT_GLOBALHEADER) != 0)
        m_encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;

    LibavDictionary options(settings.encoderOptions);
    if (const int code = avcodec_open2(m_encoder.get(), encoder, options.get()); code < 0)
        throw Error(ErrorKind::Project,
                    sentence("the encoder {} refuses {}x{} ({})", settings.encoder, settings.width,
                             settings.height, libavReason(code)),
                    {}, sentence("Choose another size or video format"));
}

void ContainerWriter::openFile(const StreamSettings& settings) {
    m_stream = avformat_new_stream(m_output.get(), nullptr);
    if (m_stream == nullptr)
        check(AVERROR(ENOMEM));
    check(avcodec_parameters_from_context(m_stream->codecpar, m_encoder.get()));
    m_stream->time_base = m_encoder->time_base;
    m_stream->avg_frame_rate = settings.rate;
    m_output->metadata = LibavDictionary(settings.metadata).release();
    m_output->flags |= AVFMT_FLAG_BITEXACT;

    check(avio_open(&m_output->pb, fileUrl(m_file).c_str(), AVIO_FLAG_WRITE));
    LibavDictionary options(settings.containerOptions);
    check(avformat_write_header(m_output.get(), options.get()));
}

void ContainerWriter::check(int code) const {
    if (code < 0)
        throwLibavWriteError(code, m_file);
}

void ContainerWriter::encode(const AVFrame* frame) {
    check(avcodec_send_frame(m_encoder.get(), frame));
    while (true) {
        const int code = avcodec_receive_packet(m_encoder.get(), m_packet.get());
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return;
        check(code);
        av_packet_rescale_ts(m_packet.get(), m_encoder->time_base, m_stream->time_base);
        m_packet->stream_index = m_stream->index;
        check(av_interleaved_write_frame(m_output.get(), m_packet.get()));
    }
}

void ContainerWriter::write(AVFrame& frame) {
    frame.pts = m_frames++;
    frame.pict_type = AV_PICTURE_TYPE_NONE;
    encode(&frame);
}

void ContainerWriter::finish() {
    encode(nullptr);
    check(av_write_trailer(m_output.get()));
    avio_flush(m_output->pb);
    check(m_output->pb->error);  // a full disk shows here: muxers do not look at every write
    check(avio_closep(&m_output->pb));
}

}  // namespace meshreel
