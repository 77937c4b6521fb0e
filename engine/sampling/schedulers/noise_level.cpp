// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/schedulers/noise_level.h"

#include <cmath>

namespace meshreel {

NoiseLevel noiseLevel(float sigma, bool flow) {
    const float alpha = flow ? 1.0F - sigma : 1.0F / std::sqrt(sigma * sigma + 1.0F);
    const float scaled = flow ? sigma : sigma * alpha;
    return {alpha, scaled, std::log(alpha) - std::log(scaled)};
}

}  // namespace meshreel
