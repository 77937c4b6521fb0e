// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sampling/scheduler.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Correlation of a value of the latents with the same one a latent frame later, taken for granted where new
/// frames follow known ones. Chosen by what docs/embedded-model.md measures.
inline constexpr double latentCorrelation = 0.85;

/// Returns which part of the last known frame's error each of `frames` latent frames behind it shares, the
/// nearest first, when all are seen with the noise of `level`.
///
/// Conditional mean of a Gaussian. Along time a value is a stationary process of first order with variance 1
/// and `correlation` ρ, in (0, 1); the noisy sample tells each frame's with the noise s = σ / α. The
/// precision of all frames given the sample is then tridiagonal, b = ρ / (1 − ρ²) beside the diagonal, on it
/// a = (1 + ρ²) / (1 − ρ²) + 1/s², and in the last frame 1 / (1 − ρ²) + 1/s². So of the known frames the last
/// one alone counts, and frame i shares c_i of the error of the one before it: c_n = b / a_n,
/// c_i = b / (a_i − b·c_{i+1}). In noise alone that is ρ, without noise nothing.
std::vector<double> sharedErrors(const NoiseLevel& level, double correlation, std::int64_t frames);

/// Returns the velocities [videos, C, F, h, w] that a model predicted for `sample` at a step, changed so that
/// what it predicts behind the known frames [1, C, K, h, w], which are the first of all, follows the last of
/// them: with the clean sample x0 = sample − σ·velocity, that of frame K + i becomes
/// x0 + share_i·(known − x0)(frame K − 1), shares as above. Given the known frames with as much noise as the
/// others have, a model knows less of them than there is to know; this is what the rest says of the new ones.
/// All f32.
Tensor followingKnown(const Tensor& velocity, const Tensor& sample, const Tensor& known,
                      const Scheduler& scheduler, int step, double correlation = latentCorrelation);

}  // namespace meshreel
