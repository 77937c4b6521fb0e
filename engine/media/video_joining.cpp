// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/video_joining.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/media/frame_source.h"
#include "engine/media/image_resize.h"
#include "engine/media/libav.h"
#include "engine/media/muxed_sound.h"
#include "engine/media/sound.h"
#include "engine/media/video_reader.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

struct JoinInputDeleter {
    void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
};

struct JoinOutputDeleter {
    void operator()(AVFormatContext* output) const {
        avio_closep(&output->pb);
        avformat_free_context(output);
    }
};

/// The encoded pictures of a file of MP4 or WebM.
class PictureStream {
  public:
    explicit PictureStream(const fs::path& file) : m_file(file) {
        quietLibav();
        AVFormatContext* input = nullptr;
        check(avformat_open_input(&input, fileUrl(file).c_str(), nullptr, nullptr));
        m_input.reset(input);
        check(avformat_find_stream_info(input, nullptr));
        const int index = av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
        check(index);
        m_stream = input->streams[index];
    }

    [[nodiscard]] const AVCodecParameters& codec() const { return *m_stream->codecpar; }
    [[nodiscard]] AVRational rate() const { return m_stream->avg_frame_rate; }
    [[nodiscard]] AVRational timeBase() const { return m_stream->time_base; }

    /// How long before it is shown the first picture is decoded, which the encoder chose by the pictures of
    /// the file: parts must agree, so that each decodes behind the one before. Reads the first packet.
    std::int64_t delay() {
        const PacketPtr packet = requireAllocated(PacketPtr(av_packet_alloc()));
        return next(*packet) ? packet->pts - packet->dts : 0;
    }

    /// The next packet of the pictures; false behind the last.
    bool next(AVPacket& packet) {
        while (true) {
            const int code = av_read_frame(m_input.get(), &packet);
            if (code == AVERROR_EOF)
                return false;
            check(code);
            if (packet.stream_index == m_stream->index)
                return true;
            av_packet_unref(&packet);
        }
    }

  private:
    void check(int code) const {
        if (code < 0)
            throw Error(ErrorKind::Input, sentence("the video cannot be read ({})", libavReason(code)),
                        m_file.string(), sentence("Make this part again"));
    }

    fs::path m_file;
    std::unique_ptr<AVFormatContext, JoinInputDeleter> m_input;
    const AVStream* m_stream = nullptr;  // owned by m_input
};

bool sameCodec(const AVCodecParameters& one, const AVCodecParameters& other) {
    return one.codec_id == other.codec_id && one.width == other.width && one.height == other.height &&
           one.format == other.format && one.extradata_size == other.extradata_size &&
           std::equal(one.extradata, one.extradata + one.extradata_size, other.extradata);
}

/// Why the encoded pictures cannot be copied; empty when they can.
Sentence whyNotCopied(std::span<const VideoPart> parts, const VideoOptions& options) {
    if (std::ranges::any_of(parts, [](const VideoPart& part) { return part.dropped > 0; }))
        return sentence("frames that two parts share are left out");
    if (options.format != VideoFormat::Mp4 && options.format != VideoFormat::WebM)
        return sentence("{} keeps all pictures in one piece", videoFormatInfo(options.format).title);
    const fs::path extension = videoFormatInfo(options.format).extension;
    for (const VideoPart& part : parts)
        if (part.video.extension() != extension)
            return sentence("{} is of another format", part.video.filename().string());
    PictureStream first(parts.front().video);
    const std::int64_t delay = first.delay();
    for (const VideoPart& part : parts.subspan(1)) {
        PictureStream other(part.video);
        if (!sameCodec(first.codec(), other.codec()) ||
            av_compare_ts(delay, first.timeBase(), other.delay(), other.timeBase()) != 0)
            return sentence("{} was encoded otherwise than the first part", part.video.string());
        if (av_cmp_q(first.rate(), other.rate()) != 0)
            return sentence("{} has another rate than the first part", part.video.string());
    }
    return {};
}

/// Writes the packets of the parts one after the other.
std::int64_t copyPictures(std::span<const VideoPart> parts, const fs::path& file,
                          const VideoOptions& options) {
    const auto check = [&](int code) {
        if (code < 0)
            throwLibavWriteError(code, file);
    };
    const std::string container(videoFormatInfo(options.format).container);
    AVFormatContext* made = nullptr;
    check(avformat_alloc_output_context2(&made, nullptr, container.c_str(), fileUrl(file).c_str()));
    const std::unique_ptr<AVFormatContext, JoinOutputDeleter> output(made);
    AVStream* stream = requireAllocated(avformat_new_stream(made, nullptr));
    const PictureStream first(parts.front().video);
    const AVRational rate = first.rate();
    check(avcodec_parameters_copy(stream->codecpar, &first.codec()));
    stream->codecpar->codec_tag = 0;  // the container's own
    stream->time_base = first.timeBase();
    stream->avg_frame_rate = rate;
    std::optional<MuxedSound> sound;
    if (!options.sound.empty())
        if (std::optional<SoundTrack> track = SoundTrack::open(options.sound))
            sound.emplace(*made, *std::move(track), file);
    made->metadata = LibavDictionary(options.metadata).release();
    made->flags |= AVFMT_FLAG_BITEXACT;
    check(avio_open(&made->pb, fileUrl(file).c_str(), AVIO_FLAG_WRITE));
    LibavDictionary settings;
    if (options.format == VideoFormat::Mp4)
        settings.set("movflags", "+faststart+use_metadata_tags");
    check(avformat_write_header(made, settings.get()));

    const PacketPtr packet = requireAllocated(PacketPtr(av_packet_alloc()));
    std::int64_t frames = 0;
    for (const VideoPart& part : parts) {
        PictureStream pictures(part.video);
        const std::int64_t begin = av_rescale_q(frames, av_inv_q(rate), stream->time_base);
        while (pictures.next(*packet)) {
            av_packet_rescale_ts(packet.get(), pictures.timeBase(), stream->time_base);
            packet->pts += begin;
            packet->dts += begin;
            packet->stream_index = stream->index;
            packet->pos = -1;
            check(av_interleaved_write_frame(made, packet.get()));
            ++frames;
            if (sound)
                sound->writeUntil(static_cast<double>(frames) * av_q2d(av_inv_q(rate)));
        }
    }
    check(av_write_trailer(made));
    avio_flush(made->pb);
    check(made->pb->error);
    check(avio_closep(&made->pb));
    return frames;
}

