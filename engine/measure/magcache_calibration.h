// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/events/run_event.h"
#include "engine/planning/run_plan.h"

namespace meshreel {

/// "key=value" texts with which a project is calibrated: without its step caches, and compared with nothing.
std::vector<std::string> calibrationSettings();

/// MagCache's curve of a plan of a project with these settings that PlanOptions::measuresMagRatios was set
/// for: of each step by which factor what the blocks add to a token has grown since the step before, the mean
/// over tokens, rounded to 5 places as published curves are; the prompt's, then the negative prompt's.
/// Denoises the whole video. Throws as generate() does.
std::vector<double> measureMagCurve(const RunPlan& plan, const EventSink& sink, const StopToken& stop);

/// The file that mag_ratios_file names: the curve and what it was measured on.
void writeMagCurve(const std::filesystem::path& file, const RunPlan& plan, const std::vector<double>& curve);

}  // namespace meshreel
