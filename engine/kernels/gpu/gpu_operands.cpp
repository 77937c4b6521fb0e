// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/gpu/gpu_operands.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/kernels/dispatch/device_dispatch.h"

namespace meshreel {

GpuWork& requireGpu(const Execution& execution, std::initializer_list<MatrixView> matrices) {
    const Memory* memory = execution.memory();
    if (memory == nullptr ||
        std::ranges::any_of(matrices, [&](const MatrixView& matrix) { return matrix.memory() != memory; }))
        throw Error(ErrorKind::Internal, "a kernel met rows in two memories");
    return onVulkan(execution).gpu;
}

GpuMatrix gpuMatrix(const MatrixView& matrix) {
    return {.address = reinterpret_cast<GpuAddress>(matrix.data()),
            .type = matrix.dtype(),
            .layout = {.rows = matrix.rows(), .width = matrix.width(), .stride = matrix.stride()}};
}

GpuAddress gpuAddress(const Tensor& tensor) {
    return tensor.elements() == 0 ? 0 : reinterpret_cast<GpuAddress>(tensor.address());
}

}  // namespace meshreel
