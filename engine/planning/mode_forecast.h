// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "engine/attention/attention_mode.h"
#include "engine/base/problem.h"

namespace meshreel {

struct RunPlan;

/// What another attention mode would be to a plan that changes nothing else.
struct ModeForecast {
    std::optional<std::int64_t>
        bytesPerStep;                 ///< that the busiest device receives; nothing: it would not run
    std::optional<Problem> obstacle;  ///< why not
};

ModeForecast forecastMode(const AttentionMode& mode, const RunPlan& plan);

}  // namespace meshreel
