// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_edit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/bounded_input.h"
#include "engine/media/frame_source.h"
#include "engine/media/libav.h"
#include "engine/media/sound.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Samples between -1 and 1: one vector a channel, all of one length.
using SoundBlock = std::vector<std::vector<float>>;

[[noreturn]] void refuseSoundEdit(const fs::path& file, Sentence why) {
    throw Error(ErrorKind::Input, std::move(why), file.string(), sentence("Choose another sound file"));
}

const fs::path& requireSoundFile(const fs::path& file) {
    requireMedium(file);
    if (fs::is_directory(file))
        refuseSoundEdit(file, sentence("a folder has no sound"));
    return file;
}

/// One sample. Whole numbers stand for the range of their type.
float sampleOf(AVSampleFormat packed, std::size_t place, const std::uint8_t* data) {
    switch (packed) {
        case AV_SAMPLE_FMT_U8:
            return (static_cast<float>(data[place]) - 128.0F) / 128.0F;
        case AV_SAMPLE_FMT_S16:
            return static_cast<float>(reinterpret_cast<const std::int16_t*>(data)[place]) / 32768.0F;
        case AV_SAMPLE_FMT_S32:
            return static_cast<float>(reinterpret_cast<const std::int32_t*>(data)[place]) / 2147483648.0F;
        case AV_SAMPLE_FMT_FLT:
            return reinterpret_cast<const float*>(data)[place];
        case AV_SAMPLE_FMT_DBL:
            return static_cast<float>(reinterpret_cast<const double*>(data)[place]);
        default:
            return std::numeric_limits<float>::quiet_NaN();
    }
}

