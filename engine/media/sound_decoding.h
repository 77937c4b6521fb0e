// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
}

#include <filesystem>
#include <memory>

#include "engine/base/sentence.h"
#include "engine/media/libav.h"
#include "engine/media/sound.h"

namespace meshreel {

struct ResamplerDeleter {
    void operator()(SwrContext* resampler) const { swr_free(&resampler); }
};
using ResamplerPtr = std::unique_ptr<SwrContext, ResamplerDeleter>;

/// How samples are stored, of one channel or of several.
struct SampleKind {
    const AVChannelLayout* layout;
    AVSampleFormat format;
    int rate;
};

/// Throws Error{Input} about a sound that cannot be used.
[[noreturn]] void refuseSound(const std::filesystem::path& file, Sentence why);

/// What turns samples of one kind into another. Throws as refuseSound().
ResamplerPtr makeResampler(const SampleKind& to, const SampleKind& from, const std::filesystem::path& file);

/// What decodes the packets of SoundTrack::nextStored(), one thread. Throws as refuseSound().
CodecPtr openSoundDecoder(const SoundTrack& track, const std::filesystem::path& file);

}  // namespace meshreel
