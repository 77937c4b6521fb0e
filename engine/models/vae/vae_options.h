// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include "engine/kernels/linear/arithmetic.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What a VAE computes in, each f32 or bf16. Sums, norms and attention are f32 in any case, and so are the
/// pixels and latents that go in and come out.
struct VaePrecision {
    DType activations = DType::F32;  ///< for the features between layers, and the factors of all products
    DType weights = DType::F32;      ///< the weights are rounded to it

    [[nodiscard]] Arithmetic products() const {
        return activations == DType::BF16 ? Arithmetic::BF16 : Arithmetic::F32;
    }

    friend bool operator==(const VaePrecision&, const VaePrecision&) = default;
};

/// What of a VAE is in memory.
enum class VaeParts { Whole, EncoderOnly, DecoderOnly };

/// How much goes through a VAE together. After the first frame, which goes alone: so many frames, -1: all.
/// The result has the same bits whatever they are; memory grows with them.
struct VaeChunks {
    std::int64_t decode = 1;  ///< latent frames
    std::int64_t encode = 4;  ///< frames, a multiple of 4
    /// Strips that one device decodes frames in, one after the other, where the features of whole frames do
    /// not fit its memory. Each is decoded with the columns beside it that it depends on.
    std::int64_t stripsInTurn = 1;

    friend bool operator==(const VaeChunks&, const VaeChunks&) = default;
};

/// Told after each chunk of an encode or decode: frames of the result that are done, and in all (over batch,
/// tiles and strips), as the first chunk has one frame and the others have more. On a mesh a chunk counts
/// when all devices are done with it, and samples that groups share count once.
using VaeProgress = std::function<void(int done, int total)>;

/// What a chunk of a sample has become, as it will be in the result.
struct VaeChunk {
    std::int64_t sample = 0;  ///< index in the batch
    std::int64_t first = 0;   ///< frame of the result that it begins at
    Tensor result;  ///< [1, C, T, H, W], a copy; or frames [T, H, W, C], which share the result's memory
};

/// Told of every chunk before it counts as done: of each sample in order, the samples that groups of devices
/// work on at a time by turns.
using VaeChunkResult = std::function<void(const VaeChunk& chunk)>;

/// What a device reports while the mesh works on a video; each may be empty.
struct VaeEvents {
    VaeProgress progress = {};
    VaeChunkResult chunk = {};  ///< where the result is joined
};

}  // namespace meshreel
