// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <span>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/gpu/gpu_matrix.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

// From the types that models compute with (Execution, MatrixView, vectors of the host) to those that a GPU's
// kernels take.

/// Returns the GPU in whose memory all of the matrices are, its stream obeying the execution's stop token.
/// Throws Error{Internal} when one is not, or the execution has no GPU.
GpuWork& requireGpu(const Execution& execution, std::initializer_list<MatrixView> matrices);

/// Returns a matrix in a GPU's memory.
GpuMatrix gpuMatrix(const MatrixView& matrix);

/// Returns a tensor's address there; 0 for one without elements.
GpuAddress gpuAddress(const Tensor& tensor);

/// Returns a short vector of the host in the GPU's memory, for what is recorded next; 0 when it is empty.
inline GpuAddress gpuVector(GpuWork& gpu, std::span<const float> values) {
    return gpu.memory().copyForNextWork(std::as_bytes(values));
}

}  // namespace meshreel
