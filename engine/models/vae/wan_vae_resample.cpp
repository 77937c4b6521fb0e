// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae_resample.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace meshreel {
namespace {

constexpr std::int64_t timeKernel = 3;
constexpr std::int64_t spaceKernel = 3;
constexpr std::int64_t factor = 2;

/// Frames [T, H, W, 2C] as 2T frames of C: the first half of the channels is the earlier one.
std::vector<ConvolutionFrame> channelsAsFrames(const StripFeatures& x) {
    const std::int64_t channels = x.pixels.extent(3) / factor;
    const auto part = [&](const MatrixView& both, std::int64_t index) {
        return both.rows() == 0 ? MatrixView() : both.columns(index * channels, channels);
    };
    std::vector<ConvolutionFrame> frames;
    for (const ConvolutionFrame& frame : framesOf(x))
        for (std::int64_t index = 0; index < factor; ++index)
            frames.push_back({part(frame.pixels, index), part(frame.left, index), part(frame.right, index)});
    return frames;
}

}  // namespace

Downsampler::Downsampler(const VaeWeights& weights, const std::string& name, std::int64_t channels,
                         bool temporal)
    : m_space(weights.convolution(name + ".resample.1", {channels, channels, spaceKernel, spaceKernel},
                                  {.spaceStride = factor, .padAfter = 1})) {
    if (temporal)
        m_time = weights.convolution(name + ".time_conv", {channels, channels, timeKernel, 1, 1},
                                     {.timeStride = factor});
}

Tensor Downsampler::apply(const ChunkContext& chunk, const Tensor& x) const {
    Tensor small = convolve(chunk, m_space, x);
    if (!m_time)
        return small;
    FrameHistory& history = chunk.cache.next();
    Tensor out = small;
    if (!chunk.cache.firstPass()) {
        std::vector<ConvolutionFrame> frames = framesOf(history.frames().front());
        std::ranges::copy(framesOf({small}), std::back_inserter(frames));
        out = convolve(chunk, *m_time, frames, small.extent(1), small.extent(2), chunk.activations);
    }
    // A copy: the first frame goes on, and the next layer writes over it.
    const std::int64_t last = small.extent(0) - 1;
    history.push({small.slice(last, last + 1).clone()}, timeKernel - factor);
    return out;
}

Upsampler::Upsampler(const VaeWeights& weights, const std::string& name, std::int64_t channels,
                     std::int64_t outChannels, bool temporal)
    : m_space(weights.convolution(name + ".resample.1", {outChannels, channels, spaceKernel, spaceKernel},
                                  {.padBefore = 1, .padAfter = 1, .upsample = factor})) {
    if (temporal)
        m_time.emplace(weights, name + ".time_conv", factor * channels, channels, timeKernel, 1);
}

Tensor Upsampler::apply(const ChunkContext& chunk, const Tensor& x) const {
    if (!m_time)
        return convolve(chunk, m_space, x);
    if (chunk.cache.firstPass()) {
        // Upstream's "Rep": the first chunk leaves no frames behind either, so the second starts on zeros.
        chunk.cache.next();
        return convolve(chunk, m_space, x);
    }
    const StripFeatures doubled = withNeighbours(chunk, m_space, m_time->apply(chunk, x));
    return convolve(chunk, m_space, channelsAsFrames(doubled), x.extent(1), x.extent(2), chunk.activations);
}

}  // namespace meshreel
