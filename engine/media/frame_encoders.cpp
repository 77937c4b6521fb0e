// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_encoders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/media/frame_source.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"
#include "engine/media/palette.h"
#include "engine/media/sound.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

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
    fs::path sound{};    ///< a file; empty: none
    double seconds = 0;  ///< where the sound is cut off
};

/// Encodes frames into one file. One encoder thread and bit-exact muxing: equal frames give equal bytes.
class ContainerWriter {
  public:
    /// Throws Error{Project} when the encoder refuses the settings, Error{Input} when the file cannot be
    /// created.
    ContainerWriter(const fs::path& file, const StreamSettings& settings)
        : m_file(file), m_packet(requireAllocated(PacketPtr(av_packet_alloc()))) {
        quietLibav();
        AVFormatContext* output = nullptr;
        if (avformat_alloc_output_context2(&output, nullptr, settings.container.c_str(),
                                           fileUrl(file).c_str()) < 0)
            throw Error(ErrorKind::Project,
                        sentence("this system's libavformat cannot write {}", settings.container), {},
                        sentence("Choose another video format"));
        m_output.reset(output);
        openEncoder(settings);
        openFile(settings);
    }

    void write(AVFrame& frame) {
        copySound(static_cast<double>(m_frames) * av_q2d(m_encoder->time_base));
        frame.pts = m_frames++;
        frame.pict_type = AV_PICTURE_TYPE_NONE;
        encode(&frame);
    }

    /// Flushes the encoder and completes the file; without it the file is worthless.
    void finish() {
        encode(nullptr);
        copySound(m_seconds);
        check(av_write_trailer(m_output.get()));
        avio_flush(m_output->pb);
        check(m_output->pb->error);  // a full disk shows here: muxers do not look at every write
        check(avio_closep(&m_output->pb));
    }

  private:
    struct OutputDeleter {
        void operator()(AVFormatContext* output) const {
            avio_closep(&output->pb);
            avformat_free_context(output);
        }
    };

