// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/base/stop_token.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/models/transformer/wan_transformer_config.h"
#include "engine/tensor/shape.h"

namespace meshreel {

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
    int rounds = 3;  ///< measured, behind one that is not
};

struct MeshTiming {
    MeshSetup setup;
    double seconds = 0;  ///< median over the rounds
    double fastest = 0;
    double slowest = 0;
    std::int64_t bytesMoved = 0;  ///< between devices in one pass, all devices together
};

/// Every setup once a round, one after the other, so that all see the same machine; the first round warms up.
/// `onPass` is told each pass (for progress). Throws Error{Cancelled}, and what the engine throws.
std::vector<MeshTiming> benchmarkMesh(const MeshBenchmark& benchmark, const std::vector<MeshSetup>& setups,
                                      const StopToken& stop,
                                      const std::function<void(int done, int total)>& onPass = {});

/// The setups of the table in docs/performance.md on `cpus` CPUs: one device with all of them, then 2, 4 and
/// 8 devices (as long as the heads allow) in every kind of exchange.
std::vector<MeshSetup> standardMeshSetups(std::int64_t heads, std::int64_t headDim, int cpus);

}  // namespace meshreel
