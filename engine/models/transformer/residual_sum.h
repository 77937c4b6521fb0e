// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/mesh/device_mesh.h"
#include "engine/models/transformer/modulation.h"
#include "engine/models/transformer/row_parallel_linear.h"
#include "engine/models/transformer/wan_workspace.h"

namespace meshreel {

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

    /// The product of x, of the tokens from `first` on of one video.
    void add(const RowParallelLinear& linear, std::int64_t video, std::int64_t first, const MatrixView& x);

    /// Once every token of every video was given.
    void finish();

  private:
    void addDirectly(const RowParallelLinear& linear, std::int64_t video, std::int64_t first,
                     const MatrixView& x);

    Device& m_device;
    WanWorkspace& m_work;
    ResidualGate m_gate;
    std::function<void(const Tensor&)> m_seen;
    bool m_direct;
};

}  // namespace meshreel
