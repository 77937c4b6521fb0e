// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_edit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/media/libav.h"
#include "engine/media/sound.h"
#include "engine/media/sound_decoding.h"
#include "engine/media/sound_encoder.h"
#include "engine/media/sound_samples.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Samples between -1 and 1: one vector a channel, all of one length.
using SoundBlock = std::vector<std::vector<float>>;

[[noreturn]] void refusePart(const fs::path& file, Sentence why) {
    throw Error(ErrorKind::Input, std::move(why), file.string(), sentence("Choose a part that it has"));
}

SoundTrack requireTrack(const fs::path& file) {
    std::optional<SoundTrack> track = SoundTrack::open(file);
    if (!track)
        refuseSound(file, sentence("the file has no sound"));
    return *std::move(track);
}

/// The sound of a file, decoded from its beginning, at a rate that an encoder takes.
class DecodedSound {
  public:
    DecodedSound(const fs::path& file, const SoundEncoderRow& coding)
        : m_file(file),
          m_track(requireTrack(file)),
          m_decoder(openSoundDecoder(m_track, file)),
          m_frame(requireAllocated(FramePtr(av_frame_alloc()))) {
        const int own = m_decoder->sample_rate;
        if (own <= 0 || channels() == 0)
            refuseSound(file, sentence("it does not say how its sound is sampled"));
        m_rate = std::ranges::find(coding.rates, own) != coding.rates.end() ? own : usualRate;
    }

    [[nodiscard]] int rate() const { return m_rate; }
    [[nodiscard]] std::size_t channels() const {
        return static_cast<std::size_t>(std::max(m_decoder->ch_layout.nb_channels, 0));
    }
    [[nodiscard]] const AVChannelLayout& layout() const { return m_decoder->ch_layout; }

    /// The next samples, each at its time in the file's video; false behind the last.
    bool read(SoundBlock& block) {
        if (!m_begun)
            begin();
        if (m_silent > 0) {
            const std::int64_t count = std::min<std::int64_t>(m_silent, m_rate);
            block.assign(channels(), std::vector<float>(static_cast<std::size_t>(count)));
            m_silent -= count;
            return true;
        }
        if (!m_held.empty()) {
            block = std::exchange(m_held, {});
            return true;
        }
        return decode(block);
    }

  private:
    static constexpr int usualRate = 48'000;

    /// Places the first samples: silence goes before them, or those before the video go.
    void begin() {
        m_begun = true;
        SoundBlock block;
        if (!decode(block))
            return;
        if (m_firstTime != AV_NOPTS_VALUE) {
            const double place = static_cast<double>(m_firstTime) * av_q2d(m_track.timeBase()) * m_rate;
            constexpr double longest = 86'400.0;  // seconds: a day of silence is a damaged file
            if (std::abs(place) > longest * m_rate)
                refuseSound(m_file, sentence("its sound begins at {} seconds", place / m_rate));
            m_silent = std::llround(place);
        }
        while (m_silent < 0) {
            const std::int64_t gone = std::min<std::int64_t>(-m_silent, std::ssize(block.front()));
            for (std::vector<float>& channel : block)
                channel.erase(channel.begin(), channel.begin() + gone);
            m_silent += gone;
            if (block.front().empty() && !decode(block))
                return;
        }
        m_held = std::move(block);
    }

    bool decode(SoundBlock& block) {
        while (!m_ended) {
            const int code = avcodec_receive_frame(m_decoder.get(), m_frame.get());
            if (code == AVERROR(EAGAIN)) {
                feed();
                continue;
            }
            if (code == AVERROR_EOF)
                m_ended = true;
            else
                check(code);
            convert(block);
            if (!block.empty() && !block.front().empty())
                return true;
        }
        return false;
    }

    void feed() {
        const AVPacket* packet = m_track.nextStored();
        if (packet == nullptr && m_track.isCutShort())
            refuseSound(m_file, sentence("its sound cannot be read to the end"));
        check(avcodec_send_packet(m_decoder.get(), packet));
    }

    /// The frame as planar floats; behind the end, what the resampler still holds.
    void convert(SoundBlock& block) {
        block.clear();
        if (!m_ended)
            requireOneForm();
        if (!m_resampler)
            return;
        const int count = m_ended ? 0 : m_frame->nb_samples;
        const int room = std::max(1, swr_get_out_samples(m_resampler.get(), count));
        block.assign(channels(), std::vector<float>(static_cast<std::size_t>(room)));
        std::vector<std::uint8_t*> places;
        for (std::vector<float>& channel : block)
            places.push_back(reinterpret_cast<std::uint8_t*>(channel.data()));
        const int made =
            swr_convert(m_resampler.get(), places.data(), room,
                        m_ended ? nullptr : const_cast<const std::uint8_t**>(m_frame->extended_data), count);
        check(made);
        for (std::vector<float>& channel : block)
            channel.resize(static_cast<std::size_t>(made));
    }

