// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/given_frames.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

// Axes of videos and latents, [batch, channels, frames, height, width].
constexpr std::size_t planesAxis = 1;
constexpr std::size_t timeAxis = 2;

/// Copies frames, all channels of one video, to a place of another.
void copyFrames(const Tensor& frames, Tensor& video, std::int64_t first) {
    const auto area = static_cast<std::size_t>(video.extent(3) * video.extent(4));
    const auto count = static_cast<std::size_t>(frames.extent(timeAxis));
    const auto all = static_cast<std::size_t>(video.extent(timeAxis));
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(video.extent(planesAxis)); ++plane)
        std::ranges::copy(
            frames.data<float>().subspan(plane * count * area, count * area),
            video.data<float>().subspan((plane * all + static_cast<std::size_t>(first)) * area).begin());
}

/// Rows of the mask, [begin, end), that stand for a stretch.
struct MaskRows {
    std::int64_t begin;
    std::int64_t end;
};

MaskRows rowsOf(const GivenStretch& stretch, std::int64_t temporalFactor) {
    const auto behind = [&](std::int64_t frame) { return frame == 0 ? 0 : frame + temporalFactor - 1; };
    const MaskRows own{behind(stretch.first), behind(stretch.end())};
    if (!stretch.marks)
        return own;
    return {own.begin / temporalFactor * temporalFactor,
            (own.end + temporalFactor - 1) / temporalFactor * temporalFactor};
}

/// A stretch behind its first frame and up to the end of a latent.
Tensor behindItself(const Tensor& pixels, std::int64_t temporalFactor) {
    const std::int64_t count = pixels.extent(timeAxis);
    std::vector<Tensor> frames{sliced(pixels, timeAxis, 0, 1), pixels};
    for (std::int64_t frame = count; frame % temporalFactor != 0; ++frame)
        frames.push_back(sliced(pixels, timeAxis, count - 1, count));
    return joined(frames, timeAxis);
}

}  // namespace

Tensor givenVideo(const GivenFrames& given, const VideoGeometry& geometry) {
    const std::int64_t colours = given.front().pixels.extent(planesAxis);
    Tensor video = Tensor::zeros({1, colours, geometry.frames, geometry.height, geometry.width});
    for (const GivenStretch& stretch : given)
        copyFrames(stretch.pixels, video, stretch.first);
    return video;
}

Tensor givenMask(const GivenFrames& given, const VideoGeometry& geometry, std::int64_t height,
                 std::int64_t width, int expert) {
    const std::int64_t factor = geometry.temporalFactor;
    const std::int64_t frames = (geometry.frames - 1) / factor + 1;
    Tensor mask = Tensor::zeros({1, factor, frames, height, width});
    const auto area = static_cast<std::size_t>(height * width);
    for (const GivenStretch& stretch : given) {
        const float mark = stretch.marks ? stretch.marks->at(static_cast<std::size_t>(expert - 1)) : 1.0F;
        const MaskRows rows = rowsOf(stretch, factor);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const auto plane = static_cast<std::size_t>(row % factor * frames + row / factor);
            std::ranges::fill(mask.data<float>().subspan(plane * area, area), mark);
        }
    }
    return mask;
}

void putGiven(const GivenFrames& given, Tensor& video, Tensor& mask) {
    for (const GivenStretch& stretch : given) {
        copyFrames(stretch.pixels, video, stretch.first);
        copyFrames(Tensor::zeros(stretch.pixels.shape()), mask, stretch.first);
    }
}

std::vector<GivenLatents> encodeGiven(const GivenFrames& given, const VideoGeometry& geometry,
                                      const EncodeVideo& encode) {
    const std::int64_t factor = geometry.temporalFactor;
    std::vector<GivenLatents> latents;
    for (const GivenStretch& stretch : given) {
        const bool isLast = stretch.first == geometry.frames - 1;
        const std::int64_t place = (stretch.first + factor - 1) / factor;
        if (stretch.first == 0 || isLast) {
            latents.push_back({place, encode(stretch.pixels)});
            continue;
        }
        const Tensor behind = encode(behindItself(stretch.pixels, factor));
        latents.push_back({place, sliced(behind, timeAxis, 1, behind.extent(timeAxis))});
    }
    return latents;
}

Tensor withGiven(const Tensor& latents, const std::vector<GivenLatents>& given) {
    std::vector<Tensor> frames;
    std::int64_t next = 0;
    const auto takeUpTo = [&](std::int64_t end) {
        if (end > next)
            frames.push_back(sliced(latents, timeAxis, next, end));
    };
    for (const GivenLatents& stretch : given) {
        takeUpTo(stretch.first);
        frames.push_back(repeated(stretch.latents, latents.extent(0)));
        next = stretch.first + stretch.latents.extent(timeAxis);
    }
    takeUpTo(latents.extent(timeAxis));
    return joined(frames, timeAxis);
}

}  // namespace meshreel
