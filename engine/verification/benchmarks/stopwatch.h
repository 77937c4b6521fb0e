// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "engine/base/stop_token.h"
#include "engine/verification/benchmarks/benchmark_row.h"

namespace meshreel {

/// Runs `work` once for warming up, then at least once and up to `rounds` times as long as `seconds` have not
/// passed since the first measured round began. Throws Error{Cancelled} between rounds.
MeasuredTime measureRounds(const StopToken& stop, int rounds, double seconds,
                           const std::function<void()>& work);

}  // namespace meshreel
