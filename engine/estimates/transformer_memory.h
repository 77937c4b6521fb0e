// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/attention/attention_plan.h"
#include "engine/catalogue/model_facts.h"
#include "engine/estimates/workload.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/wan_config.h"

// What the transformers take of memory.

namespace meshreel {

/// Bytes on one device while denoising: of the host's memory, or of the GPU's if one computes.
struct DeviceMemory {
    std::uint64_t weights = 0;   ///< what it keeps of the transformer, which devices with the same part share
    std::uint64_t used = 0;      ///< in addition while a layer is used: unpacked or streamed weights
    std::uint64_t gathered = 0;  ///< layers that are gathered over the fsdp axis, two at most at once
    std::uint64_t activations = 0;  ///< including text keys, latents and exchange buffers

    [[nodiscard]] std::uint64_t total() const { return weights + used + gathered + activations; }
};

/// Returns what one device takes where the transformers compute: in its GPU's memory if the placement names
/// one, else in the host's. `promptTokens` of the longer prompt.
DeviceMemory estimateDeviceMemory(const ModelFacts& model, const Workload& work,
                                  const AttentionPlan& attention, std::int64_t promptTokens);

/// Returns what the keys and values of a driving video take on the device that sees most of them, kept in
/// this way; 0 when they are computed again. The attention is that of the work's passes.
std::uint64_t drivingKeyBytes(const WanTransformerConfig& config, const Workload& work,
                              const AttentionPlan& attention, DrivingKeysUse use);

/// Returns what the host keeps and uses of the transformers for one device: all their layers, or beside a GPU
/// the embeddings and, while a layer goes to the GPU, its intermediate forms.
LayerMemory transformerMemoryOnHost(const ModelFacts& model, const Workload& work);

/// Returns the bytes of the host's memory on the way to the GPUs and back: patches, the output of all tokens,
/// the buffer that copies go through, and what the devices exchange.
double hostBytesBesideGpu(const AttentionPlan& attention, const WanTransformerConfig& config,
                          const Workload& work);

}  // namespace meshreel
