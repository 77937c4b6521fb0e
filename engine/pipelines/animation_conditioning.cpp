// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/animation_conditioning.h"

#include <algorithm>

#include "engine/pipelines/video_axes.h"
#include "engine/tensor/joined.h"

namespace meshreel {
namespace {

/// The reference image as a latent frame that is given.
Tensor referenceChannels(const Tensor& image, const VideoGeometry& geometry, const EncodeVideo& encode) {
    const Tensor latents = encode(image);
    const Tensor given =
        Tensor::filled({1, geometry.temporalFactor, 1, latents.extent(3), latents.extent(4)}, 1.0F);
    return joined({given, latents}, channelAxis);
}

/// The segment before's last frames, and behind them the background, or nothing: 0.
Tensor givenVideo(const std::optional<Tensor>& background, const std::optional<Tensor>& before,
                  const Shape& segment) {
    const Tensor rest = background ? *background : Tensor::zeros(segment);
    if (!before)
        return rest;
    return joined({*before, sliced(rest, frameAxis, before->extent(frameAxis), segment[frameAxis])},
                  frameAxis);
}

/// Where the mask is black, at the latents' size by the nearest pixel: [1, 1, T, h, w].
Tensor keptPixels(const Tensor& mask, std::int64_t factor) {
    const std::int64_t frames = mask.extent(2);
    const std::int64_t height = mask.extent(3) / factor;
    const std::int64_t width = mask.extent(4) / factor;
    Tensor kept = Tensor::empty({1, 1, frames, height, width});
    const auto pixels = mask.data<float>();
    auto out = kept.data<float>().begin();
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                *out++ = 1.0F - pixels[static_cast<std::size_t>(
                                    (frame * mask.extent(3) + y * factor) * mask.extent(4) + x * factor)];
    return kept;
}

/// What is given of each frame of the segment.
Tensor givenFrames(const std::optional<Tensor>& mask, const std::optional<Tensor>& before,
                   const VideoGeometry& geometry) {
    const std::int64_t height = geometry.height / geometry.spatialFactor;
    const std::int64_t width = geometry.width / geometry.spatialFactor;
    Tensor given = mask ? keptPixels(*mask, geometry.spatialFactor)
                        : Tensor::zeros({1, 1, geometry.frames, height, width});
    if (before)
        std::ranges::fill(
            given.data<float>().first(static_cast<std::size_t>(before->extent(frameAxis) * height * width)),
            1.0F);
    return given;
}

}  // namespace

Tensor maskChannels(const Tensor& given, std::int64_t temporalFactor) {
    const std::int64_t frames = (given.extent(2) - 1) / temporalFactor + 1;
    const auto area = static_cast<std::size_t>(given.extent(3) * given.extent(4));
    Tensor channels = Tensor::empty({1, temporalFactor, frames, given.extent(3), given.extent(4)});
    auto out = channels.data<float>().begin();
    for (std::int64_t channel = 0; channel < temporalFactor; ++channel)
        for (std::int64_t frame = 0; frame < frames; ++frame) {
            const std::int64_t from = std::max<std::int64_t>(0, temporalFactor * (frame - 1) + 1 + channel);
            const auto plane =
                given.data<float>().subspan(frame == 0 ? 0 : static_cast<std::size_t>(from) * area, area);
            out = std::ranges::copy(plane, out).out;
        }
    return channels;
}

VisualConditioning conditionOnSegment(const VisualInputs& inputs, const VideoGeometry& geometry,
                                      const VideoSegments& segments, int segment,
                                      const std::optional<Tensor>& before, const EncodeVideo& encode) {
    const std::int64_t first = segments.firstFrame(segment);
    const auto own = [&](const std::optional<Tensor>& video) {
        return video ? std::optional(sliced(*video, frameAxis, first, first + segments.frames))
                     : std::nullopt;
    };
    const Shape shape{1, inputs.image->extent(1), segments.frames, geometry.height, geometry.width};
    const Tensor mask =
        maskChannels(givenFrames(own(inputs.mask), before, geometry), geometry.temporalFactor);
    const Tensor latents = encode(givenVideo(own(inputs.background), before, shape));

    VisualConditioning visual;
    visual.channels =
        joined({referenceChannels(*inputs.image, geometry, encode), joined({mask, latents}, channelAxis)},
               frameAxis);
    visual.imageTokens = inputs.imageTokens;
    visual.pose = encode(*own(inputs.pose));
    visual.faces = own(inputs.faces);
    return visual;
}

}  // namespace meshreel
