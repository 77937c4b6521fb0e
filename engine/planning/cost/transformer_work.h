// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/planning/cost/work.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// One denoising step of the plan's busiest device, guided or not, with text of so many tokens that are no
/// padding. Of the plan only the transformer's config and layers, project.maxSequenceLength, layout,
/// attention, precision, tokens, the videos of latentShape and `guided` count.
Work stepWork(const RunPlan& plan, std::int64_t textTokens);

}  // namespace meshreel
