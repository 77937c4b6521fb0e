// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/control_conditioning.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/models/wan/wan_inputs.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

/// The latents [1, z, n, h, w] of the first frames, with zeros behind them: [1, z, F, h, w].
Tensor withZerosBehind(const Tensor& first, const Shape& latents) {
    const std::int64_t rest = latents[frameAxis] - first.extent(frameAxis);
    return rest == 0 ? first : joined({first, Tensor::zeros(latents.with(frameAxis, rest))}, frameAxis);
}

/// What a model is given for the first frames.
struct FirstFrames {
    Tensor channels;  ///< [1, C, F, h, w]
    std::vector<GivenLatents> given;
};

/// `latents` [1, z, F, h, w]: those of the control video.
FirstFrames firstFrames(const VisualInputs& inputs, const VideoGeometry& geometry, const Shape& latents,
                        const EncodeVideo& encode, const ControlWay& way) {
    const std::int64_t factor = geometry.temporalFactor;
    if (!inputs.image)
        return {.channels =
                    Tensor::zeros(latents.with(channelAxis, latents[channelAxis] + (way.marks ? factor : 0))),
                .given = {}};
    if (!way.marks)
        return {.channels = withZerosBehind(encode(*inputs.image), latents), .given = {}};
    const GivenFrames frames{{.first = 0, .pixels = *inputs.image}};
    const Tensor seen = encode(givenVideo(frames, geometry));
    const std::int64_t end = (inputs.image->extent(frameAxis) - 1) / factor + 1;
    FirstFrames first{
        .channels = joined({givenMask(frames, geometry, latents[3], latents[4]), seen}, channelAxis),
        .given = {}};
    if (way.tokenTimesteps)
        first.given = {{.first = 0, .latents = sliced(seen, frameAxis, 0, end)}};
    return first;
}

}  // namespace

VisualConditioning conditionOnControl(const VisualInputs& inputs, const VideoGeometry& geometry,
                                      const EncodeVideo& encode, const ControlWay& way,
                                      std::span<const GroupShape> groups) {
    const Tensor control = encode(*inputs.video);
    FirstFrames first = firstFrames(inputs, geometry, control.shape(), encode, way);
    VisualConditioning visual;
    visual.imageTokens = inputs.imageTokens;
    visual.channels = joined({control, first.channels}, channelAxis);
    visual.given = std::move(first.given);
    for (const GroupShape& group : groups)
        visual.groups.push_back({.latents = inputs.references.empty() ? Tensor::zeros(group.latents)
                                                                      : encode(inputs.references.front()),
                                 .firstFrame = group.firstFrame,
                                 .embedding = group.embedding});
    return visual;
}

}  // namespace meshreel
