// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/encoder_weights.h"

#include "engine/tensor/tensor_operations.h"

namespace meshreel {

void requireTensors(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors) {
    for (const StreamedTensor& tensor : tensors)
        checkpoint.require(tensor.name, tensor.shape);
}

Tensor readAsF32(const Execution& execution, const Checkpoint& checkpoint, const StreamedTensor& tensor,
                 ScratchArena& memory) {
    const Tensor stored = checkpoint.get(tensor.name, tensor.shape);
    if (stored.dtype() == DType::F32)
        return stored;
    Tensor result = memory.take(stored.shape());
    execution.workers.parallelFor(stored.extent(0), [&](std::int64_t begin, std::int64_t end) {
        copyAsF32(stored.slice(begin, end), result.slice(begin, end).data<float>());
    });
    checkpoint.release(tensor.name);
    return result;
}

PackedMatrix readLinear(const Execution& execution, const Checkpoint& checkpoint,
                        const StreamedTensor& weight, const Tensor* bias, Arithmetic arithmetic,
                        ScratchArena& memory) {
    return arithmetic == Arithmetic::F32
               ? PackedMatrix::pack(readAsF32(execution, checkpoint, weight, memory), bias)
               : PackedMatrix::stream(checkpoint.get(weight.name, weight.shape), bias, arithmetic);
}

std::size_t streamedBytes(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors,
                          Arithmetic arithmetic) {
    std::size_t bytes = 0;
    for (const StreamedTensor& tensor : tensors) {
        const bool converted = arithmetic == Arithmetic::F32 || !tensor.linear;
        if (converted && checkpoint.get(tensor.name, tensor.shape).dtype() != DType::F32)
            bytes += ScratchArena::bytesOf(tensor.shape);
    }
    return bytes;
}

void prefetchTensors(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors) {
    for (const StreamedTensor& tensor : tensors)
        checkpoint.prefetch(tensor.name);
}

void releaseTensors(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors) {
    for (const StreamedTensor& tensor : tensors)
        checkpoint.release(tensor.name);
}

Tensor loadF32(const Checkpoint& checkpoint, const std::string& name, const Shape& shape) {
    return checkpoint.get(name, shape).toF32();
}

}  // namespace meshreel