    void openEncoder(const StreamSettings& settings) {
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
        constexpr double keyFrameSeconds = 2.0;  // a player seeks at most this far back
        m_encoder->gop_size =
            std::max(1, static_cast<int>(std::lround(keyFrameSeconds * av_q2d(settings.rate))));
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

    void openFile(const StreamSettings& settings) {
        m_stream = avformat_new_stream(m_output.get(), nullptr);
        if (m_stream == nullptr)
            check(AVERROR(ENOMEM));
        check(avcodec_parameters_from_context(m_stream->codecpar, m_encoder.get()));
        m_stream->time_base = m_encoder->time_base;
        m_stream->avg_frame_rate = settings.rate;
        if (!settings.sound.empty())
            openSound(settings);
        m_output->metadata = LibavDictionary(settings.metadata).release();
        m_output->flags |= AVFMT_FLAG_BITEXACT;

        check(avio_open(&m_output->pb, fileUrl(m_file).c_str(), AVIO_FLAG_WRITE));
        LibavDictionary options(settings.containerOptions);
        check(avformat_write_header(m_output.get(), options.get()));
    }

    void openSound(const StreamSettings& settings) {
        m_sound = SoundTrack::open(settings.sound);
        m_seconds = settings.seconds;
        m_soundStream = m_sound ? avformat_new_stream(m_output.get(), nullptr) : nullptr;
        if (m_soundStream == nullptr)
            return;
        check(avcodec_parameters_copy(m_soundStream->codecpar, &m_sound->codec()));
        m_soundStream->codecpar->codec_tag = 0;  // the container's own
        m_soundStream->time_base = m_sound->timeBase();
        m_soundPacket = m_sound->next();
    }

    /// What sounds before this time of the video.
    void copySound(double seconds) {
        const double until = std::min(seconds, m_seconds);
        while (m_soundPacket != nullptr &&
               static_cast<double>(m_soundPacket->pts) * av_q2d(m_sound->timeBase()) < until) {
            av_packet_rescale_ts(m_soundPacket, m_sound->timeBase(), m_soundStream->time_base);
            m_soundPacket->stream_index = m_soundStream->index;
            m_soundPacket->pos = -1;
            check(av_interleaved_write_frame(m_output.get(), m_soundPacket));
            m_soundPacket = m_sound->next();
        }
    }

    void encode(const AVFrame* frame) {
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

    void check(int code) const {
        if (code < 0)
            throwLibavWriteError(code, m_file);
    }

    fs::path m_file;
    std::unique_ptr<AVFormatContext, OutputDeleter> m_output;
    CodecPtr m_encoder;
    AVStream* m_stream = nullptr;  // owned by m_output
    PacketPtr m_packet;
    std::int64_t m_frames = 0;
    std::optional<SoundTrack> m_sound;
    AVStream* m_soundStream = nullptr;  // owned by m_output
    AVPacket* m_soundPacket = nullptr;  // the next one, owned by m_sound
    double m_seconds = 0;               // of the video, where the sound is cut off
};

constexpr double minFps = 0.1;
constexpr double maxFps = 1000.0;
constexpr double ntscTolerance = 0.005;  // 23.976, 23.98, 29.97, 59.94 as people write them
constexpr int maxRateTerm = 1001000;

/// How an encoder spells quality: its own scale at our 0 and 100, interpolated between.
struct TaggedVideoRow {
    VideoFormat format;
    double crfAtWorst;
    double crfAtBest;
    std::map<std::string, std::string> encoderOptions;
    std::map<std::string, std::string> containerOptions;
};

const TaggedVideoRow& taggedVideoRow(VideoFormat format) {
    static const std::array<TaggedVideoRow, 2> rows{{
        // x264's macroblock tree reads memory that it never wrote: with it, equal frames give different
        // bytes.
        {VideoFormat::Mp4,
         40.0,
         8.0,
         {{"preset", "medium"}, {"mbtree", "0"}},
         {{"movflags", "+faststart+use_metadata_tags"}}},
        {VideoFormat::WebM, 60.0, 8.0, {{"b", "0"}, {"deadline", "good"}, {"cpu-used", "3"}}, {}},
    }};
    return *std::ranges::find(rows, format, &TaggedVideoRow::format);
}

StreamSettings settingsFor(VideoFormat format, const Tensor& frames, const VideoOptions& options) {
    const VideoFormatInfo& info = videoFormatInfo(format);
    StreamSettings settings;
    settings.container = info.container;
    settings.encoder = info.encoder;
    settings.height = static_cast<int>(frames.extent(1));
    settings.width = static_cast<int>(frames.extent(2));
    settings.rate = exactRate(options.fps);
    return settings;
}

std::span<const std::uint8_t> frameBytes(const Tensor& frames, std::int64_t index) {
    return frames.slice(index, index + 1).data<std::uint8_t>();
}

/// Opens the file, passes every frame through `convert` (index to AVFrame&) and completes it.
template <typename Convert>
void encodeAll(const fs::path& file, const Tensor& frames, const StreamSettings& settings,
               Convert&& convert) {
    ContainerWriter writer(file, settings);
    for (std::int64_t t = 0; t < frames.extent(0); ++t)
        writer.write(convert(frameBytes(frames, t)));
    writer.finish();
}

void encodeConverted(const fs::path& file, const Tensor& frames, const StreamSettings& settings,
                     const Colourimetry& colour) {
    PixelConverter converter(PixelConverter::Direction::FromRgb, settings.width, settings.height,
                             settings.pixelFormat, colour);
    encodeAll(file, frames, settings,
              [&](std::span<const std::uint8_t> rgb) -> AVFrame& { return converter.fromRgb(rgb); });
}

/// ARGB words, opaque, followed by fully transparent ones: the encoder marks unchanged pixels with the
/// latter.
void storePalette(const std::vector<Rgb>& palette, AVFrame& frame) {
    std::array<std::uint32_t, AVPALETTE_COUNT> words{};
    std::ranges::transform(palette, words.begin(), [](const Rgb& colour) {
        return 0xFF000000U | std::uint32_t{colour.red} << 16U | std::uint32_t{colour.green} << 8U |
               colour.blue;
    });
    std::memcpy(frame.data[1], words.data(), sizeof(words));
}

}  // namespace

AVRational exactRate(double fps) {
    if (!(fps >= minFps && fps <= maxFps))
        throw Error(ErrorKind::Project, sentence("{} frames a second cannot be written", fps), "fps",
                    sentence("Choose a rate from {} to {}", minFps, maxFps));
    const double nominal = std::ceil(fps);
    const double ntsc = nominal * 1000.0 / 1001.0;
    if (fps != nominal && nominal >= 24.0 && std::fabs(fps - ntsc) < ntscTolerance)
        return {static_cast<int>(nominal) * 1000, 1001};
    return av_d2q(fps, maxRateTerm);
}

void encodeTaggedVideo(const fs::path& file, const Tensor& frames, VideoFormat format,
                       const VideoOptions& options) {
    const TaggedVideoRow& row = taggedVideoRow(format);
    StreamSettings settings = settingsFor(format, frames, options);
    settings.pixelFormat = AV_PIX_FMT_YUV420P;
    settings.tagged = true;
    settings.metadata = options.metadata;
    settings.sound = options.sound;
    settings.seconds = static_cast<double>(frames.extent(0)) / av_q2d(settings.rate);
    settings.containerOptions = row.containerOptions;
    settings.encoderOptions = row.encoderOptions;
    const double quality = static_cast<double>(options.quality) / maxVideoQuality;
    const double crf = row.crfAtWorst + (row.crfAtBest - row.crfAtWorst) * quality;
    settings.encoderOptions["crf"] = std::to_string(std::lround(crf));
    encodeConverted(file, frames, settings, {AVCOL_SPC_BT709, AVCOL_RANGE_MPEG, AVCHROMA_LOC_LEFT});
}

void encodeWebP(const fs::path& file, const Tensor& frames, const VideoOptions& options) {
    StreamSettings settings = settingsFor(VideoFormat::WebP, frames, options);
    settings.pixelFormat = AV_PIX_FMT_RGB32;  // libwebp does its own conversion, always BT.601
    settings.containerOptions = {{"loop", "0"}};
    settings.encoderOptions = {{"quality", std::to_string(options.quality)}};
    encodeConverted(file, frames, settings, {});
}

void encodeGif(const fs::path& file, const Tensor& frames, const VideoOptions& options) {
    StreamSettings settings = settingsFor(VideoFormat::Gif, frames, options);
    settings.pixelFormat = AV_PIX_FMT_PAL8;
    settings.containerOptions = {{"loop", "0"}};
    PaletteMapper mapper(makePalette(frames.data<std::uint8_t>()));
    FramePtr frame;
    encodeAll(file, frames, settings, [&](std::span<const std::uint8_t> rgb) -> AVFrame& {
        frame = makeFrame(settings.width, settings.height, settings.pixelFormat);
        mapper.map(rgb, settings.width, frame->data[0], frame->linesize[0]);
        storePalette(mapper.palette(), *frame);
        return *frame;
    });
}

void encodePngFolder(const fs::path& folder, const Tensor& frames) {
    std::error_code failure;
    fs::create_directory(folder, failure);
    if (failure)
        throw Error(ErrorKind::Input,
                    sentence("the folder of frames could not be created ({})", failure.message()),
                    folder.string(), sentence("Choose a folder that exists and that you may write to"));
    const Shape imageShape{frames.extent(1), frames.extent(2), frames.extent(3)};
    for (std::int64_t t = 0; t < frames.extent(0); ++t)
        writePng(folder / frameFileName(t), frames.slice(t, t + 1).reshaped(imageShape));
}

}  // namespace meshreel
