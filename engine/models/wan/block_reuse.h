// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/kernels/execution.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

/// What blocks added to one device's tokens in an earlier pass, f32 [B, own tokens, innerDim] for each
/// context of the pass, in the memory of the residual stream.
struct KeptBlocks {
    std::vector<Tensor> first;  ///< the first block, after which a pass asks
    std::vector<Tensor> added;  ///< all blocks; of passes that ask, those after the first

    [[nodiscard]] bool empty() const { return added.empty(); }
};

/// How much the first block's contribution differs from that of the last pass in which the other blocks ran:
/// sums over this device's tokens of one video. Devices of the tensor axis have the same.
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
    KeptBlocks& kept;  ///< from a pass of the same shape; for Ask it may be empty: then nothing is skipped
    /// Given the first context's change for each of this device's videos. Every device of the mesh calls it.
    std::function<bool(const std::vector<BlockChange>&)> maySkip = {};
    bool skipped = false;  ///< what came of Ask
};

/// Follows the tokens of one pass and keeps what its blocks add, or adds what was kept. `hidden` is the
/// residual stream at each point. Does nothing in a pass that reuses nothing.
class BlockKeeper {
  public:
    /// `reuse` may be null.
    BlockKeeper(const Execution& execution, BlockReuse* reuse, std::size_t contexts);

    /// Returns whether a pass stops somewhere to add or to ask.
    [[nodiscard]] bool skips() const { return m_reuse != nullptr && m_reuse->way == BlockReuse::Way::Skip; }
    [[nodiscard]] bool asks() const { return m_reuse != nullptr && m_reuse->way == BlockReuse::Way::Ask; }

    /// Before the blocks of the first context; the others begin with the same.
    void embedded(const Tensor& hidden);
    /// Called after the first block of a context, in a pass that asks. Returns true when the other blocks are
    /// to be skipped.
    [[nodiscard]] bool firstBlockDone(std::size_t context, const Tensor& hidden);
    /// Replaces the skipped blocks of a context.
    void addKept(std::size_t context, Tensor& hidden) const;
    /// Called after all blocks of a context.
    void blocksDone(std::size_t context, const Tensor& hidden);

    /// Returns a device without videos of its own: it only takes part in asking.
    [[nodiscard]] bool askWithoutVideos();

  private:
    [[nodiscard]] bool ask(const Tensor& ofDevice);

    const Execution& m_execution;
    BlockReuse* m_reuse;
    bool m_fresh = false;  // nothing was kept before this pass
    Tensor m_embedded;     // in a pass that asks
};

}  // namespace meshreel
