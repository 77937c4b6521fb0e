// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/measure/benchmarks/machine_peaks.h"

namespace meshreel {

/// Measures the runs as tiles, 5,000 of them, in a panel of 1280 × 800 without a display. The runs are made
/// in `folder`, an empty one, each with a preview picture. Two rows, as in ui_benchmarks.h:
/// - ui.gallery.open: a panel is made, the runs are read, sorted and painted; the median
/// - ui.gallery.scroll: from a turn of the wheel until everything is painted, while pictures are read; of 95
/// %
///   of the turns, the longest
/// Throws Error{Internal} when the tiles do not scroll.
std::vector<BenchmarkRow> measureGallery(const QString& folder);

}  // namespace meshreel
