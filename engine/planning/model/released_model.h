// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "engine/planning/model/model_facts.h"

namespace meshreel {

/// What readModelFacts() will find in a released model that need not be on this machine: its configs and the
/// shapes and types of its weights as they were published. By its Hugging Face id or its name, which is that
/// of an architecture, in any case, and what may follow it ("Wan-AI/Wan2.1-T2V-14B-720P-Diffusers"). Nothing
/// for other names and for paths.
std::optional<ModelFacts> releasedModelFacts(std::string_view nameOrId);

}  // namespace meshreel
