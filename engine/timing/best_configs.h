// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "engine/timing/data_table.h"
#include "engine/timing/run_record.h"

namespace meshreel {

/// The fastest run of each work (haveSameWork()), number of devices and attention mode, with its mesh and
/// block sizes: video, devices, attention, U, R, block_q, block_kv, step_s, denoise_s, inference_s, slower
/// (than the fastest beside it, 1 of the fastest), run; where their work differs, `settings` before the run
/// says in what from that of the first row. By size and devices, the fastest first; of timedRuns() only, but
/// that pasted ones stand last with what they tell.
DataTable bestConfigs(std::span<const RunRecord> runs);

}  // namespace meshreel
