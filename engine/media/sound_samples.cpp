// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_samples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/sentence.h"
#include "engine/media/libav.h"
#include "engine/media/sound.h"
#include "engine/media/sound_decoding.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

/// Takes decoded frames and holds the mean of their channels, each sample at its time.
class MonoSound {
  public:
    MonoSound(fs::path file, AVRational timeBase) : m_file(std::move(file)), m_timeBase(timeBase) {}

    void add(AVFrame& frame) {
        if (m_rate == 0)
            m_rate = frame.sample_rate;
        if (frame.sample_rate != m_rate || m_rate <= 0)
            refuseSound(m_file, sentence("its sound changes from {} samples a second to {}", m_rate,
                                         frame.sample_rate));
        const std::vector<float> own = meanOfChannels(frame);
        place(own, frame.best_effort_timestamp);
    }

    [[nodiscard]] int rate() const { return m_rate; }
    [[nodiscard]] const std::vector<float>& values() const { return m_values; }

  private:
    /// Containers round times, to milliseconds some: what follows within this is taken as the next sample.
    static constexpr double joinedSeconds = 0.02;

    void convertFrom(AVFrame& frame) {
        const auto format = static_cast<AVSampleFormat>(frame.format);
        if (m_converter && format == m_format && frame.ch_layout.nb_channels == m_channels)
            return;
        m_format = format;
        m_channels = frame.ch_layout.nb_channels;
        m_converter = makeResampler({&frame.ch_layout, AV_SAMPLE_FMT_FLTP, m_rate},
                                    {&frame.ch_layout, format, m_rate}, m_file);
    }

    [[nodiscard]] std::vector<float> meanOfChannels(AVFrame& frame) {
        convertFrom(frame);
        const auto samples = static_cast<std::size_t>(std::max(0, frame.nb_samples));
        std::vector<std::vector<float>> channels(static_cast<std::size_t>(std::max(1, m_channels)),
                                                 std::vector<float>(samples));
        std::vector<std::uint8_t*> places;
        for (std::vector<float>& channel : channels)
            places.push_back(reinterpret_cast<std::uint8_t*>(channel.data()));
        const int code = swr_convert(m_converter.get(), places.data(), frame.nb_samples,
                                     const_cast<const std::uint8_t**>(frame.extended_data), frame.nb_samples);
        if (code < 0)
            refuseSound(m_file, sentence("its sound cannot be converted ({})", libavReason(code)));
        std::vector<float> mean = std::move(channels.front());
        for (std::size_t channel = 1; channel < channels.size(); ++channel)
            for (std::size_t sample = 0; sample < samples; ++sample)
                mean[sample] += channels[channel][sample];
        for (float& value : mean)
            value /= static_cast<float>(channels.size());
        return mean;
    }

    void place(const std::vector<float>& own, std::int64_t time) {
        const auto end = static_cast<std::int64_t>(m_values.size());
        std::int64_t at = m_next.value_or(end);
        if (time != AV_NOPTS_VALUE) {
            constexpr double farOff = 1e15;  // beyond any limit, and counted exactly
            const double sample = static_cast<double>(time) * av_q2d(m_timeBase) * m_rate;
            const std::int64_t stored = std::llround(std::clamp(sample, -farOff, farOff));
            const auto joined = static_cast<std::int64_t>(joinedSeconds * static_cast<double>(m_rate));
            if (!m_next || std::abs(stored - at) > joined)
                at = stored;
        }
        m_next = at + static_cast<std::int64_t>(own.size());
        // What is before the beginning, or was heard already, is left out.
        const std::int64_t known = std::max(end, std::int64_t{0});
        const std::int64_t skipped = std::clamp<std::int64_t>(known - at, 0, std::ssize(own));
        if (skipped == std::ssize(own))
            return;
        const std::int64_t begin = std::max(at, known);
        requireWithin(Limit::DecodedSound,
                      static_cast<std::uint64_t>(*m_next) * static_cast<std::uint64_t>(sizeof(float)),
                      m_file.string());
        m_values.resize(static_cast<std::size_t>(begin), 0.0F);
        m_values.insert(m_values.end(), own.begin() + skipped, own.end());
    }

