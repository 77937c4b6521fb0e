// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/planning/run_plan.h"
#include "engine/tensor/dtype.h"

namespace meshreel {

/// One axis of a tensor: who shares it out.
struct ShardedAxis {
    std::string name;         ///< "batch", "tokens", "heads"
    std::int64_t extent = 0;  ///< extent of the whole tensor
    std::string over = {};    ///< "context 4", "data 2 x fsdp 2"; empty: every device has all of it
    int parts = 1;

    /// Returns the extent on the device with the most.
    [[nodiscard]] std::int64_t perDevice() const { return (extent + parts - 1) / parts; }
};

/// A kind of tensor and what one device keeps of it.
struct TensorSharding {
    std::string tensor;  ///< "hidden states", "block weights to_q, to_k, to_v"
    std::vector<ShardedAxis> axes;
    DType type = DType::F32;
    int copies = 1;  ///< equal ones side by side (a weight of every block)
    /// Devices that divide the elements in equal parts whatever their axes: weights over fsdp.
    int flatParts = 1;
    std::string note = {};  ///< what else happens to it, or empty

    [[nodiscard]] std::uint64_t bytesPerDevice() const;  ///< all copies
};

/// Returns every tensor kind of the run, in the order of use: text, latents, activations, weights, VAE.
std::vector<TensorSharding> shardingTable(const RunPlan& plan);

/// Returns the table for people: a line for each kind.
std::string describeSharding(const RunPlan& plan);

}  // namespace meshreel
