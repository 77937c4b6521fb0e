// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/models/families/model_family.h"

namespace meshreel {

/// Fun Control's channels beside the noise: the latents of the control video, a mask of the given first
/// frames where `marks`, and the latents of these. `latents`: channels of either.
constexpr std::int64_t controlChannels(std::int64_t latents, bool marks) {
    constexpr std::int64_t mask = 4;
    return 2 * latents + (marks ? mask : 0);
}

/// Returns whether a family of Fun Control is told by a mask which first frames are given. Wan 2.2 is,
/// Wan 2.1 is given the frames alone.
constexpr bool marksFirstFrames(const ModelFamily& family) {
    constexpr std::int64_t latents = 16;  // those of Wan 2.2's VAE are a multiple
    return family.traits.extraChannels % controlChannels(latents, false) != 0;
}

}  // namespace meshreel