/// Takes the frames of parts one after the other, and holds back those that the next part passes over from.
class FrameJoin {
  public:
    explicit FrameJoin(VideoFile& video) : m_video(video) {}

    /// `nextBlended`: of the part behind it.
    void add(const VideoPart& part, std::int64_t nextBlended) {
        const std::deque<Tensor> before = std::exchange(m_held, {});
        const auto blended = std::min<std::int64_t>(std::ssize(before), part.blended);
        const std::int64_t first = part.dropped - blended;
        const std::unique_ptr<FrameSource> source = openFrameSource(part.video);
        Tensor frame = Tensor::empty({source->info().height, source->info().width, 3}, DType::U8);
        std::int64_t index = 0;
        for (; source->read(frame.data<std::uint8_t>()); ++index) {
            if (index < first)
                continue;
            const Tensor own = fitted(frame);
            put(index < part.dropped ? blendedFrame(before[static_cast<std::size_t>(index - first)], own,
                                                    index - first, blended)
                                     : own,
                nextBlended);
        }
        // A part that is shorter than what it should drop passes over from less.
        for (index = std::max(index, first); index < part.dropped; ++index)
            put(before[static_cast<std::size_t>(index - first)], nextBlended);
    }

    /// Returns how many frames there were.
    std::int64_t finish() {
        while (!m_held.empty())
            write();
        return m_frames;
    }

  private:
    [[nodiscard]] Tensor fitted(const Tensor& frame) {
        if (m_size.rank() == 0)
            m_size = frame.shape();
        return frame.shape() == m_size ? frame.clone()
                                       : resizeImage(frame, m_size[0], m_size[1], Resampling::Lanczos);
    }

    void put(Tensor frame, std::int64_t held) {
        m_held.push_back(std::move(frame));
        while (std::ssize(m_held) > held)
            write();
    }

    void write() {
        m_video.add(m_held.front().reshaped({1, m_size[0], m_size[1], 3}));
        m_held.pop_front();
        ++m_frames;
    }

    VideoFile& m_video;
    Shape m_size;  // of the first frame
    std::deque<Tensor> m_held;
    std::int64_t m_frames = 0;
};

/// Decodes the parts and encodes them as one, a frame at a time.
std::int64_t encodeParts(std::span<const VideoPart> parts, VideoFile& video) {
    FrameJoin join(video);
    for (std::size_t index = 0; index < parts.size(); ++index)
        join.add(parts[index], index + 1 < parts.size() ? parts[index + 1].blended : 0);
    return join.finish();
}

}  // namespace

Tensor blendedFrame(const Tensor& before, const Tensor& after, std::int64_t index, std::int64_t blended) {
    const std::int64_t steps = blended + 1;
    const std::int64_t passed = index + 1;
    Tensor frame = Tensor::empty(after.shape(), DType::U8);
    std::ranges::transform(before.data<std::uint8_t>(), after.data<std::uint8_t>(),
                           frame.data<std::uint8_t>().begin(), [=](std::uint8_t one, std::uint8_t other) {
                               const std::int64_t sum = (steps - passed) * one + passed * other;
                               return static_cast<std::uint8_t>((sum + steps / 2) / steps);
                           });
    return frame;
}

JoinedVideo joinVideos(std::span<const VideoPart> parts, const fs::path& file, const VideoOptions& options) {
    JoinedVideo joined;
    joined.whyEncoded = whyNotCopied(parts, options);
    if (!joined.whyEncoded.empty()) {
        VideoFile video(file, options);
        joined.frames = encodeParts(parts, video);
        joined.video = video.finish();
        return joined;
    }
    joined.video = {.file = withVideoExtension(file, options.format), .format = options.format, .note = {}};
    VideoOptions copied = options;
    if (const Sentence reason = soundRefusal(options.sound, options.format); !reason.empty()) {
        copied.sound.clear();
        joined.video.note = sentence("The video has no sound: {}.", reason);
    }
    TemporaryBeside part(joined.video.file, TemporaryBeside::Kind::File);
    joined.frames = copyPictures(parts, part.path(), copied);
    part.putIntoPlace();
    return joined;
}

}  // namespace meshreel
