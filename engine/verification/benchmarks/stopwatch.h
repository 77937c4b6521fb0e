// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "engine/base/stop_token.h"
#include "engine/verification/benchmarks/benchmark_row.h"

namespace meshreel {

/// How often something is measured: `least` times, then on until it was `most` times or `seconds` have passed
/// since the first measured round began.
struct Rounds {
    int least = 1;
    int most = 1;
    double seconds = 0;
};

/// Runs `work` once for warming up, then as often as `rounds` says. Throws Error{Cancelled} between rounds.
MeasuredTime measureRounds(const StopToken& stop, const Rounds& rounds, const std::function<void()>& work);

}  // namespace meshreel
