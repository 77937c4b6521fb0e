// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/timing/data_table.h"
#include "engine/timing/device_time.h"

namespace meshreel {

/// A row for each step and device: their numbers, of the first step `firstStep` and of the first device 0,
/// seconds, and bytes received.
DataTable deviceTimeTable(std::span<const StepDeviceTimes> steps, int firstStep = 0);

/// Reads csvOf(deviceTimeTable()) back. Throws Error{Input} for other text.
std::vector<StepDeviceTimes> parseDeviceTimes(std::string_view csv);

}  // namespace meshreel
