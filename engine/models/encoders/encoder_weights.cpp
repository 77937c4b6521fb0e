// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/encoders/encoder_weights.h"

#include <algorithm>

#include "engine/base/numbers.h"
#include "engine/tensor/tensor_operations.h"

namespace meshreel {
namespace {

/// Returns the type in which a GPU holds such a weight.
DType gpuType(DType stored, Arithmetic arithmetic) {
    return arithmetic == Arithmetic::BF16 || stored == DType::BF16 ? DType::BF16 : DType::F32;
}

Tensor readForGpu(const Execution& execution, const Checkpoint& checkpoint, const StreamedTensor& weight,
                  Arithmetic arithmetic) {
    const Tensor stored = checkpoint.get(weight.name, weight.shape);
    const DType type = gpuType(stored.dtype(), arithmetic);
    if (stored.dtype() == type)
        return stored;
    Tensor result = Tensor::empty(stored.shape(), type);
    execution.workers.parallelFor(stored.extent(0), [&](std::int64_t begin, std::int64_t end) {
        result.slice(begin, end).assign(stored.slice(begin, end).to(type));
    });
    return result;
}

}  // namespace

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
                        const StreamedTensor& weight, const Tensor* bias, const EncoderPlace& place,
                        ScratchArena& memory) {
    const Arithmetic arithmetic = place.arithmetic;
    if (place.memory != nullptr)
        return PackedMatrix::keepIn(*place.memory, readForGpu(execution, checkpoint, weight, arithmetic),
                                    bias, arithmetic);
    return arithmetic == Arithmetic::F32
               ? PackedMatrix::pack(readAsF32(execution, checkpoint, weight, memory), bias)
               : PackedMatrix::stream(checkpoint.get(weight.name, weight.shape), bias, arithmetic);
}

std::size_t streamedBytes(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors,
                          const EncoderPlace& place) {
    std::size_t bytes = 0;
    for (const StreamedTensor& tensor : tensors) {
        const bool converted =
            !tensor.linear || (place.arithmetic == Arithmetic::F32 && place.memory == nullptr);
        if (converted && checkpoint.get(tensor.name, tensor.shape).dtype() != DType::F32)
            bytes += ScratchArena::bytesOf(tensor.shape);
    }
    return bytes;
}

DType storedLinearType(const Checkpoint& checkpoint, std::span<const StreamedTensor> tensors) {
    const bool isNarrow = std::ranges::all_of(tensors, [&](const StreamedTensor& tensor) {
        return !tensor.linear || checkpoint.get(tensor.name, tensor.shape).dtype() == DType::BF16;
    });
    return isNarrow ? DType::BF16 : DType::F32;
}

std::size_t gpuLinearBytes(std::span<const StreamedTensor> tensors, DType stored, Arithmetic arithmetic) {
    constexpr std::int64_t alignment = 256;  // of a GPU's tensors
    const auto bytesOf = [](const Shape& shape, DType type) {
        const auto bytes = shape.elements() * static_cast<std::int64_t>(byteSize(type));
        return static_cast<std::size_t>(roundUp(bytes, alignment));
    };
    std::size_t bytes = 0;
    bool isBiasOfLinear = false;
    for (const StreamedTensor& tensor : tensors) {
        if (tensor.linear)
            bytes += bytesOf(tensor.shape, gpuType(stored, arithmetic));
        else if (isBiasOfLinear && tensor.name.ends_with(".bias"))
            bytes += bytesOf(tensor.shape, DType::F32);
        isBiasOfLinear = tensor.linear;
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
