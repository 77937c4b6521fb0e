// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/kernels/linear/packed_matrix.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/wan/modulation.h"
#include "engine/models/wan/wan_config.h"
#include "engine/models/wan/wan_parameters.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What a device computes of a pass.
struct WanPassShape {
    std::int64_t batch = 1;
    std::int64_t tokens = 0;  ///< of this device
    int exchangedShards = 0;  ///< of queries, that attention between devices takes as scratch
    int tensorDevices = 1;    ///< heads and feed-forward features are shared out to them
    bool summed = false;      ///< somebody looks at what sub-layers add, or it is summed over devices
};

/// One device's buffers of a forward pass, made once and used by every block. `normed` and `feedForward` lie
/// side by side in one allocation, which attention gets as scratch: neither holds anything while it runs.
class WanWorkspace {
  public:
    /// Tokens whose feed-forward features are held at once.
    static constexpr std::int64_t feedForwardTokens = 2048;

    /// In `memory`, where the device computes; null: the host's. `times` outlive it.
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
    Tensor key;             ///< as query
    Tensor value;           ///< as query
    Tensor attended;        ///< as query
    Tensor sum;             ///< f32 as hidden, where needed: what a sub-layer adds; may be normed's memory
    ScratchArena scratch;   ///< over normed and feedForward
    Modulation modulation;  ///< of the layer that computes
};

/// Which vector gates what is added: one of a modulation, or one for all tokens; neither: nothing does.
struct ResidualGate {
    const Modulation* modulation = nullptr;
    std::int64_t index = 0;
    std::span<const float> constant = {};  ///< [innerDim]
};

/// Adds what a sub-layer's last product makes, gated, to the residual stream: within the product itself where
/// nothing has to see the sum first, else by way of the workspace's `sum`.
class ResidualSum {
  public:
    /// `seen` gets the sum before the gate; empty: nobody wants it.
    ResidualSum(Device& device, WanWorkspace& work, const ResidualGate& gate,
                std::function<void(const Tensor&)> seen);

    /// The product of x, of the tokens from `first` on of one video, with a matrix of which this device has a
    /// range of the input features: it is part of a sum over the devices of the tensor axis.
    void add(const PackedMatrix& linear, std::int64_t video, std::int64_t first, const MatrixView& x);

    /// Once every token of every video was given.
    void finish();

  private:
    void addDirectly(const PackedMatrix& linear, std::int64_t video, std::int64_t first, const MatrixView& x);

    Device& m_device;
    WanWorkspace& m_work;
    ResidualGate m_gate;
    std::function<void(const Tensor&)> m_seen;
    bool m_direct;
};

}  // namespace meshreel
