// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/video_shape.h"

#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace meshreel {
namespace {

/// Error{Project} for a size that this model cannot make, with the nearest ones that it can.
void requireMultiple(std::string_view key, std::int64_t value, std::int64_t step, std::int64_t offset) {
    if ((value - offset) % step == 0)
        return;
    const std::int64_t below = (value - offset) / step * step + offset;
    throw Error(ErrorKind::Project,
                offset == 0 ? sentence("{} is {}, and this model makes multiples of {}", key, value, step)
                            : sentence("{} is {}, and this model makes multiples of {} plus {}", key, value,
                                       step, offset),
                std::string(key),
                below > 0 ? sentence("The nearest legal values are {} and {}", below, below + step)
                          : sentence("The nearest legal value is {}", below + step));
}

void requireWithinRotary(std::string_view key, std::int64_t patches, const WanTransformerConfig& config) {
    if (patches > config.rotaryMaxLength)
        throw Error(ErrorKind::Project,
                    sentence("{} makes {} patches along one axis, and this model knows {} positions", key,
                             patches, config.rotaryMaxLength),
                    std::string(key), sentence("Make it smaller"));
}

}  // namespace

Shape latentShapeOf(const Project& project, const ModelFacts& model) {
    const std::int64_t spatial = model.vae.spatialFactor();
    const std::int64_t temporal = model.vae.temporalFactor();
    const auto& patch = model.transformer.patch;
    requireMultiple("height", project.height, spatial * patch[1], 0);
    requireMultiple("width", project.width, spatial * patch[2], 0);
    const std::int64_t frames = (project.numFrames - 1) / temporal + 1;
    requireMultiple("num_frames", project.numFrames, temporal * patch[0], temporal * (patch[0] - 1) + 1);
    requireWithinRotary("num_frames", frames / patch[0], model.transformer);
    requireWithinRotary("height", project.height / spatial / patch[1], model.transformer);
    requireWithinRotary("width", project.width / spatial / patch[2], model.transformer);
    return {1, model.vae.zDim, frames, project.height / spatial, project.width / spatial};
}

std::int64_t tokensOf(const Shape& latents, const WanTransformerConfig& config) {
    return latents[2] / config.patch[0] * (latents[3] / config.patch[1]) * (latents[4] / config.patch[2]);
}

}  // namespace meshreel
