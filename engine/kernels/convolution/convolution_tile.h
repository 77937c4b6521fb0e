// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/kernels/convolution/convolution_kernel.h"

// The f32 convolution kernel over one register width. Included by one file an instruction set, each compiled
// for it: everything here has internal linkage, so that no other file gets its code.

namespace meshreel {
namespace {

// Features whose weights for a block of channels stay in a core's L1 cache while all pixels pass by.
constexpr std::int64_t cachedFeatures = 128;

constexpr std::int64_t weightOffsetByFeature(std::int64_t feature, std::int64_t channel,
                                             std::int64_t channels) {
    return feature * channels + channel;
}

/// Features [0, count) of `pixels` output pixels by weights [count, vectors · lanes], in registers.
template <typename Vector, int pixels, int vectors>
void accumulateTile(const float* features, std::int64_t pixelStride, const float* weights, std::int64_t count,
                    float* sums, std::int64_t sumStride) {
    typename Vector::Register total[pixels][vectors];
    for (int pixel = 0; pixel < pixels; ++pixel)
        for (int vector = 0; vector < vectors; ++vector)
            total[pixel][vector] = Vector::load(sums + pixel * sumStride + vector * Vector::lanes);
    for (std::int64_t feature = 0; feature < count; ++feature, weights += vectors * Vector::lanes) {
        typename Vector::Register weight[vectors];
        for (int vector = 0; vector < vectors; ++vector)
            weight[vector] = Vector::load(weights + vector * Vector::lanes);
        for (int pixel = 0; pixel < pixels; ++pixel) {
            const typename Vector::Register value =
                Vector::broadcast(features + pixel * pixelStride + feature);
            for (int vector = 0; vector < vectors; ++vector)
                total[pixel][vector] = Vector::multiplyAdd(value, weight[vector], total[pixel][vector]);
        }
    }
    for (int pixel = 0; pixel < pixels; ++pixel)
        for (int vector = 0; vector < vectors; ++vector)
            Vector::store(sums + pixel * sumStride + vector * Vector::lanes, total[pixel][vector]);
}

/// Some of the features of a tap.
struct FeatureRange {
    std::int64_t first;
    std::int64_t count;
};

/// Weights that come next, fetched into the L2 cache bit by bit while others are multiplied.
class WeightPrefetch {
  public:
    WeightPrefetch(const float* next, std::int64_t floats, std::int64_t steps)
        : m_next(next), m_end(next + floats), m_step((floats + steps - 1) / steps) {}

    void step() {
        const float* end = m_end - m_next < m_step ? m_end : m_next + m_step;
        for (; m_next < end; m_next += floatsOfLine)
            __builtin_prefetch(m_next, 0, 2);
    }

  private:
    static constexpr std::int64_t floatsOfLine = 16;

    const float* m_next;
    const float* m_end;
    std::int64_t m_step;
};

/// A block of channels that some features are multiplied for.
struct ChannelBlock {
    std::int64_t first;
    const float* weights;
    const float* nextWeights;
};

template <typename Vector, int vectors>
void accumulateBlock(const ConvolutionPanel& panel, const float* features, std::int64_t count,
                     const ChannelBlock& block) {
    WeightPrefetch prefetch(block.nextWeights, count * vectors * Vector::lanes,
                            panel.rows * panel.columns / Vector::pixels);
    for (std::int64_t row = 0; row < panel.rows; ++row)
        for (std::int64_t column = 0; column < panel.columns; column += Vector::pixels) {
            prefetch.step();
            accumulateTile<Vector, Vector::pixels, vectors>(
                features + row * panel.rowStride + column * panel.pixelStride, panel.pixelStride,
                block.weights, count,
                panel.sums + (row * panel.columns + column) * panel.channels + block.first, panel.channels);
        }
}

/// The narrow block after those of Vector::vectors registers.
template <typename Vector, int vectors>
void accumulateRest(const ConvolutionPanel& panel, const float* features, std::int64_t count,
                    const ChannelBlock& block) {
    if constexpr (vectors > 0) {
        if (panel.channels - block.first == vectors * Vector::lanes)
            accumulateBlock<Vector, vectors>(panel, features, count, block);
        else
            accumulateRest<Vector, vectors - 1>(panel, features, count, block);
    }
}

template <typename Vector>
void accumulateRange(const ConvolutionPanel& panel, const ConvolutionTap& tap, FeatureRange range) {
    constexpr std::int64_t blockChannels = Vector::vectors * Vector::lanes;
    const float* features = static_cast<const float*>(tap.features) + range.first;
    const auto weightsOf = [&](std::int64_t channel) {
        const std::int64_t rest = panel.channels - channel;
        const std::int64_t channels = rest < blockChannels ? rest : blockChannels;
        return static_cast<const float*>(panel.weights) + panel.weightOffset(channel, channels, tap.index) +
               range.first * channels;
    };
    std::int64_t channel = 0;
    for (; channel + blockChannels <= panel.channels; channel += blockChannels) {
        const bool last = channel + blockChannels == panel.channels;
        // After the last block, the first continues with its next features.
        const float* next =
            last ? weightsOf(0) + range.count * blockChannels : weightsOf(channel + blockChannels);
        accumulateBlock<Vector, Vector::vectors>(panel, features, range.count,
                                                 {channel, weightsOf(channel), next});
    }
    if (channel < panel.channels)
        accumulateRest<Vector, Vector::vectors - 1>(panel, features, range.count,
                                                    {channel, weightsOf(channel), weightsOf(channel)});
}

template <typename Vector>
void accumulate(const ConvolutionPanel& panel) {
    const std::int64_t parts = (panel.features + cachedFeatures - 1) / cachedFeatures;
    for (std::int64_t tap = 0; tap < panel.tapCount; ++tap)
        for (std::int64_t part = 0; part < parts; ++part) {
            const std::int64_t first = panel.features * part / parts;
            accumulateRange<Vector>(panel, panel.taps[tap],
                                    {first, panel.features * (part + 1) / parts - first});
        }
}

}  // namespace
}  // namespace meshreel
