// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/models/text_encoder/umt5_config.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

/// The weights of one layer of a UMT5 encoder.
struct Umt5Layer {
    Tensor attentionNorm;  ///< f32 [dModel]
    PackedMatrix query, key, value, output;
    Tensor relativeBias;     ///< f32 [buckets, heads]
    Tensor feedForwardNorm;  ///< f32 [dModel]
    PackedMatrix gate, up, down;
};

/// Throws Error{Input} when the checkpoint lacks one of the layer's tensors or has it in another shape.
void requireUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index);

/// Reads a layer whose linear layers multiply in `arithmetic`: for F32, tensors that the checkpoint holds as
/// f32 stay in its map and others are converted into `memory`, where umt5LayerBytes() are enough for all;
/// others are packed. The layer is used up when the arena's frame ends.
Umt5Layer readUmt5Layer(const Execution& execution, const Umt5Config& config, const Checkpoint& checkpoint,
                        std::int64_t index, Arithmetic arithmetic, ScratchArena& memory);

/// Of the tensors of a layer that readUmt5Layer converts.
std::size_t umt5LayerBytes(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index,
                           Arithmetic arithmetic = Arithmetic::F32);

/// Asks for the layer's part of the checkpoint's map to be read from the disk, without waiting.
void prefetchUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index);

/// Gives the layer's part of the checkpoint's map back to the system.
void releaseUmt5Layer(const Umt5Config& config, const Checkpoint& checkpoint, std::int64_t index);

}  // namespace meshreel
