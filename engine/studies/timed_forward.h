// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/base/stop_token.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/transformer/wan_transformer.h"
#include "engine/timing/trace.h"

namespace meshreel {

/// Of the text that TimedForward attends to; none is padding.
inline constexpr std::int64_t timedTextTokens = 512;

/// What is timed: one step's forward pass of a transformer, for videos with a prompt each.
struct ForwardWorkload {
    WanTransformerConfig config;
    Shape latents;  ///< [videos, the model's input channels, frames, height, width]
    WanPrecision precision = {};
};

/// The threads of this process as a mesh.
struct ForwardMesh {
    MeshLayout layout = {};
    int workersPerDevice = 1;
};

struct ForwardPass {
    double seconds = 0;
    std::int64_t bytesMoved = 0;  ///< between devices, all devices together
};

/// A transformer on a mesh with seeded inputs, ready to be run again and again. Keys and values of the text
/// (and of a blank image, for models that take one) are made in each pass and not timed, as a run makes them
/// once per prompt.
class TimedForward {
  public:
    /// The weights are packed as a run packs them. Throws what WanTransformer throws.
    TimedForward(const ForwardWorkload& workload, const ForwardMesh& mesh, const AttentionSettings& attention,
                 const Checkpoint& weights);

    /// The next passes attend in another way, with the same weights.
    void setAttention(const AttentionSettings& attention);

    /// Throws Error{Cancelled}, and what the engine throws.
    ForwardPass run(const StopToken& stop, Trace* trace = nullptr);

  private:
    [[nodiscard]] const WanTransformer& transformerOf(const Device& device) const;
    [[nodiscard]] WanConditions conditionsOf(ShardRange videos) const;

    WanTransformerConfig m_config;
    DeviceMesh m_mesh;
    std::vector<std::unique_ptr<WanTransformer>> m_transformers;  ///< one for each WeightShard
    Tensor m_latents;
    Tensor m_text;
};

}  // namespace meshreel
