// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/project/project.h"
#include "engine/timing/run_settings.h"

namespace meshreel {

/// What a run's project and environment.json (an empty object where it has none) say of its steps' work.
RunSettings runSettingsOf(const Project& project, const nlohmann::json& environment);

}  // namespace meshreel
