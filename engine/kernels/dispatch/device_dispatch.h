// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>

#include "engine/base/error.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_work.h"
#include "engine/kernels/execution.h"
#include "engine/tensor/compute_device.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/memory.h"

namespace meshreel {

// Where an operation computes: the first argument of each of its kernels. dispatch() calls the kernel of the
// device in whose memory the operands are, prepareIn() that in whose memory a layer is to lie; a missing one
// does not compile. A further DeviceApi is two more structs here, one more case in both functions, and a
// kernel of every operation in a folder of its own.

/// The host's workers compute.
struct OnHost {
    const Execution& execution;
};

/// A GPU computes, driven by Vulkan: work is recorded, not awaited.
struct OnVulkan {
    const Execution& execution;
    GpuWork& gpu;

    [[nodiscard]] GpuPipelines& pipelines() const { return gpu.pipelines(); }
    [[nodiscard]] GpuStream& stream() const { return gpu.stream(); }
};

/// Where a layer is prepared whose kernels Vulkan runs: its weights go into this memory.
struct InVulkan {
    Memory& memory;
    GpuWork& gpu;

    [[nodiscard]] GpuPipelines& pipelines() const { return gpu.pipelines(); }
};

/// Returns the device in whose memory all operands lie, weights that are streamed included, or null: all are
/// in the host's. Throws Error{Internal} when they lie in two memories, or in one that the execution's device
/// does not have.
ComputeDevice* operandDevice(const Execution& execution, std::initializer_list<MatrixView> operands);

/// Returns the device as Vulkan drives it. Throws Error{Internal} when something else does.
GpuWork& vulkanGpu(ComputeDevice& device);

/// Returns the execution's device, its work obeying the execution's stop token. Throws Error{Internal} when
/// there is none, or Vulkan does not drive it.
OnVulkan onVulkan(const Execution& execution);

/// Calls `compute` with where the operands lie, OnHost or OnVulkan, and returns its result. Throws as
/// operandDevice() does.
template <typename Compute>
auto dispatch(const Execution& execution, std::initializer_list<MatrixView> operands,
              const Compute& compute) {
    ComputeDevice* const device = operandDevice(execution, operands);
    if (device == nullptr)
        return compute(OnHost{execution});
    switch (device->api()) {
        case DeviceApi::Vulkan:
            return compute(onVulkan(execution));
    }
    throw Error(ErrorKind::Internal, "an operation has no kernel for this device");
}

/// Calls `prepare` with where the layer is to lie, InVulkan, and returns its result.
template <typename Prepare>
auto prepareIn(Memory& memory, const Prepare& prepare) {
    switch (memory.device().api()) {
        case DeviceApi::Vulkan:
            return prepare(InVulkan{.memory = memory, .gpu = vulkanGpu(memory.device())});
    }
    throw Error(ErrorKind::Internal, "a layer has no kernel for this memory");
}

}  // namespace meshreel
