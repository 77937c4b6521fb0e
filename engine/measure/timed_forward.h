// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_settings.h"
#include "engine/base/stop_token.h"
#include "engine/estimates/video_shape.h"
#include "engine/estimates/work.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/shard_range.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_inputs.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/timing/trace.h"
#include "engine/weights/checkpoint.h"

namespace meshreel {

class ComputeDevice;
class MpiSession;
class WanTransformer;

/// What is timed: one step's forward pass of a transformer, for videos with a prompt each.
struct ForwardWorkload {
    WanTransformerConfig config;
    Shape latents;  ///< [videos, the model's input channels, frames, height, width]
    WanPrecision precision = {};
    std::vector<GroupShape> groups = {};  ///< of tokens beside those
};

/// The threads of this process, or of several ranks, as a mesh.
struct ForwardMesh {
    MeshLayout layout = {};
    int workersPerDevice = 1;     ///< 0: what a rank's share of its CPUs allows
    MpiSession* ranks = nullptr;  ///< that divide the devices and make the same calls; null: none
    std::vector<std::shared_ptr<ComputeDevice>> gpus =
        {};  ///< GPUs of the devices in order; none: the CPU computes
};

struct ForwardPass {
    double seconds = 0;           ///< 0 on other ranks than the first
    std::int64_t bytesMoved = 0;  ///< between devices, all devices together; likewise
};

/// A transformer on a mesh with seeded inputs, ready to be run again and again. It attends to a text of 512
/// tokens without padding. Keys and values of the text
/// (and of a blank image, for models that take one) are made in each pass and not timed, as a run makes them
/// once per prompt.
class TimedForward {
  public:
    /// The weights are packed as a run packs them. Throws what WanTransformer throws.
    TimedForward(const ForwardWorkload& workload, const ForwardMesh& mesh, const AttentionPlans& attention,
                 const Checkpoint& weights);
    TimedForward(const TimedForward&) = delete;
    TimedForward& operator=(const TimedForward&) = delete;
    ~TimedForward();

    /// The next passes attend in another way, with the same weights.
    void setAttention(const AttentionPlans& attention);

    /// Throws Error{Cancelled}, and what the engine throws.
    ForwardPass run(const StopToken& stop, Trace* trace = nullptr);

  private:
    [[nodiscard]] const WanTransformer& transformerFor(const Device& device) const;
    [[nodiscard]] WanConditions makeConditions(ShardRange videos) const;

    WanTransformerConfig m_config;
    DeviceMesh m_mesh;
    /// One for each WeightShard; on GPUs one for each device, in order.
    std::vector<std::unique_ptr<WanTransformer>> m_transformers;
    Tensor m_latents;
    std::vector<TokenGroup> m_groups;
    Tensor m_text;
};

/// Returns how a TimedForward attends with these settings, which are legal.
AttentionPlans planAttentions(const AttentionSettings& settings, const ForwardWorkload& workload,
                              const MeshLayout& layout);

/// Returns what all devices together do in a pass of a TimedForward of random weights.
Work forwardWork(const ForwardWorkload& workload, const ForwardMesh& mesh, const AttentionPlans& attention);

/// One way to run the transformer on this machine.
struct MeshSetup {
    std::string name;  ///< "ring 4"
    MeshLayout layout;
    int workersPerDevice = 1;
    AttentionSettings attention;
};

/// What is timed: a transformer of random weights, one prompt, one forward pass.
struct MeshBenchmark {
    WanTransformerConfig config;
    Shape latents;   ///< [1, channels, frames, height, width]
    int rounds = 3;  ///< measured, after one that is not
};

struct MeshTiming {
    MeshSetup setup;
    double seconds = 0;  ///< median over the rounds
    double fastest = 0;
    double slowest = 0;
    std::vector<double> passes = {};  ///< seconds of each measured one
    std::int64_t bytesMoved = 0;      ///< between devices in one pass, all devices together
};

/// Times every setup once a round, one after the other, so that all see the same machine; the first round
/// warms up. Calls `onPass` with each pass (for progress). Throws Error{Cancelled}, and what the engine
/// throws.
std::vector<MeshTiming> benchmarkMesh(const MeshBenchmark& benchmark, const std::vector<MeshSetup>& setups,
                                      const StopToken& stop,
                                      const std::function<void(int done, int total)>& onPass = {});

/// Returns the setups of the table in docs/performance.md on `cpus` CPUs: one device with all of them, then
/// 2, 4 and 8 devices (as long as the heads allow) in every kind of exchange.
std::vector<MeshSetup> standardMeshSetups(std::int64_t heads, std::int64_t headDim, int cpus);

}  // namespace meshreel
