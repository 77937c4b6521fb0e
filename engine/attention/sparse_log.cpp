// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/sparse_log.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "engine/mesh/communicator.h"

namespace meshreel {

void SparseLog::add(int device, const SparseCounts& counts) {
    if (counts.allBlocks == 0)
        return;
    const std::lock_guard lock(m_mutex);
    m_devices[device] += counts;
}

SparseCounts SparseLog::take(int device) {
    const std::lock_guard lock(m_mutex);
    SparseCounts& all = m_devices[device];
    const SparseCounts taken = all;
    all = {};
    return taken;
}

SparseCounts countOnMesh(Device& device, const SparseCounts& own) {
    std::array sums{static_cast<float>(own.keptBlocks), static_cast<float>(own.allBlocks),
                    static_cast<float>(own.hops),       static_cast<float>(own.skippedHops),
                    static_cast<float>(own.difference), static_cast<float>(own.reference)};
    device.everyone().allReduceSum(sums);
    return {.keptBlocks = double{sums[0]},
            .allBlocks = double{sums[1]},
            .hops = std::llround(sums[2]),
            .skippedHops = std::llround(sums[3]),
            .difference = double{sums[4]},
            .reference = double{sums[5]}};
}

}  // namespace meshreel
