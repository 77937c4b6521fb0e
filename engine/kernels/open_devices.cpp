// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/open_devices.h"

#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_work.h"

namespace meshreel {

std::vector<std::shared_ptr<ComputeDevice>> openDevices(std::span<const ChosenGpu> chosen,
                                                        std::size_t blockBytes, GpuExchange exchange) {
    const std::vector<std::shared_ptr<GpuWork>> opened = openGpus(chosen, blockBytes, exchange);
    return {opened.begin(), opened.end()};
}

Sentence whyExchangeFell(ComputeDevice& device) {
    auto* work = dynamic_cast<GpuWork*>(&device);
    if (work == nullptr || work->whyExchangeFell().empty())
        return {};
    const GpuExchange way = work->memory().whyStaged().empty() ? work->gpu().exchange() : GpuExchange::Staged;
    return sentence("{} exchanges numbers in the way {}, not as planned: {}", work->name(), enumName(way),
                    work->whyExchangeFell());
}

std::vector<std::shared_ptr<ComputeDevice>> openDevices(std::span<const ChosenGpu> chosen) {
    return openDevices(chosen, GpuPool::usualBlock, GpuExchange::Staged);
}

std::shared_ptr<ComputeDevice> openDevice(const ChosenGpu& chosen) {
    return openDevices(std::span(&chosen, 1)).front();
}

}  // namespace meshreel
