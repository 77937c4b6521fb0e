// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/vae_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/numbers.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/kernels/attention/wide_attention.h"

namespace meshreel {
namespace {

// Two residual blocks and the attention between them.
constexpr double midBlocks = 2;

/// One level of the encoder or decoder as chunks go through it.
struct VaeLevel {
    double pixels;  ///< in a frame of its features
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

/// Each memory block keeps a frame; a level holds what its blocks read, make and add up, and what was
/// enlarged. The last level takes frames one by one.
double tinyDecodeElements(const WanVaeConfig& config, double pixels, std::int64_t latentFrames) {
    constexpr double blocksOfLevel = 3;
    constexpr double copies = 3;
    const std::vector<std::int64_t>& widths = config.tiny->widths;
    double area = pixels / real(config.spatialFactor() * config.spatialFactor());
    double frames = real(latentFrames);
    double kept = 0;
    double most = 0;
    for (std::size_t level = 0; level + 1 < widths.size(); ++level) {
        const bool last = level + 2 == widths.size();
        const double channels = real(widths[level]);
        const double growth = config.temporalDownsample[level] && !config.tiny->preview ? 2 : 1;
        const double enlargement = last && config.tiny->preview ? 1 : 4;
        if (last)
            kept += frames * area * channels;  // what the levels before have made
        const double together = last ? 1 : frames;
        kept += blocksOfLevel * area * channels;
        most = std::max(most, copies * together * area * channels);
        const double enlarged = (last ? 1 : together * growth) * enlargement * area * real(widths[level + 1]);
        most = std::max(most, (1 + growth) * together * area * channels + enlarged);
        frames *= growth;
        area *= 4;
    }
    return kept + most;
}

}  // namespace

// Levels after the last that lengthens time take frames one by one, out of what the levels before have made
// of the chunk.
double vaeDecodeElements(const WanVaeConfig& config, double pixels, std::int64_t latentFrames) {
    if (config.tiny)
        return tinyDecodeElements(config, pixels, latentFrames);
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

// Levels before the first that shortens time take frames one by one, and so do the residual blocks of that
// level; what becomes of them is joined to the frames of the chunk.
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

namespace {

constexpr double floatBytes = sizeof(float);

/// Frames of features.
struct Features {
    double frames = 0;
    double pixels = 0;  ///< in a frame
    double channels = 0;
    bool isPart = false;  ///< part of a tensor that is held for all frames

    [[nodiscard]] double values() const { return frames * pixels * channels; }
    [[nodiscard]] Features withChannels(double count) const { return {frames, pixels, count, false}; }
    [[nodiscard]] Features frame() const { return {1, pixels, channels, true}; }
};

/// How many frames each causal convolution keeps, in the order in which a pass meets them.
class KeptFrames {
  public:
    void beginPass() { m_next = 0; }
    double& next() {
        if (m_next == m_counts.size())
            m_counts.push_back(0);
        return m_counts[m_next++];
    }

  private:
    std::vector<double> m_counts;
    std::size_t m_next = 0;
};

/// Follows the tensors of a VAE in a GPU's memory as engine/models/vae makes and frees them.
class FeatureWalk {
  public:
    FeatureWalk(const WanVaeConfig& config, DType activations)
        : m_config(config), m_valueBytes(real(static_cast<std::int64_t>(byteSize(activations)))) {}

    /// Bytes at most.
    [[nodiscard]] double most() const { return m_most; }

    /// Latents to pixels as bytes.
    void decode(double latentFrames, double pixels) {
        const Features latents = this->latents(latentFrames, pixels);
        hold(floatBytes * latents.values());
        m_chunks.beginPass();
        const Features x = m_config.tiny ? beginTiny(latents) : begin(latents);
        if (m_config.tiny)
            finishTiny(x);
        else
            finish(x);
        release(floatBytes * latents.values());
        m_isFirst = false;
    }

    /// What whole frames are needed for.
    void decodeFront(double latentFrames, double pixels) {
        const Features latents = this->latents(latentFrames, pixels);
        hold(floatBytes * latents.values());
        m_chunks.beginPass();
        drop(begin(latents));
        release(floatBytes * latents.values());
        m_isFirst = false;
    }

    /// What is done strip by strip.
    void decodeBack(double latentFrames, double pixels) {
        m_chunks.beginPass();
        const Features x = latents(latentFrames, pixels).withChannels(deepChannels());
        take(x);
        finish(x);
        m_isFirst = false;
    }

    /// Pixels to moments of latents.
    void encode(double frames, double pixels) {
        const std::size_t levels = m_config.dimMult.size();
        const auto split = static_cast<std::size_t>(std::ranges::find(m_config.temporalDownsample, true) -
                                                    m_config.temporalDownsample.begin());
        const double area = pixels / real(m_config.patchSize * m_config.patchSize);
        const double source = floatBytes * frames * area * real(m_config.inChannels);
        hold(source);
        m_chunks.beginPass();
        double shortcuts = 0;  // around the level at which frames are joined
        Features x;
        for (double frame = 0; frame < frames; ++frame) {
            m_frames.beginPass();
            x = {.frames = 1, .pixels = area, .channels = real(m_config.baseDim)};
            take(x);
            if (frame == 1)  // the first convolution keeps none of the chunk before any more
                release(std::exchange(m_keptWhole, 0));
            for (std::size_t index = 0; index < split; ++index)
                shrinkLevel(m_frames, index, x);
            if (m_config.isResidual) {
                take(x);
                shortcuts += bytesOf(x);
            }
            residualBlocks(m_frames, m_config.numResBlocks, encoderChannels(split), x);
        }
        x.frames = frames;
        join(x);
        const double joinedShortcuts = frames > 1 ? shortcuts : 0;
        hold(joinedShortcuts);
        shrink(m_chunks, split, x);
        release(joinedShortcuts);
        for (std::size_t index = split + 1; index < levels; ++index)
            shrinkLevel(m_chunks, index, x);
        middle(x);
        const double moments = floatBytes * x.withChannels(real(2 * m_config.zDim)).values();
        take(x);  // normalised
        hold(moments);
        keep(m_chunks, x);
        drop(x);
        hold(moments);  // after the last convolution
        release(2 * moments + shortcuts);
        m_keptWhole += source;  // its last frames are kept as parts of it
        m_isFirst = false;
    }

  private:
    void hold(double bytes) {
        m_held += bytes;
        m_most = std::max(m_most, m_held);
    }
    void release(double bytes) { m_held -= bytes; }
    [[nodiscard]] double bytesOf(const Features& x) const {
        constexpr auto piece = static_cast<double>(GpuPool::pieceAlignment);
        return x.isPart ? 0 : std::ceil(m_valueBytes * x.values() / piece) * piece;
    }
    void take(const Features& x) { hold(bytesOf(x)); }
    void drop(const Features& x) { release(bytesOf(x)); }
    /// The frames of x, each a tensor, become one.
    void join(const Features& x) {
        if (x.frames > 1) {
            take(x);
            drop(x);
        }
    }

    [[nodiscard]] Features latents(double frames, double pixels) const {
        return {.frames = frames,
                .pixels = pixels / real(m_config.spatialFactor() * m_config.spatialFactor()),
                .channels = real(m_config.zDim)};
    }
    [[nodiscard]] double deepChannels() const {
        return real(m_config.decoderBaseDim * m_config.dimMult.back());
    }
    [[nodiscard]] double encoderChannels(std::size_t level) const {
        return real(m_config.baseDim * m_config.dimMult[level]);
    }

    /// A causal convolution has read x: of several frames it keeps copies, a single one itself. Whether x is
    /// kept.
    bool remember(KeptFrames& past, const Features& x, double most = 2) {
        const double frame = m_valueBytes * x.pixels * x.channels;
        double& kept = past.next();
        const double added = std::min(x.frames, most);
        const double left = std::min(kept + added, most);
        if (x.frames > 1)
            hold(added * frame);
        if (!x.isPart)
            release((kept + added - left) * frame);
        kept = left;
        return x.frames == 1;
    }
    void keep(KeptFrames& past, const Features& x) {
        if (!remember(past, x))
            drop(x);
    }

    void residualBlock(KeptFrames& past, double channels, Features& x) {
        const Features normed = x.withChannels(x.channels);
        const Features made = x.withChannels(channels);
        take(normed);
        take(made);
        keep(past, normed);
        if (x.channels != channels) {
            take(made);  // the shortcut
            drop(x);
            x = made;
        }
        keep(past, made);
    }
    void residualBlocks(KeptFrames& past, std::int64_t count, double channels, Features& x) {
        for (std::int64_t block = 0; block < count; ++block)
            residualBlock(past, channels, x);
    }

    /// Two residual blocks and the attention within frames between them.
    void middle(Features& x) {
        residualBlock(m_chunks, x.channels, x);
        const auto keys = static_cast<std::int64_t>(x.pixels);
        const double queryKeyValue = 3 * floatBytes * x.values();
        const double attended = floatBytes * (x.values() + real(wideAttentionScores(keys, keys)));
        take(x);  // normalised
        hold(queryKeyValue);
        drop(x);
        hold(attended);
        release(queryKeyValue + attended);
        residualBlock(m_chunks, x.channels, x);
    }

    Features begin(const Features& latents) {
        Features x = latents.withChannels(deepChannels());
        take(latents);
        take(x);
        keep(m_chunks, latents);
        middle(x);
        return x;
    }

    /// After the middle: some levels take the frames of a chunk together, those after the last that lengthens
    /// time take them one by one.
    void finish(Features x) {
        const std::size_t levels = m_config.dimMult.size();
        std::size_t together = 0;
        for (std::size_t index = 0; index + 1 < levels; ++index)
            if (m_config.temporalDownsample[levels - 2 - index])
                together = index + 1;
        for (std::size_t index = 0; index < together; ++index)
            growLevel(m_chunks, index, x);
        double pixels = 0;
        for (double frame = 0; frame < x.frames; ++frame) {
            m_frames.beginPass();
            Features own = x.frame();
            for (std::size_t index = together; index < levels; ++index)
                growLevel(m_frames, index, own);
            const Features normed = own.withChannels(own.channels);
            pixels = own.pixels * real(m_config.outChannels);
            take(normed);
            hold(floatBytes * pixels);
            keep(m_frames, normed);
            drop(own);
        }
        leave(pixels, x.frames);
        drop(x);
    }

    void growLevel(KeptFrames& past, std::size_t index, Features& x) {
        const std::size_t level = m_config.dimMult.size() - 1 - index;
        const double shortcut = m_config.isResidual && level > 0 ? m_valueBytes * x.values() : 0;
        hold(shortcut);
        residualBlocks(past, m_config.numResBlocks + 1,
                       real(m_config.decoderBaseDim * m_config.dimMult[level]), x);
        if (level > 0)
            enlarge(past, m_config.temporalDownsample[level - 1], x);
        release(shortcut);
    }

    void enlarge(KeptFrames& past, bool temporal, Features& x) {
        Features made = x.withChannels(x.channels / (m_config.isResidual ? 1 : 2));
        made.pixels *= 4;
        bool isKept = false;
        Features doubled;
        if (temporal && m_isFirst) {
            past.next();
        } else if (temporal) {
            made.frames *= 2;
            doubled = x.withChannels(2 * x.channels);
            take(doubled);
            isKept = remember(past, x);
        }
        take(made);
        drop(doubled);
        if (!isKept)
            drop(x);
        x = made;
    }

    /// So many frames of pixels are there; they are joined, and become bytes.
    void leave(double pixels, double frames) {
        const double all = frames * pixels;
        if (frames > 1)
            hold(floatBytes * all);
        hold(all - (frames > 1 ? floatBytes * all : 0));
        release(all + floatBytes * all);
    }

    void shrinkLevel(KeptFrames& past, std::size_t level, Features& x) {
        const double shortcut = m_config.isResidual ? bytesOf(x) : 0;
        hold(shortcut);
        residualBlocks(past, m_config.numResBlocks, encoderChannels(level), x);
        shrink(past, level, x);
        release(shortcut);
    }

    void shrink(KeptFrames& past, std::size_t level, Features& x) {
        if (level + 1 == m_config.dimMult.size())
            return;
        Features small = x;
        small.pixels /= 4;
        take(small);
        Features made = small;
        if (m_config.temporalDownsample[level]) {
            if (!m_isFirst) {
                made.frames /= 2;
                take(made);
            }
            double& kept = past.next();
            const Features last{.frames = 1, .pixels = small.pixels, .channels = small.channels};
            take(last);  // before the one that was kept goes
            release(kept * bytesOf(last));
            kept = 1;
            if (!m_isFirst)
                drop(small);
        }
        drop(x);
        x = made;
    }

    // ---- A small decoder ----

    void memoryBlocks(KeptFrames& past, Features& x) {
        constexpr int blocksOfLevel = 3;
        for (int block = 0; block < blocksOfLevel; ++block) {
            const Features made = x.withChannels(x.channels);
            take(made);
            const bool isKept = remember(past, x, 1);
            if (x.isPart)  // of a chunk, whose place in the past this one takes
                release(std::exchange(m_keptWhole, 0));
            take(made);  // two convolutions, one behind the other
            drop(made);
            if (!isKept)
                drop(x);
            x = made;
        }
    }

    [[nodiscard]] double growth(std::size_t level) const {
        return m_config.temporalDownsample[level] && !m_config.tiny->preview ? 2 : 1;
    }

    Features beginTiny(const Features& latents) {
        const std::vector<std::int64_t>& widths = m_config.tiny->widths;
        Features x = latents.withChannels(real(widths.front()));
        hold(floatBytes * latents.values());  // bounded
        take(x);
        release(floatBytes * latents.values());
        for (std::size_t level = 0; level + 2 < widths.size(); ++level) {
            memoryBlocks(m_chunks, x);
            const Features grown = x.withChannels(growth(level) * x.channels);
            const Features made{.frames = x.frames * growth(level),
                                .pixels = 4 * x.pixels,
                                .channels = real(widths[level + 1])};
            take(grown);
            take(made);
            drop(x);
            drop(grown);
            x = made;
        }
        return x;
    }

    /// The last level takes the frames of a chunk one by one, and keeps the last of them as a part of it.
    void finishTiny(const Features& x) {
        const std::size_t last = m_config.tiny->widths.size() - 2;
        const double area = (m_config.tiny->preview ? 1 : 4) * x.pixels;
        const double pixels = area * real(m_config.outChannels);
        const double behind = m_valueBytes * area * real(m_config.tiny->widths.back());
        double leftOut = m_isFirst ? real(m_config.temporalFactor()) - 1 : 0;
        double made = 0;
        for (double frame = 0; frame < x.frames; ++frame) {
            m_frames.beginPass();
            Features own = x.frame();
            memoryBlocks(m_frames, own);
            const Features grown = own.withChannels(growth(last) * own.channels);
            take(grown);
            double ofFrame = 0;
            for (double each = 0; each < growth(last); ++each) {
                if (leftOut-- > 0)
                    continue;
                hold(behind + floatBytes * pixels);
                release(behind);
                ++ofFrame;
            }
            if (ofFrame > 1) {  // joined
                hold(ofFrame * floatBytes * pixels);
                release(ofFrame * floatBytes * pixels);
            }
            made += ofFrame;
            drop(grown);
            drop(own);
        }
        leave(pixels, made);
        m_keptWhole = bytesOf(x);
    }

    const WanVaeConfig& m_config;
    double m_valueBytes;
    double m_held = 0;
    double m_most = 0;
    bool m_isFirst = true;   // chunk
    double m_keptWhole = 0;  // the chunk before, of which a convolution keeps frames
    KeptFrames m_chunks;     // for layers that take the frames of a chunk together
    KeptFrames m_frames;     // for those that take them one by one
};

/// The frames of each chunk: the first one goes alone. The past is as long as it gets behind a few.
std::vector<double> chunksOf(std::int64_t frames, std::int64_t chunk) {
    constexpr std::size_t most = 4;
    std::vector<double> chunks{1};
    for (std::int64_t done = 1; done < frames && chunks.size() < most; done += chunk)
        chunks.push_back(real(std::min(chunk, frames - done)));
    return chunks;
}

}  // namespace

double vaeDecodeBytesOnGpu(const WanVaeConfig& config, DType activations, const GpuDecoding& video) {
    const std::vector<double> chunks = chunksOf(video.latentFrames, video.chunk);
    FeatureWalk walk(config, activations);
    if (video.partPixels >= video.framePixels) {
        for (const double frames : chunks)
            walk.decode(frames, video.framePixels);
        return walk.most();
    }
    FeatureWalk strip(config, activations);
    for (const double frames : chunks) {
        walk.decodeFront(frames, video.framePixels);
        strip.decodeBack(frames, video.partPixels);
    }
    return std::max(walk.most(), strip.most());
}

double vaeEncodeBytesOnGpu(const WanVaeConfig& config, DType activations, double pixels, std::int64_t frames,
                           std::int64_t chunk) {
    FeatureWalk walk(config, activations);
    for (const double together : chunksOf(frames, chunk))
        walk.encode(together, pixels);
    return walk.most();
}

}  // namespace meshreel
