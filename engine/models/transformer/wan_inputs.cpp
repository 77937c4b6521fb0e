// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/transformer/wan_inputs.h"

namespace meshreel {

namespace {

constexpr std::int64_t maskedColours = 3;
constexpr std::int64_t facesPerLatent = 4;

}  // namespace

WanConditions WanConditions::zeros(const WanTransformerConfig& config, std::int64_t videos,
                                   std::int64_t latentFrames) {
    WanConditions conditions{.text = Tensor::zeros({videos, 1, config.textDim})};
    if (config.imageDim > 0)
        conditions.image = config.imagePositions > 0
                               ? Tensor::zeros({2 * videos, config.imagePositions / 2, config.imageDim})
                               : Tensor::zeros({videos, 1, config.imageDim});
    if (config.animate)
        conditions.faces = Tensor::zeros({videos, maskedColours, facesPerLatent * (latentFrames - 2) + 1,
                                          config.animate->faceSide, config.animate->faceSide});
    return conditions;
}

WanInputs WanInputs::zeros(const WanTransformerConfig& config, std::int64_t videos, std::int64_t frames,
                           std::int64_t rows, std::int64_t columns) {
    WanInputs inputs{.latents = Tensor::zeros({videos, config.inChannels, frames, rows, columns}),
                     .timesteps = Tensor::zeros({videos})};
    if (config.vaceChannels > 0)
        inputs.control = Tensor::zeros({videos, config.vaceChannels, frames, rows, columns});
    if (config.animate)
        inputs.pose = Tensor::zeros({videos, config.animate->poseChannels, frames - 1, rows, columns});
    return inputs;
}

}  // namespace meshreel
