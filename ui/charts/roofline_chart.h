// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/runs/records/chart_requests.h"
#include "ui/charts/chart_sheet.h"

namespace meshreel {

/// Operations under the machine's limits, both axes logarithmic: points are numbered, a key beside them names
/// them. Of at least one point and one peak.
ChartSheet rooflineSheet(Roofline roofline);

}  // namespace meshreel
