// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/benchmarks/stopwatch.h"

#include <algorithm>
#include <chrono>

#include "engine/base/median.h"

namespace meshreel {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

MeasuredTime measureRounds(const StopToken& stop, const Rounds& rounds, const std::function<void()>& work) {
    work();
    std::vector<double> times;
    const Clock::time_point first = Clock::now();
    const auto goesOn = [&] {
        const int done = static_cast<int>(times.size());
        return done < rounds.least || (done < rounds.most && secondsSince(first) < rounds.seconds);
    };
    do {
        throwIfStopped(stop);
        const Clock::time_point start = Clock::now();
        work();
        times.push_back(secondsSince(start));
    } while (goesOn());
    const auto [fastest, slowest] = std::ranges::minmax(times);
    return {.median = medianOf(times),
            .fastest = fastest,
            .slowest = slowest,
            .rounds = static_cast<int>(times.size())};
}

}  // namespace meshreel
