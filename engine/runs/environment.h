// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/planning/run_plan.h"

namespace meshreel {

/// The content of environment.json: what computes this plan here. Build, CPU, ISA, workers, mesh, libraries,
/// number types, the attention kernels that take effect for self and cross attention, and the work that
/// predictions learn from.
nlohmann::json describeEnvironment(const RunPlan& plan);

/// What keeps two environments from giving the same bits, one sentence each ("isa: was avx512, is avx2"):
/// build, ISA, mesh, workers, and the libraries that compute. Empty when a run made in one may be continued
/// in the other.
std::vector<std::string> environmentDifferences(const nlohmann::json& was, const nlohmann::json& is);

}  // namespace meshreel