/// The sound of a file, decoded from its beginning.
class DecodedSound {
  public:
    explicit DecodedSound(const fs::path& file)
        : m_file(requireSoundFile(file)),
          m_input(file),
          m_packet(requireAllocated(PacketPtr(av_packet_alloc()))),
          m_frame(requireAllocated(FramePtr(av_frame_alloc()))) {
        check(m_input.open(soundFormats));
        check(m_input.findStreams());
        m_stream = av_find_best_stream(m_input.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
        if (m_stream < 0)
            refuseSoundEdit(file, sentence("it has no sound"));
        const AVStream& stream = *m_input->streams[m_stream];
        const AVCodec* decoder = avcodec_find_decoder(stream.codecpar->codec_id);
        if (decoder == nullptr)
            refuseSoundEdit(file, sentence("this system's libavcodec does not decode {}",
                                           avcodec_get_name(stream.codecpar->codec_id)));
        m_decoder = requireAllocated(CodecPtr(avcodec_alloc_context3(decoder)));
        check(avcodec_parameters_to_context(m_decoder.get(), stream.codecpar));
        m_decoder->pkt_timebase = stream.time_base;
        m_decoder->thread_count = 1;
        check(avcodec_open2(m_decoder.get(), decoder, nullptr));
        if (rate() <= 0 || channels() == 0)
            refuseSoundEdit(file, sentence("it does not say how its sound is sampled"));
    }

    [[nodiscard]] int rate() const { return m_decoder->sample_rate; }
    [[nodiscard]] std::size_t channels() const {
        return static_cast<std::size_t>(std::max(m_decoder->ch_layout.nb_channels, 0));
    }
    [[nodiscard]] const AVChannelLayout& layout() const { return m_decoder->ch_layout; }

    /// Returns how long the file says that it lasts; nothing when it does not.
    [[nodiscard]] std::optional<double> seconds() const {
        if (m_input->duration <= 0)
            return std::nullopt;
        return static_cast<double>(m_input->duration) / AV_TIME_BASE;
    }

    /// The next samples; false behind the last.
    bool read(SoundBlock& block) {
        while (true) {
            const int code = avcodec_receive_frame(m_decoder.get(), m_frame.get());
            if (code == AVERROR_EOF)
                return false;
            if (code != AVERROR(EAGAIN)) {
                check(code);
                take(block);
                return true;
            }
            feed();
        }
    }

  private:
    void feed() {
        while (true) {
            av_packet_unref(m_packet.get());
            if (m_input.readPacket(*m_packet) < 0) {
                check(avcodec_send_packet(m_decoder.get(), nullptr));
                return;
            }
            if (m_packet->stream_index == m_stream) {
                check(avcodec_send_packet(m_decoder.get(), m_packet.get()));
                return;
            }
        }
    }

    void take(SoundBlock& block) const {
        const auto format = static_cast<AVSampleFormat>(m_frame->format);
        const AVSampleFormat packed = av_get_packed_sample_fmt(format);
        const bool isPlanar = av_sample_fmt_is_planar(format) != 0;
        const std::size_t count = channels();
        if (static_cast<std::size_t>(std::max(m_frame->ch_layout.nb_channels, 0)) != count ||
            m_frame->sample_rate != rate() || std::isnan(sampleOf(packed, 0, silence.data())))
            refuseSoundEdit(m_file, sentence("its sound changes its form, or has one that is not read"));
        block.assign(count, std::vector<float>(static_cast<std::size_t>(m_frame->nb_samples)));
        for (std::size_t channel = 0; channel < count; ++channel)
            for (std::size_t index = 0; index < block[channel].size(); ++index)
                block[channel][index] =
                    isPlanar ? sampleOf(packed, index, m_frame->extended_data[channel])
                             : sampleOf(packed, index * count + channel, m_frame->extended_data[0]);
    }

    void check(int code) const {
        if (code < 0)
            refuseSoundEdit(m_file, sentence("its sound cannot be read ({})", libavReason(code)));
    }

    alignas(8) static constexpr std::array<std::uint8_t, 8> silence{};  // a sample of any type

    fs::path m_file;
    BoundedInput m_input;
    int m_stream = -1;
    CodecPtr m_decoder;
    PacketPtr m_packet;
    FramePtr m_frame;
};

/// The samples that are left of a sound when what is before and behind the edit's part is cut off, once or
/// over and over.
class TrimmedSound {
  public:
    explicit TrimmedSound(const SoundEdit& edit)
        : m_edit(edit), m_source(std::make_unique<DecodedSound>(edit.file)) {
        m_begin = samples(edit.begin);
        if (edit.end)
            m_end = samples(*edit.end);
        if (m_begin < 0 || m_end <= m_begin)
            refuseSoundEdit(edit.file, sentence("the part of the sound has no length"));
    }

    [[nodiscard]] const DecodedSound& source() const { return *m_source; }
    [[nodiscard]] std::int64_t samples(double seconds) const {
        return std::llround(seconds * static_cast<double>(m_source->rate()));
    }

    /// Returns how many samples one pass gives, as far as the file says.
    [[nodiscard]] std::int64_t length() const {
        const std::optional<double> seconds = m_source->seconds();
        const std::int64_t end = seconds ? std::min(m_end, samples(*seconds)) : m_end;
        return std::max<std::int64_t>(end - m_begin, 0);
    }

    bool read(SoundBlock& block) {
        while (true) {
            if (m_place >= m_end || !m_source->read(block)) {
                if (!m_edit.loops)
                    return false;
                if (!m_gave)
                    refuseSoundEdit(m_edit.file,
                                    sentence("the sound ends before the part that is asked for"));
                m_source = std::make_unique<DecodedSound>(m_edit.file);
                m_place = 0;
                m_gave = false;
                continue;
            }
            const auto count = static_cast<std::int64_t>(block.front().size());
            const std::int64_t from = std::clamp<std::int64_t>(m_begin - m_place, 0, count);
            const std::int64_t to = std::clamp<std::int64_t>(m_end - m_place, from, count);
            m_place += count;
            if (to == from)
                continue;
            for (std::vector<float>& channel : block) {
                channel.resize(static_cast<std::size_t>(to));
                channel.erase(channel.begin(), channel.begin() + from);
            }
            m_gave = true;
            return true;
        }
    }

