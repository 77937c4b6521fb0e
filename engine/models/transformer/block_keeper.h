// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "engine/kernels/execution.h"
#include "engine/models/transformer/block_reuse.h"

namespace meshreel {

/// Follows the tokens of one pass and keeps what its blocks add, or adds what was kept. `hidden` is the
/// residual stream at each point. Of a pass that reuses nothing it does nothing.
class BlockKeeper {
  public:
    /// `reuse` may be null.
    BlockKeeper(const Execution& execution, BlockReuse* reuse, std::size_t contexts);

    /// Whether a pass stops somewhere to add or to ask.
    [[nodiscard]] bool skips() const { return m_reuse != nullptr && m_reuse->way == BlockReuse::Way::Skip; }
    [[nodiscard]] bool asks() const { return m_reuse != nullptr && m_reuse->way == BlockReuse::Way::Ask; }

    /// Before the blocks of the first context; the others begin with the same.
    void embedded(const Tensor& hidden);
    /// Behind the first block of a context, of a pass that asks. True: the other blocks are left out.
    [[nodiscard]] bool firstBlockDone(std::size_t context, const Tensor& hidden);
    /// Of a context whose blocks are left out.
    void addKept(std::size_t context, Tensor& hidden) const;
    /// Behind all blocks of a context.
    void blocksDone(std::size_t context, const Tensor& hidden);

    /// A device without videos of its own: it only takes part in asking.
    [[nodiscard]] bool askWithoutVideos();

  private:
    [[nodiscard]] bool ask(const Tensor& added);

    const Execution& m_execution;
    BlockReuse* m_reuse;
    bool m_fresh = false;  // nothing was kept before this pass
    Tensor m_embedded;     // of a pass that asks
};

}  // namespace meshreel
