// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <immintrin.h>

#include <chrono>

namespace meshreel {

/// About what parking a thread and waking it costs: 70 to 95 us on a virtual machine, less on bare metal.
inline constexpr std::chrono::microseconds spinTime{100};

/// Returns whether `happened()` within that time. For threads that have a CPU each; others should park at
/// once.
template <typename Happened>
bool happensSoon(const Happened& happened) {
    constexpr int pausesPerLook = 32;  // between two looks at the clock
    const auto end = std::chrono::steady_clock::now() + spinTime;
    do {
        for (int pause = 0; pause < pausesPerLook; ++pause) {
            if (happened())
                return true;
            _mm_pause();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

}  // namespace meshreel
