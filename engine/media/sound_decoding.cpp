// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/sound_decoding.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <cstdint>
#include <utility>

#include "engine/base/error.h"

namespace fs = std::filesystem;

namespace meshreel {

void refuseSound(const fs::path& file, Sentence why) {
    throw Error(ErrorKind::Input, std::move(why), file.string(),
                sentence("Choose another sound, such as a WAV, MP3 or M4A file, or write this one again"));
}

ResamplerPtr makeResampler(const SampleKind& to, const SampleKind& from, const fs::path& file) {
    // The sharpest filter that libswresample's defaults leave room for is half as long.
    constexpr std::int64_t filterTaps = 64;
    SwrContext* made = nullptr;
    int code =
        swr_alloc_set_opts2(&made, const_cast<AVChannelLayout*>(to.layout), to.format, to.rate,
                            const_cast<AVChannelLayout*>(from.layout), from.format, from.rate, 0, nullptr);
    ResamplerPtr resampler(made);
    if (code >= 0)
        code = av_opt_set_int(resampler.get(), "filter_size", filterTaps, 0);
    if (code >= 0)
        code = swr_init(resampler.get());
    if (code < 0)
        refuseSound(file, sentence("its sound cannot be converted ({})", libavReason(code)));
    return resampler;
}

CodecPtr openSoundDecoder(const SoundTrack& track, const fs::path& file) {
    const AVCodec* decoder = avcodec_find_decoder(track.codec().codec_id);
    if (decoder == nullptr)
        refuseSound(file,
                    sentence("this system's libavcodec cannot decode its sound ({})", track.codecName()));
    CodecPtr codec = requireAllocated(CodecPtr(avcodec_alloc_context3(decoder)));
    codec->thread_count = 1;
    codec->flags |= AV_CODEC_FLAG_BITEXACT;
    codec->pkt_timebase = track.timeBase();
    int code = avcodec_parameters_to_context(codec.get(), &track.codec());
    if (code >= 0)
        code = avcodec_open2(codec.get(), decoder, nullptr);
    if (code < 0)
        refuseSound(file,
                    sentence("its sound ({}) cannot be decoded ({})", track.codecName(), libavReason(code)));
    return codec;
}

}  // namespace meshreel