    fs::path m_file;
    AVRational m_timeBase;
    int m_rate = 0;
    ResamplerPtr m_converter;
    AVSampleFormat m_format = AV_SAMPLE_FMT_NONE;
    int m_channels = 0;
    std::optional<std::int64_t> m_next;  // where the next frame is expected
    std::vector<float> m_values;
};

/// Packets that the decoder refuses are passed over: what was to be heard there is silent.
MonoSound decodeSound(SoundTrack& track, const fs::path& file) {
    const CodecPtr codec = openSoundDecoder(track, file);
    const FramePtr frame = requireAllocated(FramePtr(av_frame_alloc()));
    MonoSound sound(file, track.timeBase());
    bool goesOn = true;
    while (goesOn) {
        const AVPacket* packet = track.nextStored();
        goesOn = packet != nullptr;
        if (avcodec_send_packet(codec.get(), packet) < 0)
            continue;
        while (avcodec_receive_frame(codec.get(), frame.get()) >= 0) {
            sound.add(*frame);
            av_frame_unref(frame.get());
        }
    }
    if (track.isCutShort())
        refuseSound(file, sentence("its sound cannot be read to the end"));
    return sound;
}

/// As many samples as last as long, and the last one whole.
std::vector<float> resampled(const MonoSound& sound, int rate, const fs::path& file) {
    const std::vector<float>& from = sound.values();
    if (sound.rate() == rate)
        return from;
    constexpr std::size_t blockSamples = std::size_t{1} << 16U;
    AVChannelLayout mono{};
    av_channel_layout_default(&mono, 1);
    const ResamplerPtr resampler =
        makeResampler({&mono, AV_SAMPLE_FMT_FLT, rate}, {&mono, AV_SAMPLE_FMT_FLT, sound.rate()}, file);
    const auto fromRate = static_cast<std::size_t>(sound.rate());
    const std::size_t wanted = (from.size() * static_cast<std::size_t>(rate) + fromRate - 1) / fromRate;
    std::vector<float> to;
    to.reserve(wanted + blockSamples);
    const auto convert = [&](const float* samples, std::size_t count) {
        const int room = std::max(1, swr_get_out_samples(resampler.get(), static_cast<int>(count)));
        const std::size_t end = to.size();
        to.resize(end + static_cast<std::size_t>(room));
        auto* out = reinterpret_cast<std::uint8_t*>(to.data() + end);
        const auto* in = reinterpret_cast<const std::uint8_t*>(samples);
        const int made = swr_convert(resampler.get(), &out, room, samples == nullptr ? nullptr : &in,
                                     static_cast<int>(count));
        if (made < 0)
            refuseSound(file, sentence("its sound cannot be converted ({})", libavReason(made)));
        to.resize(end + static_cast<std::size_t>(made));
    };
    for (std::size_t first = 0; first < from.size(); first += blockSamples)
        convert(from.data() + first, std::min(blockSamples, from.size() - first));
    convert(nullptr, 0);
    to.resize(wanted, 0.0F);
    return to;
}

}  // namespace

SoundSamples readSound(const fs::path& file, int rate) {
    std::optional<SoundTrack> track = SoundTrack::open(file);
    if (!track)
        refuseSound(file, sentence("the file has no sound"));
    const MonoSound sound = decodeSound(*track, file);
    if (sound.values().empty())
        refuseSound(file, sentence("nothing of its sound ({}) can be decoded", track->codecName()));
    return {.rate = rate, .values = resampled(sound, rate, file)};
}

double soundSeconds(const fs::path& file) {
    std::optional<SoundTrack> track = SoundTrack::open(file);
    if (!track)
        return 0.0;
    const double unit = av_q2d(track->timeBase());
    double seconds = 0.0;
    while (const AVPacket* packet = track->nextStored()) {
        const double begin =
            packet->pts == AV_NOPTS_VALUE ? seconds : static_cast<double>(packet->pts) * unit;
        seconds = std::max(seconds, begin + static_cast<double>(packet->duration) * unit);
    }
    return seconds;
}

}  // namespace meshreel
