// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/checks/prompt_lengths.h"
#include "engine/planning/mesh_search.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// Returns a line for each part of a prompt: when it holds, its tokens and words. Nothing without parts.
std::string describePromptParts(std::span<const PromptPart> parts);

/// Returns a line a mesh, in their order: its axes, attention, what the busiest device receives, memory, and
/// predicted seconds if there are any. "*" marks the project's own.
std::string describeMeshes(const std::vector<LegalMesh>& meshes);

}  // namespace meshreel
