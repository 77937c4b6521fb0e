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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/frame_folder.h"
#include "engine/media/image.h"
#include "engine/media/libav.h"
#include "engine/media/muxed_sound.h"
#include "engine/media/palette.h"
#include "engine/media/sound.h"
#include "engine/media/sound_encoder.h"

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
    fs::path sound{};                       ///< a file; empty: none
    std::optional<VideoFormat> soundFor{};  ///< it is compressed anew for that; else it is copied
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
        writeSound();
        frame.pts = m_frames++;
        frame.pict_type = AV_PICTURE_TYPE_NONE;
        encode(&frame);
    }

    /// Flushes the encoder and completes the file; without it the file is worthless.
    void finish() {
        encode(nullptr);
        writeSound();
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
        if (settings.soundFor)
            m_sound.emplace(*m_output, EncodedSound(settings.sound, *settings.soundFor), m_file);
        else if (std::optional<SoundTrack> track = SoundTrack::open(settings.sound))
            m_sound.emplace(*m_output, *std::move(track), m_file);
    }

    /// The length of the frames written so far.
    [[nodiscard]] double seconds() const {
        return static_cast<double>(m_frames) * av_q2d(m_encoder->time_base);
    }

    /// The sound ends with the last frame.
    void writeSound() {
        if (m_sound)
            m_sound->writeUntil(seconds());
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
    std::optional<MuxedSound> m_sound;
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

StreamSettings settingsFor(VideoFormat format, const Shape& frames, const VideoOptions& options) {
    const VideoFormatInfo& info = videoFormatInfo(format);
    StreamSettings settings;
    settings.container = info.container;
    settings.encoder = info.encoder;
    settings.height = static_cast<int>(frames[1]);
    settings.width = static_cast<int>(frames[2]);
    settings.rate = exactRate(options.fps);
    return settings;
}

std::span<const std::uint8_t> frameBytes(const Tensor& frames, std::int64_t index) {
    return frames.slice(index, index + 1).data<std::uint8_t>();
}

/// MP4, WebM and WebP: a frame is in the file as soon as the encoder gives it back.
class ConvertingEncoder final : public FrameEncoder {
  public:
    ConvertingEncoder(const fs::path& file, const StreamSettings& settings, const Colourimetry& colour)
        : m_converter(PixelConverter::Direction::FromRgb, settings.width, settings.height,
                      settings.pixelFormat, colour),
          m_writer(file, settings) {}

    void add(const Tensor& frames) override {
        for (std::int64_t t = 0; t < frames.extent(0); ++t)
            m_writer.write(m_converter.fromRgb(frameBytes(frames, t)));
    }

    void finish() override { m_writer.finish(); }

  private:
    PixelConverter m_converter;
    ContainerWriter m_writer;
};

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

/// One palette for the whole clip, which is why nothing can be written before its last frame is known.
class GifEncoder final : public FrameEncoder {
  public:
    GifEncoder(const fs::path& file, const StreamSettings& settings)
        : m_settings(settings), m_writer(file, settings) {}

    void add(const Tensor& frames) override { m_parts.push_back(frames); }

    void finish() override {
        std::vector<std::span<const std::uint8_t>> pixels;
        for (const Tensor& part : m_parts)
            pixels.push_back(part.data<std::uint8_t>());
        PaletteMapper mapper(makePalette(pixels));
        for (const Tensor& part : m_parts)
            for (std::int64_t t = 0; t < part.extent(0); ++t) {
                const FramePtr frame = makeFrame(m_settings.width, m_settings.height, m_settings.pixelFormat);
                mapper.map(frameBytes(part, t), m_settings.width, frame->data[0], frame->linesize[0]);
                storePalette(mapper.palette(), *frame);
                m_writer.write(*frame);
            }
        m_writer.finish();
    }

  private:
    StreamSettings m_settings;
    ContainerWriter m_writer;
    std::vector<Tensor> m_parts;
};

/// A file for each frame.
class PngEncoder final : public FrameEncoder {
  public:
    explicit PngEncoder(fs::path folder) : m_folder(std::move(folder)) {}

    void add(const Tensor& frames) override {
        const Shape image{frames.extent(1), frames.extent(2), frames.extent(3)};
        for (std::int64_t t = 0; t < frames.extent(0); ++t)
            writePng(m_folder / frameFileName(m_written++), frames.slice(t, t + 1).reshaped(image));
    }

    void finish() override {}

  private:
    fs::path m_folder;
    std::int64_t m_written = 0;
};

std::unique_ptr<FrameEncoder> openTagged(const fs::path& file, VideoFormat format, const Shape& frames,
                                         const VideoOptions& options) {
    const TaggedVideoRow& row = taggedVideoRow(format);
    StreamSettings settings = settingsFor(format, frames, options);
    settings.pixelFormat = AV_PIX_FMT_YUV420P;
    settings.tagged = true;
    settings.metadata = options.metadata;
    settings.sound = options.sound;
    if (options.convertSound)
        settings.soundFor = format;
    settings.containerOptions = row.containerOptions;
    settings.encoderOptions = row.encoderOptions;
    const double quality = static_cast<double>(options.quality) / maxVideoQuality;
    const double crf = row.crfAtWorst + (row.crfAtBest - row.crfAtWorst) * quality;
    settings.encoderOptions["crf"] = std::to_string(std::lround(crf));
    return std::make_unique<ConvertingEncoder>(
        file, settings, Colourimetry{AVCOL_SPC_BT709, AVCOL_RANGE_MPEG, AVCHROMA_LOC_LEFT});
}

std::unique_ptr<FrameEncoder> openWebP(const fs::path& file, const Shape& frames,
                                       const VideoOptions& options) {
    StreamSettings settings = settingsFor(VideoFormat::WebP, frames, options);
    settings.pixelFormat = AV_PIX_FMT_RGB32;  // libwebp does its own conversion, always BT.601
    settings.containerOptions = {{"loop", "0"}};
    settings.encoderOptions = {{"quality", std::to_string(options.quality)}};
    return std::make_unique<ConvertingEncoder>(file, settings, Colourimetry{});
}

std::unique_ptr<FrameEncoder> openGif(const fs::path& file, const Shape& frames,
                                      const VideoOptions& options) {
    StreamSettings settings = settingsFor(VideoFormat::Gif, frames, options);
    settings.pixelFormat = AV_PIX_FMT_PAL8;
    settings.containerOptions = {{"loop", "0"}};
    return std::make_unique<GifEncoder>(file, settings);
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

std::unique_ptr<FrameEncoder> openEncoder(const fs::path& place, VideoFormat format, const Shape& frames,
                                          const VideoOptions& options) {
    switch (format) {
        case VideoFormat::Mp4:
        case VideoFormat::WebM:
            return openTagged(place, format, frames, options);
        case VideoFormat::Gif:
            return openGif(place, frames, options);
        case VideoFormat::WebP:
            return openWebP(place, frames, options);
        case VideoFormat::Png:
            return std::make_unique<PngEncoder>(place);
    }
    throw Error(ErrorKind::Internal, "a video format has no encoder");
}

}  // namespace meshreel
