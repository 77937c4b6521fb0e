// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/tensor/compute_device.h"

namespace meshreel {

/// Opens each GPU, in order, to compute for one device of a mesh. Those that are one GPU share nothing but
/// its speed. Their memory is taken in blocks of `blockBytes`, and they exchange numbers in this way, or in
/// another one: see whyExchangeFell(). Throws Error{Device}.
std::vector<std::shared_ptr<ComputeDevice>> openDevices(std::span<const ChosenGpu> chosen,
                                                        std::size_t blockBytes, GpuExchange exchange);

/// Returns which way a device takes and why, where that is a slower one than it was to take, always or since
/// a copy; empty where it is not.
Sentence whyExchangeFell(ComputeDevice& device);

/// Opens the devices with blocks of the usual size.
std::vector<std::shared_ptr<ComputeDevice>> openDevices(std::span<const ChosenGpu> chosen);
std::shared_ptr<ComputeDevice> openDevice(const ChosenGpu& chosen);

}  // namespace meshreel
