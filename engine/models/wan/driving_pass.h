// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/attention/paired_keys.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/layers/layer_weights.h"
#include "engine/models/probe.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_block.h"
#include "engine/models/wan/wan_embeddings.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/models/wan/wan_workspace.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// One device's way through the blocks with a driving video, at upstream's fixed time of 1: alone to keep its
/// keys, or beside a pass, one block ahead of it. All devices of the context and tensor axes go together.
class WanTransformer::DrivingPass {
  public:
    /// `stream` outlives it.
    DrivingPass(const WanTransformer& model, Device& device, const DrivingStream& stream);
    DrivingPass(const DrivingPass&) = delete;
    DrivingPass& operator=(const DrivingPass&) = delete;
    ~DrivingPass() = default;

    /// `weights` of layer "embeddings". `keepsStart`: restart() will be called.
    void embed(const LayerTensors& weights, bool keepsStart);

    /// Returns to before the first block.
    void restart();

    /// Goes through block `index`, the one behind the block before, and returns its keys and values.
    [[nodiscard]] PairedKeys run(const LayerTensors& weights, std::int64_t index);

  private:
    [[nodiscard]] WanPassShape passShape() const;

    const WanTransformer& m_model;
    Device& m_device;
    const DrivingStream& m_stream;
    ShardRange m_own;  // of the video's tokens
    TokenTimes m_times;
    WanWorkspace m_work;
    WanEmbeddings::Time m_time;
    Tensor m_start;  // f32 [B, own tokens, innerDim], where it is kept
    Probe m_noProbe;
};

}  // namespace meshreel
