// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/planning/run_plan.h"

namespace meshreel {

/// The plan for programs: what describePlan() says, sizes in bytes and tensors axis by axis.
nlohmann::ordered_json planJson(const RunPlan& plan);

}  // namespace meshreel
