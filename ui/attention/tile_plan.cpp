// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attention/tile_plan.h"

#include "engine/measure/tile_tuning.h"
#include "engine/planning/run_plan.h"
#include "engine/planning/run_work.h"

namespace meshreel {

bool TilePlan::isTiled() const {
    return mode->kernel != AttentionKernel::DotProduct;
}

double TilePlan::padding() const {
    const auto area =
        static_cast<double>(rows() * blocks.blockQ) * static_cast<double>(columns() * blocks.blockKv);
    return 1 - static_cast<double>(queries) * static_cast<double>(keys) / area;
}

std::optional<double> TilePlan::scratchShare() const {
    const std::int64_t room = hasScratchLimit() ? blocks.vmemLimitBytes : cacheBytes;
    if (room == 0 || scratchBytes == 0)
        return {};
    return static_cast<double>(scratchBytes) / static_cast<double>(room);
}

TilePlan tilePlanOf(const RunPlan& plan) {
    const EffectiveAttention effective = effectiveAttention(plan);
    const AttentionMode& mode = *effective.self.mode;
    const bool custom =
        mode.kernel == AttentionKernel::Custom || mode.kernel == AttentionKernel::CustomFixedM;
    TilePlan tiles{.mode = &mode,
                   .queries = groupTokens(effective.split, plan.tokens, 0).size(),
                   .keys = plan.tokens,
                   .blocks = resolveFlashBlocks(effective.self.blocks),
                   .cacheBytes = workerCacheBytes()};
    if (mode.rotation != Rotation::None)
        tiles.keys = tiles.queries;
    if (custom)
        tiles.scratchBytes =
            static_cast<std::int64_t>(customScratchBytes(tiles.blocks, plan.model.transformer.headDim));
    return tiles;
}

}  // namespace meshreel
