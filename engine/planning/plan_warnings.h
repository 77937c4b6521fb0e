// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/base/problem.h"
#include "engine/estimates/memory_estimates.h"
#include "engine/planning/run_task.h"

namespace meshreel {

/// Returns what keeps no run from starting but is worth knowing before, each at the key to blame: what the
/// model's files hold, another frame rate than the model's, a curve of another model, more workers than the
/// `cpus` of this process, and memory that is nearly used up.
std::vector<Problem> planWarnings(const RunTask& task, const MemoryEstimate& memory, int cpus);

/// What the task's adapters do, at the key that brings them in.
struct AdapterFindings {
    std::vector<Problem> warnings;  ///< keys that fit nothing, and what is not applied
    std::vector<Problem> notes;     ///< on the others: what they change
};
AdapterFindings adapterFindings(const RunTask& task);

}  // namespace meshreel
