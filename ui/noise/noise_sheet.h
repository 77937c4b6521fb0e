// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_sheet.h"
#include "ui/noise/noise_levels.h"

namespace meshreel {

/// The noise level of every step, a line for each expert, beside the levels without the flow shift and the
/// boundary where there are any. Throws Error{Project} without steps.
ChartSheet noiseSheet(const NoiseLevels& levels);

}  // namespace meshreel
