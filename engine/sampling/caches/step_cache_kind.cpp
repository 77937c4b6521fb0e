// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sampling/caches/step_cache_kind.h"

#include <algorithm>
#include <array>

namespace meshreel {
namespace {

const std::array<StepCacheRow, 5>& cacheRows() {
    static const std::array<StepCacheRow, 5> all{{
        {.kind = StepCacheKind::Cfg,
         .key = "use_cfg_cache",
         .name = "CFG cache",
         .needsGuidance = true,
         .needsTwoExperts = false,
         .why = sentence("it makes up the negative prompt's half, and without guidance there is none")},
        {.kind = StepCacheKind::Sen,
         .key = "use_sen_cache",
         .name = "SenCache",
         .needsGuidance = true,
         .needsTwoExperts = true,
         .why = sentence("its limit was measured on guided predictions")},
        {.kind = StepCacheKind::Mag,
         .key = "use_magcache",
         .name = "MagCache",
         .needsGuidance = true,
         .needsTwoExperts = false,
         .why = sentence("its curve follows the prompt's and the negative prompt's half")},
        {.kind = StepCacheKind::Tea,
         .key = "use_teacache",
         .name = "TeaCache",
         .needsGuidance = false,
         .needsTwoExperts = false,
         .why = {}},
        {.kind = StepCacheKind::FirstBlock,
         .key = "use_first_block_cache",
         .name = "first-block cache",
         .needsGuidance = false,
         .needsTwoExperts = false,
         .why = {}},
    }};
    return all;
}

}  // namespace

std::span<const StepCacheRow> stepCaches() {
    return cacheRows();
}

const StepCacheRow& rowOf(StepCacheKind kind) {
    return *std::ranges::find(cacheRows(), kind, &StepCacheRow::kind);
}

}  // namespace meshreel
