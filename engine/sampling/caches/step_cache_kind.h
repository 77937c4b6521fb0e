// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/sentence.h"

namespace meshreel {

/// Ways of taking parts of a step's prediction over from earlier steps; a run uses one at most.
enum class StepCacheKind : std::uint8_t { None, Cfg, Sen, Mag, Tea, FirstBlock };

struct StepCacheRow {
    StepCacheKind kind;
    std::string_view key;  ///< of the project that switches it on
    std::string_view name;
    bool needsGuidance;    ///< made for steps with a negative half
    bool needsTwoExperts;  ///< made for Wan 2.2's pairs of transformers
    Sentence why;          ///< of needsGuidance
};

/// All but None.
std::span<const StepCacheRow> stepCaches();
/// Of any kind but None.
const StepCacheRow& rowOf(StepCacheKind kind);

}  // namespace meshreel
