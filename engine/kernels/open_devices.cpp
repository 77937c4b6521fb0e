// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/open_devices.h"

#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_work.h"

namespace meshreel {

std::vector<std::shared_ptr<ComputeDevice>> openDevices(std::span<const ChosenGpu> chosen,
                                                        std::size_t blockBytes, GpuExchange exchange) {
    const std::vector<std::shared_ptr<GpuWork>> opened = openGpus(chosen, blockBytes, exchange);
    return {opened.begin(), opened.end()};
}

std::vector<std::shared_ptr<ComputeDevice>> openDevices(std::span<const ChosenGpu> chosen) {
    return openDevices(chosen, GpuPool::usualBlock, GpuExchange::Staged);
}

std::shared_ptr<ComputeDevice> openDevice(const ChosenGpu& chosen) {
    return openDevices(std::span(&chosen, 1)).front();
}

}  // namespace meshreel
