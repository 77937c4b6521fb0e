// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/mode_forecast.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/attention/attention_settings.h"
#include "engine/checks/project_check.h"
#include "engine/estimates/run_work.h"
#include "engine/planning/mesh_traffic.h"
#include "engine/planning/run_plan.h"
#include "engine/project/project.h"

namespace meshreel {

ModeForecast forecastMode(const AttentionMode& mode, const RunPlan& plan) {
    Project project = plan.project;
    project.attention = std::string(mode.name);
    const std::vector<Problem> problems = check(project, &plan.model, plan.ranks);
    const auto error = std::ranges::find(problems, Severity::Error, &Problem::severity);
    if (error != problems.end())
        return {.bytesPerStep = {}, .obstacle = *error};
    AttentionSettings settings = plan.attention;
    settings.mode = &mode;
    std::int64_t bytes = 0;
    for (const MeshTraffic& traffic : trafficPerStep(plan, planAttentions(plan, settings)))
        bytes += traffic.bytes;
    return {.bytesPerStep = bytes, .obstacle = {}};
}

}  // namespace meshreel