    void requireOneForm() {
        const bool isFirst = !m_resampler;
        if (isFirst) {
            m_format = static_cast<AVSampleFormat>(m_frame->format);
            m_frameRate = m_frame->sample_rate;
            m_firstTime = m_frame->best_effort_timestamp;
        }
        if (static_cast<std::size_t>(std::max(m_frame->ch_layout.nb_channels, 0)) != channels() ||
            m_frame->sample_rate != m_frameRate || m_frame->format != m_format)
            refuseSound(m_file, sentence("its sound changes its form on the way"));
        if (isFirst)
            m_resampler = makeResampler({&m_frame->ch_layout, AV_SAMPLE_FMT_FLTP, m_rate},
                                        {&m_frame->ch_layout, m_format, m_frameRate}, m_file);
    }

    void check(int code) const {
        if (code < 0)
            refuseSound(m_file, sentence("its sound cannot be read ({})", libavReason(code)));
    }

    fs::path m_file;
    SoundTrack m_track;
    CodecPtr m_decoder;
    FramePtr m_frame;
    ResamplerPtr m_resampler;  // from the first frame on
    AVSampleFormat m_format = AV_SAMPLE_FMT_NONE;
    int m_frameRate = 0;
    int m_rate = 0;
    std::int64_t m_firstTime = AV_NOPTS_VALUE;  // of the first frame, in the track's timeBase()
    std::int64_t m_silent = 0;                  // samples that are given before the rest
    SoundBlock m_held;                          // the first samples, which come behind the silence
    bool m_begun = false;
    bool m_ended = false;
};

/// The samples that are left of a sound when what is before and behind the edit's part is cut off, once or
/// over and over.
class TrimmedSound {
  public:
    TrimmedSound(const SoundEdit& edit, const SoundEncoderRow& coding)
        : m_edit(edit), m_coding(coding), m_source(std::make_unique<DecodedSound>(edit.file, coding)) {
        m_begin = samples(edit.begin);
        if (edit.end)
            m_end = samples(*edit.end);
        if (m_begin < 0 || m_end <= m_begin)
            refusePart(edit.file, sentence("the part of the sound has no length"));
    }

    [[nodiscard]] const DecodedSound& source() const { return *m_source; }
    [[nodiscard]] std::int64_t samples(double seconds) const {
        return std::llround(seconds * static_cast<double>(m_source->rate()));
    }

    /// Returns how many samples one pass gives, by the file's packets.
    [[nodiscard]] std::int64_t length() const {
        const std::int64_t end = std::min(m_end, samples(soundSeconds(m_edit.file)));
        return std::max<std::int64_t>(end - m_begin, 0);
    }

    bool read(SoundBlock& block) {
        while (true) {
            if (m_place >= m_end || !m_source->read(block)) {
                if (!m_edit.loops)
                    return false;
                if (!m_gave)
                    refusePart(m_edit.file, sentence("the sound ends before the part that is asked for"));
                m_source = std::make_unique<DecodedSound>(m_edit.file, m_coding);
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
    const SoundEncoderRow& m_coding;
    std::unique_ptr<DecodedSound> m_source;
    std::int64_t m_begin = 0;
    std::int64_t m_end = std::numeric_limits<std::int64_t>::max();
    std::int64_t m_place = 0;  // samples of this pass that were read
    bool m_gave = false;       // this pass gave some
};

/// Encodes samples into a file without pictures.
class SoundFile {
  public:
    SoundFile(const fs::path& file, const SoundEncoderRow& coding, const DecodedSound& like)
        : m_file(file), m_packet(requireAllocated(PacketPtr(av_packet_alloc()))) {
        quietLibav();
        AVFormatContext* output = nullptr;
        const std::string container(videoFormatInfo(coding.format).container);
        check(avformat_alloc_output_context2(&output, nullptr, container.c_str(), fileUrl(file).c_str()));
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

    void openEncoder(const SoundEncoderRow& coding, const DecodedSound& like) {
        const AVCodec* encoder = avcodec_find_encoder_by_name(coding.encoder);
        if (encoder == nullptr)
            throw Error(ErrorKind::Project,
                        sentence("this system's libavcodec has no encoder {}", coding.encoder), {},
                        sentence("Add the sound without trimming, fading or looping it, or choose another "
                                 "video format"));
        constexpr std::int64_t bitsOfChannel =
            96'000;  // a second, at which AAC and Opus sound as their source
        m_encoder = requireAllocated(CodecPtr(avcodec_alloc_context3(encoder)));
        m_encoder->sample_fmt = coding.samples;
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
            throw Error(ErrorKind::Project,
                        sentence("the encoder {} refuses {} channels of {} samples a second ({})",
                                 coding.encoder, like.channels(), like.rate(), libavReason(code)),
                        {}, sentence("Use a sound with one or two channels"));
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
    const SoundEncoderRow* const coding = soundEncoderFor(format);
    if (coding == nullptr)
        throw Error(ErrorKind::Project, sentence("{} has no sound", tableText(videoFormatInfo(format).title)),
                    {}, sentence("Choose MP4 or WebM"));
    TrimmedSound sound(edit, *coding);
    const std::int64_t total = sound.samples(seconds);
    const std::int64_t end = edit.loops ? total : std::min(total, sound.length());
    if (end <= 0)
        refusePart(edit.file, sentence("the sound ends before the part that is asked for"));
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
