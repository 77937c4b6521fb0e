// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/dispatch/device_dispatch.h"

#include <algorithm>

#include "engine/tensor/memory.h"

namespace meshreel {

ComputeDevice* operandDevice(const Execution& execution, std::initializer_list<MatrixView> operands) {
    const auto onHost = std::ranges::count_if(operands, &MatrixView::isOnHost);
    if (onHost == std::ssize(operands))
        return nullptr;
    if (onHost > 0)
        throw Error(ErrorKind::Internal, "a kernel met rows in two memories");
    Memory* const memory = execution.memory();
    const auto isOfDevice = [memory](const MatrixView& operand) {
        return memory != nullptr &&
               (operand.memory() == memory || operand.memory() == &memory->forStreaming());
    };
    if (!std::ranges::all_of(operands, isOfDevice))
        throw Error(ErrorKind::Internal, "a kernel met rows of a device that is not the execution's");
    return execution.gpu;
}

GpuWork& vulkanGpu(ComputeDevice& device) {
    if (device.api() != DeviceApi::Vulkan)
        throw Error(ErrorKind::Internal, "a kernel of Vulkan met another device");
    return static_cast<GpuWork&>(device);
}

OnVulkan onVulkan(const Execution& execution) {
    if (execution.gpu == nullptr)
        throw Error(ErrorKind::Internal, "a kernel of Vulkan met an execution without its device");
    GpuWork& gpu = vulkanGpu(*execution.gpu);
    gpu.stream().obey(execution.stop);
    return {.execution = execution, .gpu = gpu};
}

}  // namespace meshreel
