// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/activity/activity_samples.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Busy processors, of `cpus`, and memory over the time of a run. Throws Error{Project} without samples.
ChartSheet activitySheet(const std::vector<ActivitySample>& samples, int cpus);

}  // namespace meshreel