  private:
    const SoundEdit& m_edit;
    std::unique_ptr<DecodedSound> m_source;
    std::int64_t m_begin = 0;
    std::int64_t m_end = std::numeric_limits<std::int64_t>::max();
    std::int64_t m_place = 0;  // samples of this pass that were read
    bool m_gave = false;       // this pass gave some
};

struct SoundCoding {
    VideoFormat format;
    const char* encoder;    ///< libavcodec's name
    const char* container;  ///< libavformat's name
};

constexpr std::array soundCodings{SoundCoding{VideoFormat::Mp4, "aac", "mp4"},
                                  SoundCoding{VideoFormat::WebM, "libopus", "webm"}};

/// Encodes samples into a file without pictures.
class SoundFile {
  public:
    SoundFile(const fs::path& file, const SoundCoding& coding, const DecodedSound& like)
        : m_file(file), m_packet(requireAllocated(PacketPtr(av_packet_alloc()))) {
        quietLibav();
        AVFormatContext* output = nullptr;
        check(avformat_alloc_output_context2(&output, nullptr, coding.container, fileUrl(file).c_str()));
        m_output.reset(output);
        openEncoder(coding, like);
        m_stream = requireAllocated(avformat_new_stream(m_output.get(), nullptr));
        check(avcodec_parameters_from_context(m_stream->codecpar, m_encoder.get()));
        m_stream->time_base = m_encoder->time_base;
        m_output->flags |= AVFMT_FLAG_BITEXACT;
        check(avio_open(&m_output->pb, fileUrl(file).c_str(), AVIO_FLAG_WRITE));
        check(avformat_write_header(m_output.get(), nullptr));
    }

    void add(const SoundBlock& block) {
        m_waiting.resize(block.size());
        for (std::size_t channel = 0; channel < block.size(); ++channel)
            m_waiting[channel].insert(m_waiting[channel].end(), block[channel].begin(), block[channel].end());
        while (!m_waiting.empty() && m_waiting.front().size() >= frameSamples())
            encodeSamples(frameSamples());
    }

    void finish() {
        if (!m_waiting.empty() && !m_waiting.front().empty())
            encodeSamples(m_waiting.front().size());
        encode(nullptr);
        check(av_write_trailer(m_output.get()));
        avio_flush(m_output->pb);
        check(m_output->pb->error);
        check(avio_closep(&m_output->pb));
    }

  private:
    struct OutputDeleter {
        void operator()(AVFormatContext* output) const {
            avio_closep(&output->pb);
            avformat_free_context(output);
        }
    };

    void openEncoder(const SoundCoding& coding, const DecodedSound& like) {
        const AVCodec* encoder = avcodec_find_encoder_by_name(coding.encoder);
        if (encoder == nullptr)
            throw Error(ErrorKind::Project,
                        sentence("this system's libavcodec has no encoder {}", coding.encoder), {},
                        sentence("Add the sound without trimming, fading or looping it, or choose another "
                                 "video format"));
        constexpr std::int64_t bitsOfChannel =
            96'000;  // a second, at which AAC and Opus sound as their source
        m_encoder = requireAllocated(CodecPtr(avcodec_alloc_context3(encoder)));
        m_encoder->sample_fmt =
            std::string_view(coding.encoder) == "aac" ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_FLT;
        m_encoder->sample_rate = like.rate();
        m_encoder->bit_rate = bitsOfChannel * static_cast<std::int64_t>(like.channels());
        m_encoder->time_base = {1, like.rate()};
        m_encoder->thread_count = 1;
        m_encoder->flags |= AV_CODEC_FLAG_BITEXACT;
        if (like.layout().order == AV_CHANNEL_ORDER_UNSPEC)
            av_channel_layout_default(&m_encoder->ch_layout, static_cast<int>(like.channels()));
        else
            check(av_channel_layout_copy(&m_encoder->ch_layout, &like.layout()));
        if ((m_output->oformat->flags & AVFMT_GLOBALHEADER) != 0)
            m_encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        if (const int code = avcodec_open2(m_encoder.get(), encoder, nullptr); code < 0)
            throw Error(
                ErrorKind::Project,
                sentence("the encoder {} refuses {} channels of {} samples a second ({})", coding.encoder,
                         like.channels(), like.rate(), libavReason(code)),
                {},
                sentence("Use a sound of 48000 samples a second with one or two channels, or choose MP4"));
    }

