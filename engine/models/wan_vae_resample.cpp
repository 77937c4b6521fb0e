// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae_resample.h"

#include <algorithm>

namespace meshreel {
namespace {

constexpr std::int64_t timeKernel = 3;
constexpr std::int64_t spaceKernel = 3;
constexpr std::int64_t factor = 2;

/// [T, H, W, 2C] to [2T, H, W, C]: the first half of the channels is the earlier frame.
Tensor channelsToFrames(const Execution& execution, const Tensor& x) {
    const std::int64_t channels = x.extent(3) / factor;
    const std::int64_t pixels = x.extent(1) * x.extent(2);
    Tensor out = Tensor::empty({x.extent(0) * factor, x.extent(1), x.extent(2), channels});
    const float* from = x.data<float>().data();
    float* to = out.data<float>().data();
    execution.workers.parallelFor(out.extent(0) * pixels, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t index = begin; index < end; ++index) {
            const std::int64_t frame = index / pixels;
            const std::int64_t source = (frame / factor * pixels + index % pixels) * factor + frame % factor;
            std::copy_n(from + source * channels, channels, to + index * channels);
        }
    });
    return out;
}

}  // namespace

Downsampler::Downsampler(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels,
                         bool temporal)
    : m_space(loadConvolution(checkpoint, name + ".resample.1",
                              {channels, channels, spaceKernel, spaceKernel},
                              {.spaceStride = factor, .padAfter = 1})) {
    if (temporal)
        m_time = loadConvolution(checkpoint, name + ".time_conv", {channels, channels, timeKernel, 1, 1},
                                 {.timeStride = factor});
}

Tensor Downsampler::apply(const ChunkContext& chunk, const Tensor& x) const {
    Tensor small = convolve(chunk, m_space, x);
    if (!m_time)
        return small;
    FrameHistory& history = chunk.cache.next();
    Tensor out =
        chunk.cache.firstChunk() ? small : convolve(chunk.execution, *m_time, 0, history.frames(), {small});
    history.push({small}, timeKernel - factor);
    return out;
}

Upsampler::Upsampler(const Checkpoint& checkpoint, const std::string& name, std::int64_t channels,
                     bool temporal)
    : m_space(loadConvolution(checkpoint, name + ".resample.1",
                              {channels / factor, channels, spaceKernel, spaceKernel},
                              {.padBefore = 1, .padAfter = 1, .upsample = factor})) {
    if (temporal)
        m_time.emplace(checkpoint, name + ".time_conv", factor * channels, channels, timeKernel, 1);
}

Tensor Upsampler::apply(const ChunkContext& chunk, const Tensor& x) const {
    if (!m_time)
        return convolve(chunk, m_space, x);
    if (chunk.cache.firstChunk()) {
        // Upstream's "Rep": the first chunk leaves no frames behind either, so the second starts on zeros.
        chunk.cache.next();
        return convolve(chunk, m_space, x);
    }
    const Tensor doubled = channelsToFrames(chunk.execution, m_time->apply(chunk, x));
    return convolve(chunk, m_space, doubled);
}

}  // namespace meshreel
