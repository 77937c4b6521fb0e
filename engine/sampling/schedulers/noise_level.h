// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace meshreel {

/// What a noise level means: sample = alpha * clean + sigma * noise. In f32, as upstream has it.
struct NoiseLevel {
    float alpha;
    float sigma;
    float lambda;  ///< half the log signal-to-noise ratio, log(alpha) - log(sigma)
};

/// `flow`: alpha = 1 - sigma. Otherwise `sigma` is noise over signal of a variance-preserving process.
NoiseLevel noiseLevel(float sigma, bool flow);

}  // namespace meshreel
