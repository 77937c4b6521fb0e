// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// What the blocks of the transformer are computed in. All else is f32 whatever it says: the residual stream,
/// time and text embeddings, modulation, norms' sums, softmax, the first and the last projection.
struct WanPrecision {
    Arithmetic weights = Arithmetic::F32;  ///< of the blocks' linear layers
    DType activations = DType::F32;        ///< f32, or bf16: what runs between the blocks' operations

    /// How the blocks' linear layers multiply. Weights of bf16 with activations of f32 are rounded, then
    /// multiplied as f32.
    [[nodiscard]] Arithmetic linears() const {
        if (weights == Arithmetic::Int8)
            return Arithmetic::Int8;
        return activations == DType::BF16 ? Arithmetic::BF16 : Arithmetic::F32;
    }

    /// What the weights of the blocks' linear layers are held as until they are packed, and gathered as.
    [[nodiscard]] DType held() const {
        return weights == Arithmetic::F32 && activations == DType::F32 ? DType::F32 : DType::BF16;
    }

    friend bool operator==(const WanPrecision&, const WanPrecision&) = default;
};

}  // namespace meshreel
