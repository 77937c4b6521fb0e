// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/measure/benchmarks/machine_peaks.h"

namespace meshreel {

struct RunPlan;

/// Returns which rows of a benchmark are about what the plan's runs compute: the limit of its arithmetic, the
/// layers of its transformer, its attention's kernel, its mesh, its VAE's arithmetic. Of rows that differ in
/// their tokens alone those with about as many as a device of the plan has; of attention, as the whole video.
/// In the order of the rows.
std::vector<bool> rowsOfPlan(std::span<const BenchmarkRow> rows, const RunPlan& plan);

}  // namespace meshreel
