// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/tensor/memory.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

// Encoders run once or twice a generation, so that their weights stay in the checkpoint's map and come into
// memory a layer at a time.

/// Where an encoder computes, and what its linear layers round their factors to.
struct EncoderPlace {
    Arithmetic arithmetic = Arithmetic::F32;
    Memory* memory = nullptr;  ///< memory of a GPU, which computes; null: the workers do

    /// Returns the type of rows that linear layers multiply. Kernels of the CPU round them by themselves.
    [[nodiscard]] DType factors() const {
        return memory != nullptr && arithmetic == Arithmetic::BF16 ? DType::BF16 : DType::F32;
    }
};

/// A tensor of such a layer.
struct StreamedTensor {
    std::string name;
    Shape shape;
    bool linear = false;  ///< the weight of a linear layer
};

/// Throws Error{Input} when the checkpoint lacks one of them or has it in another shape.
void requireTensors(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors);

/// Reads as f32: returns a view of the map if the checkpoint stores f32, otherwise a copy in `memory`.
Tensor readAsF32(const Execution& execution, const Checkpoint& checkpoint, const StreamedTensor& tensor,
                 ScratchArena& memory);

/// Returns a linear layer, with or without a bias that readAsF32 read. For F32 the weight is read like the
/// bias; otherwise the matmul gets what the checkpoint holds. A GPU gets a copy in its memory: bf16 for
/// products of bf16 or where the checkpoint has it so, else f32.
PackedMatrix readLinear(const Execution& execution, const Checkpoint& checkpoint,
                        const StreamedTensor& weight, const Tensor* bias, const EncoderPlace& place,
                        ScratchArena& memory);

/// Returns the memory of the host that reading all of them takes in an arena.
std::size_t streamedBytes(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors,
                          const EncoderPlace& place);

/// Returns bf16 when the checkpoint stores the weights of all their linear layers so, else f32.
DType storedLinearType(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors);

/// Returns the bytes of a GPU's memory that their linear layers take there, stored as storedLinearType()
/// says; biases follow their weights.
std::size_t gpuLinearBytes(std::span<const StreamedTensor> tensors, DType stored, Arithmetic arithmetic);

/// Asks for their part of the checkpoint's map to be read from the disk, without waiting.
void prefetchTensors(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors);

/// Gives their part of the checkpoint's map back to the system.
void releaseTensors(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors);

/// Returns a tensor of this name and shape, as f32.
Tensor loadF32(const Checkpoint& checkpoint, const std::string& name, const Shape& shape);

}  // namespace meshreel
