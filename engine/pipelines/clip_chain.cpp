// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pipelines/clip_chain.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/tensor/tensor_operations.h"

namespace meshreel {

Tensor chainChannels(const Tensor& anchor, const std::optional<Tensor>& before, std::int64_t motion,
                     std::int64_t latentFrames, std::int64_t temporalFactor) {
    const std::int64_t height = anchor.extent(3);
    const std::int64_t width = anchor.extent(4);
    std::vector<Tensor> latents{anchor};
    std::int64_t taken = anchor.extent(frameAxis);
    if (before && motion > 0) {
        const std::int64_t end = before->extent(frameAxis);
        latents.push_back(sliced(*before, frameAxis, end - motion, end));
        taken += motion;
    }
    if (taken < latentFrames)
        latents.push_back(
            Tensor::zeros({1, anchor.extent(channelAxis), latentFrames - taken, height, width}));
    Tensor mask = Tensor::zeros({1, temporalFactor, latentFrames, height, width});
    const auto area = static_cast<std::size_t>(height * width);
    for (std::int64_t channel = 0; channel < temporalFactor; ++channel)
        std::ranges::fill(
            mask.data<float>().subspan(static_cast<std::size_t>(channel * latentFrames) * area, area), 1.0F);
    return joined({mask, joined(latents, frameAxis)}, channelAxis);
}

VisualConditioning conditionOnChain(const VisualInputs& inputs, const VideoGeometry& geometry,
                                    const EncodeVideo& encode) {
    const std::optional<Tensor> before = latentsOfClip(inputs, encode);
    VisualConditioning visual;
    visual.channels =
        chainChannels(encode(*inputs.image), before, 1, (geometry.frames - 1) / geometry.temporalFactor + 1,
                      geometry.temporalFactor);
    visual.imageTokens = inputs.imageTokens;
    return visual;
}

}  // namespace meshreel