    [[nodiscard]] std::size_t frameSamples() const {
        constexpr std::size_t usual = 1024;  // of encoders that take any number
        return m_encoder->frame_size > 0 ? static_cast<std::size_t>(m_encoder->frame_size) : usual;
    }

    void encodeSamples(std::size_t count) {
        const FramePtr frame = requireAllocated(FramePtr(av_frame_alloc()));
        frame->nb_samples = static_cast<int>(count);
        frame->format = m_encoder->sample_fmt;
        frame->sample_rate = m_encoder->sample_rate;
        check(av_channel_layout_copy(&frame->ch_layout, &m_encoder->ch_layout));
        check(av_frame_get_buffer(frame.get(), 0));
        const bool isPlanar = av_sample_fmt_is_planar(m_encoder->sample_fmt) != 0;
        const std::size_t channels = m_waiting.size();
        for (std::size_t channel = 0; channel < channels; ++channel) {
            std::vector<float>& waiting = m_waiting[channel];
            auto* to = reinterpret_cast<float*>(frame->extended_data[isPlanar ? channel : 0]);
            for (std::size_t index = 0; index < count; ++index)
                to[isPlanar ? index : index * channels + channel] = waiting[index];
            waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
        }
        frame->pts = m_samples;
        m_samples += static_cast<std::int64_t>(count);
        encode(frame.get());
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
    SoundBlock m_waiting;
    std::int64_t m_samples = 0;
};

/// Makes samples from `first` on louder and softer: from silence over `fadeIn` samples, and to silence over
/// the `fadeOut` samples before `end`.
void fadeSamples(SoundBlock& block, std::int64_t first, std::int64_t fadeIn, std::int64_t fadeOut,
                 std::int64_t end) {
    for (std::vector<float>& channel : block)
        for (std::size_t index = 0; index < channel.size(); ++index) {
            const std::int64_t place = first + static_cast<std::int64_t>(index);
            double loudness = 1.0;
            if (place < fadeIn)
                loudness *= static_cast<double>(place) / static_cast<double>(fadeIn);
            if (end - place < fadeOut)
                loudness *= std::max(static_cast<double>(end - place) / static_cast<double>(fadeOut), 0.0);
            channel[index] *= static_cast<float>(loudness);
        }
}

}  // namespace

void writeEditedSound(const SoundEdit& edit, double seconds, VideoFormat format, const fs::path& file) {
    const auto* const coding = std::ranges::find(soundCodings, format, &SoundCoding::format);
    if (coding == soundCodings.end())
        throw Error(ErrorKind::Project, sentence("{} has no sound", tableText(videoFormatInfo(format).title)),
                    {}, sentence("Choose MP4 or WebM"));
    TrimmedSound sound(edit);
    const std::int64_t total = sound.samples(seconds);
    const std::int64_t end = edit.loops ? total : std::min(total, sound.length());
    if (end <= 0)
        refuseSoundEdit(edit.file, sentence("the sound ends before the part that is asked for"));
    const std::int64_t fadeIn = sound.samples(edit.fadeIn);
    const std::int64_t fadeOut = sound.samples(edit.fadeOut);
    SoundFile written(file, *coding, sound.source());
    SoundBlock block;
    for (std::int64_t done = 0; done < end && sound.read(block);) {
        for (std::vector<float>& channel : block)
            channel.resize(std::min(channel.size(), static_cast<std::size_t>(end - done)));
        fadeSamples(block, done, fadeIn, fadeOut, end);
        done += static_cast<std::int64_t>(block.front().size());
        written.add(block);
    }
    written.finish();
}

}  // namespace meshreel
