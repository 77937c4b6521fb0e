// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention/fixed_m_log.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/mesh/mesh_layout.h"

namespace meshreel {

FixedMCounts toCounts(const FixedMOutcome& outcome) {
    return {.boundedHeads = outcome.count(FixedMHead::Bounded),
            .boundTooLargeHeads = outcome.count(FixedMHead::BoundTooLarge),
            .weightsLostHeads = outcome.count(FixedMHead::WeightsLost),
            .boundedBlocks = outcome.boundedBlocks,
            .fallbackBlocks = outcome.fallbackBlocks};
}

FixedMOutcome mergeWorst(Communicator& devices, FixedMOutcome own) {
    std::vector<float> heads(own.heads.size());
    std::ranges::transform(own.heads, heads.begin(),
                           [](FixedMHead head) { return static_cast<float>(head); });
    devices.allReduceMax(heads);
    std::ranges::transform(heads, own.heads.begin(),
                           [](float head) { return static_cast<FixedMHead>(head); });
    return own;
}

void FixedMLog::add(int device, const FixedMOutcome& outcome) {
    if (outcome.heads.empty())
        return;
    const std::lock_guard lock(m_mutex);
    FixedMOutcome& all = m_devices[device];
    all.heads.insert(all.heads.end(), outcome.heads.begin(), outcome.heads.end());
    all.boundedBlocks += outcome.boundedBlocks;
    all.fallbackBlocks += outcome.fallbackBlocks;
}

FixedMOutcome FixedMLog::take(int device) {
    const std::lock_guard lock(m_mutex);
    FixedMOutcome& all = m_devices[device];
    FixedMOutcome taken = all;
    all.begin(0, 0);
    return taken;
}

FixedMCounts countOnMesh(Device& device, FixedMOutcome own) {
    FixedMOutcome worst = mergeWorst(device.along(MeshAxis::Context), std::move(own));
    if (device.at().context > 0)
        worst.heads.clear();  // the first one of the axis counts them
    const FixedMCounts here = toCounts(worst);
    // f32 holds the counts of one step exactly.
    std::array sums{static_cast<float>(here.boundedHeads), static_cast<float>(here.boundTooLargeHeads),
                    static_cast<float>(here.weightsLostHeads), static_cast<float>(here.boundedBlocks),
                    static_cast<float>(here.fallbackBlocks)};
    device.everyone().allReduceSum(sums);
    const auto whole = [&](std::size_t index) { return static_cast<std::int64_t>(sums.at(index)); };
    return {.boundedHeads = whole(0),
            .boundTooLargeHeads = whole(1),
            .weightsLostHeads = whole(2),
            .boundedBlocks = whole(3),
            .fallbackBlocks = whole(4)};
}

}  // namespace meshreel
