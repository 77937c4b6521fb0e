// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/attention/attention_plan.h"
#include "engine/kernels/attention/fixed_m_outcome.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/probe.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// Returns where what the devices of its context axis exchange lies.
RingMemory ringMemoryOf(Device& device);

/// What a device computes of a pass.
struct WanPassShape {
    std::int64_t batch = 1;
    std::int64_t tokens = 0;     ///< on this device
    double exchangedShards = 0;  ///< in shards of queries, the scratch of attention between devices
    int tensorDevices = 1;       ///< heads and feed-forward features are divided among them
    bool summed = false;         ///< a probe reads what sub-layers add, or it is summed over devices
};

/// One device's buffers of a forward pass, made once and used by every block. `normed` and `feedForward` are
/// side by side in one allocation, which attention gets as scratch: neither holds anything while it runs.
class WanWorkspace {
  public:
    /// Tokens whose feed-forward features are held at once.
    static constexpr std::int64_t feedForwardTokens = 2048;

    /// Allocates in `memory`, where the device computes; null: the host's. `times` must outlive it.
    WanWorkspace(const WanTransformerConfig& config, const WanPrecision& precision, const WanPassShape& shape,
                 const TokenTimes& times, Memory* memory = nullptr);

    [[nodiscard]] std::int64_t batch() const { return hidden.extent(0); }
    [[nodiscard]] std::int64_t tokens() const { return hidden.extent(1); }

  private:
    Tensor m_shared;  // bytes: normed, then feedForward

  public:
    Tensor hidden;          ///< f32 [batch, tokens, innerDim]: the residual stream
    Tensor normed;          ///< [batch, tokens, innerDim] of the activations' type: input of a sub-layer
    Tensor feedForward;     ///< [at most feedForwardTokens, ffnDim / tensorDevices], as normed
    Tensor query;           ///< [batch, tokens, heads / tensorDevices, headDim], as normed
    Tensor key;             ///< shaped as query
    Tensor value;           ///< shaped as query
    Tensor attended;        ///< shaped as query
    Tensor sum;             ///< f32 as hidden, where needed: what a sub-layer adds; may be normed's memory
    ScratchArena scratch;   ///< over normed and feedForward
    Modulation modulation;  ///< modulation of the current layer
    FixedMOutcome fixedM;   ///< how the heads of the last attention ran
};

/// Which vector gates what is added: one of a modulation, or one for all tokens; with neither, no gate.
struct ResidualGate {
    const Modulation* modulation = nullptr;
    std::int64_t index = 0;
    std::span<const float> constant = {};  ///< [innerDim]
};

/// A probe that sees a sum before its gate, as PREFIX and NAME together; without one nobody wants it.
struct SumProbe {
    const Probe* probe = nullptr;
    std::string_view prefix = {};
    std::string_view name = {};

    [[nodiscard]] bool sees() const { return probe != nullptr && *probe; }
    /// `sum` is on the host.
    void tell(const Tensor& sum) const;
};

/// Adds a sub-layer's last product, gated, to the residual stream: within the product itself if nothing has
/// to see the sum first, else by way of the workspace's `sum`.
class ResidualSum {
  public:
    ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate, const SumProbe& probe);

    /// Adds the product of x, for the tokens from `first` on of one video, with a matrix of which this device
    /// has a range of the input features: one term of a sum over the devices of the tensor axis.
    void add(const PackedMatrix& linear, std::int64_t video, std::int64_t first, const MatrixView& x);

    /// Once every token of every video was given.
    void finish();

  private:
    void addDirectly(const PackedMatrix& linear, std::int64_t video, std::int64_t first, const MatrixView& x);

    Device& m_device;
    WanWorkspace& m_work;
    ResidualGate m_gate;
    SumProbe m_probe;
    bool m_direct;
};

}  // namespace meshreel
