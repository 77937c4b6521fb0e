// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace meshreel::testing {

/// What has happened before now, as somebody knows it: of each warp, and behind them of the copy engine, up
/// to which time of it. A warp's time goes on when it tells others something: at barriers and at fences.
struct PtxClock {
    std::vector<std::uint32_t> seen;
    /// What the copy engine and wgmma see as well: writes of warps that a fence.proxy.async has passed.
    std::vector<std::uint32_t> fenced;

    explicit PtxClock(std::size_t warps) : seen(warps + 1), fenced(warps + 1) {}

    void join(const PtxClock& other) {
        for (std::size_t index = 0; index < seen.size(); ++index) {
            seen[index] = std::max(seen[index], other.seen[index]);
            fenced[index] = std::max(fenced[index], other.fenced[index]);
        }
    }
};

/// Who reaches shared memory, and when.
struct PtxAccess {
    int warp = 0;
    int lane = 0;
    std::uint32_t time = 0;       ///< of the warp
    std::uint32_t warpEpoch = 0;  ///< what its lanes have met at: barriers
    const PtxClock* clock = nullptr;
};

}  // namespace meshreel::testing
