// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/checks/prompt_lengths.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

// What plan_text.h says in words, for programs.

/// Returns the plan for programs: what describePlan() says and the plan's warnings, sizes in bytes and
/// tensors axis by axis. `notes` stand among the warnings.
nlohmann::ordered_json planJson(const RunPlan& plan, std::span<const Sentence> notes = {});

/// [{"begin", "end", "tokens", "text"}, …]: when a part holds, as a part of the video's time, null for what
/// has no time.
nlohmann::ordered_json promptPartsJson(std::span<const PromptPart> parts);

/// [{"axes": {"data": 2, …}, "between_hosts": {…}, "attention", "ulysses", "ring", "most_heads",
/// "head_efficiency", "bytes_per_step", "bytes_between_hosts", "memory_bytes", "fits", "step": {"seconds",
/// "low", "high"} or null, "current", "set": {KEY: VALUE}}, …]
nlohmann::ordered_json meshesJson(const std::vector<LegalMesh>& meshes);

}  // namespace meshreel
