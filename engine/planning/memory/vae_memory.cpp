// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/memory/vae_memory.h"

#include <algorithm>

#include "engine/base/real.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/models/vae/vae_options.h"

namespace meshreel {
namespace {

// Two residual blocks and the attention between them.
constexpr double midBlocks = 2;

/// One level of the encoder or decoder as chunks go through it.
struct VaeLevel {
    double pixels;  ///< of a frame of its features
    double inChannels;
    double channels;
    double blocks;               ///< residual blocks
    double framesTogether;       ///< that residual blocks work on at once
    bool remembersTime = false;  ///< a convolution over time keeps frames as well

    /// The two frames that every causal convolution keeps.
    [[nodiscard]] double past() const {
        constexpr double cachedFrames = 2;
        return cachedFrames * pixels *
               (inChannels + (2 * blocks - 1) * channels + (remembersTime ? channels : 0));
    }

    /// What a residual block reads, normalises and sums up; the first one may be wider at its entrance.
    [[nodiscard]] double features() const {
        return framesTogether * pixels * std::max(3 * channels, 2 * inChannels + channels);
    }

    /// What a shortcut around the level keeps of its entrance.
    [[nodiscard]] double source(const WanVaeConfig& config) const {
        return config.isResidual ? framesTogether * pixels * inChannels : 0;
    }

    [[nodiscard]] double total(const WanVaeConfig& config) const {
        return past() + features() + source(config);
    }
};

}  // namespace

/// Levels behind the last that lengthens time take frames one by one, out of what the levels before have made
/// of the chunk.
double vaeDecodeElements(const WanVaeConfig& config, double pixels, std::int64_t latentFrames) {
    const std::size_t levels = config.dimMult.size();
    std::size_t together = 0;  // levels that take the frames of a chunk together
    for (std::size_t index = 0; index + 1 < levels; ++index)
        if (config.temporalDownsample[levels - 2 - index])
            together = index + 1;
    double channels = real(config.decoderBaseDim * config.dimMult.back());
    double area = pixels / real(config.spatialFactor() * config.spatialFactor());
    double frames = real(latentFrames);
    const VaeLevel middle{.pixels = area,
                          .inChannels = channels,
                          .channels = channels,
                          .blocks = midBlocks,
                          .framesTogether = frames};
    double elements = middle.past() + middle.features();
    for (std::size_t index = 0; index < levels; ++index) {
        const bool last = index + 1 == levels;
        VaeLevel level{.pixels = area,
                       .inChannels = channels,
                       .channels = real(config.decoderBaseDim * config.dimMult[levels - 1 - index]),
                       .blocks = real(config.numResBlocks + 1),
                       .framesTogether = index < together ? frames : 1,
                       .remembersTime = !last && config.temporalDownsample[levels - 2 - index]};
        elements += level.past() + level.features() + (last ? 0 : level.source(config));
        if (level.remembersTime)  // two frames side by side for each
            elements += 2 * level.framesTogether * area * level.channels;
        channels = level.channels;
        if (last)
            continue;
        area *= 4;
        channels /= config.isResidual ? 1 : 2;
        frames *= level.remembersTime ? 2 : 1;
        if (index + 1 == together)
            elements += frames * area * channels;
    }
    constexpr double headFrames = 3;  // two that the last convolution keeps, one that it reads
    return elements + headFrames * area * channels;
}

/// Levels before the first that shortens time take frames one by one, and so do the residual blocks of that
/// level; what becomes of them is joined to the frames of the chunk.
double vaeEncodeElements(const WanVaeConfig& config, double pixels, std::int64_t frames) {
    const std::size_t levels = config.dimMult.size();
    const auto split = static_cast<std::size_t>(std::ranges::find(config.temporalDownsample, true) -
                                                config.temporalDownsample.begin());
    constexpr double copiesWhileJoining = 2;
    double channels = real(config.baseDim);
    double area = pixels / real(config.patchSize * config.patchSize);
    double together = real(frames);
    double elements = 0;
    for (std::size_t index = 0; index < levels; ++index) {
        const bool temporal = index + 1 < levels && config.temporalDownsample[index];
        const VaeLevel level{.pixels = area,
                             .inChannels = channels,
                             .channels = real(config.baseDim * config.dimMult[index]),
                             .blocks = real(config.numResBlocks),
                             .framesTogether = index > split ? together : 1,
                             .remembersTime = temporal};
        elements += level.past() + level.features() + level.source(config);
        channels = level.channels;
        if (index == split)
            elements += together * area *
                        (copiesWhileJoining * channels + (config.isResidual ? level.inChannels : 0));
        if (index + 1 == levels)
            continue;
        area /= 4;
        if (temporal)  // halved in space, not yet in time
            elements += together * area * channels;
        together = temporal ? std::max(1.0, together / 2) : together;
    }
    const VaeLevel middle{.pixels = area,
                          .inChannels = channels,
                          .channels = channels,
                          .blocks = midBlocks,
                          .framesTogether = together};
    return elements + middle.past() + middle.features();
}

std::uint64_t vaeWeightBytes(std::uint64_t weights, DType activations) {
    const Arithmetic products = VaePrecision{.activations = activations}.products();
    return weights * sizeOf(convolutionKernel(products).type);
}

}  // namespace meshreel
