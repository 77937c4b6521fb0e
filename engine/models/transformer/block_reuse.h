// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/tensor/tensor.h"

namespace meshreel {

/// What blocks added to one device's tokens in an earlier pass, f32 [B, own tokens, innerDim] for each
/// context of the pass.
struct KeptBlocks {
    std::vector<Tensor> first;  ///< the first block, where a pass asks behind it
    std::vector<Tensor> added;  ///< all blocks; of passes that ask, those behind the first

    [[nodiscard]] bool empty() const { return added.empty(); }
};

/// How far what the first block adds is from what it added when the others last ran: sums over this device's
/// tokens of one video. Devices of the tensor axis have the same.
struct BlockChange {
    float difference = 0;  ///< Σ |now - then|
    float reference = 0;   ///< Σ |then|
};

/// How a pass uses what an earlier one kept. All devices of a mesh go the same way.
struct BlockReuse {
    enum class Way : std::uint8_t {
        Keep,  ///< runs all blocks and keeps what they add
        Skip,  ///< runs none and adds what was kept
        Ask,   ///< runs the first, asks whether to skip the others, keeps what they add if not
    };
    Way way = Way::Keep;
    KeptBlocks& kept;  ///< of a pass of the same shape; for Ask it may be empty: then it does not skip
    /// Of the first context, a change for each of this device's videos. Called by every device of the mesh.
    std::function<bool(const std::vector<BlockChange>&)> maySkip = {};
    bool skipped = false;  ///< what came of Ask
};

}  // namespace meshreel
