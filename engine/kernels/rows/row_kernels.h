// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "engine/base/number_types.h"
#include "engine/kernels/dispatch/cpu_features.h"

namespace meshreel {

/// Weights of a row of pairs (2i, 2i+1), taken apart: even[i] and odd[i].
struct PairWeights {
    const float* even = nullptr;
    const float* odd = nullptr;
};

/// Rotation of the pairs of one head, the same for all heads of a token: nullptr leaves them unchanged.
struct PairRotation {
    const float* cos = nullptr;
    const float* sin = nullptr;
};

/// Work on one row of bf16, in f32 lanes of a fixed order: the bits follow from the row and the instruction
/// set alone. Rounding to bf16 is to the nearest, ties to even.
struct RowKernels {
    std::string_view isa;  ///< "avx512", "avx2"
    /// y = (x - mean)/√(variance + epsilon) · gamma + beta; without both where gamma is nullptr.
    void (*layerNorm)(const float* x, std::size_t width, float epsilon, const float* gamma, const float* beta,
                      BFloat16* y);
    /// Σ x² of `pairs` pairs.
    float (*squares)(const BFloat16* x, std::size_t pairs);
    /// Works in place on heads of `pairs` pairs each: x · factor · gamma (without gamma: x), then rotates.
    void (*scaleAndRotate)(BFloat16* x, std::size_t heads, std::size_t pairs, float factor, PairWeights gamma,
                           PairRotation rotation);
};

/// Returns the candidates that `meshreel isa` lists.
std::span<const KernelCandidate> rowKernelCandidates();

/// Returns the kernels that are not rejected, the widest first.
std::span<const RowKernels> availableRowKernels();

/// Returns the widest of them.
inline const RowKernels& rowKernels() {
    return availableRowKernels().front();
}

/// The activations of elementwise.h that are made of exponentials, on the calling thread. An element becomes
/// the same bits on every instruction set, in every place.
struct ActivationKernels {
    std::string_view isa;  ///< equal to RowKernels'
    void (*geluTanh)(std::span<float> values);
    void (*geluQuick)(std::span<float> values);
    void (*silu)(std::span<float> values);
};

/// Returns the kernels that this CPU can run, the widest first; for the instruction sets of
/// rowKernelCandidates().
std::span<const ActivationKernels> availableActivationKernels();

/// Returns the widest of them.
inline const ActivationKernels& activationKernels() {
    return availableActivationKernels().front();
}

}  // namespace meshreel
