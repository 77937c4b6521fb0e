// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

namespace meshreel {

/// Says before each job of a team whether its members should look for each other before they park (spin.h).
/// Where other threads want the CPUs too, a member that looks uses up its turn, the others look in vain, and
/// each wake-up waits for a turn; a team that parks is soon given one CPU without waiting. So when the team
/// found each other in vain too often, it parks for many jobs, and for more of them each time that this
/// happens again soon. Measured in docs/performance.md, "Starting a team of workers".
class SpinBackoff {
  public:
    static constexpr int fewestParked = 2048;  ///< jobs; fewer are over before the scheduler has settled
    static constexpr int mostParked = 16384;

    /// Counts a job; whether its members look for each other.
    [[nodiscard]] bool spinsNext() {
        if (m_parked == 0)
            return true;
        --m_parked;
        return false;
    }

    /// How looking came out for the job that spinsNext() allowed.
    void looked(bool inTime) {
        m_spun = std::min(m_spun + 1, fewestParked);
        m_misses = std::max(0, m_misses + (inTime ? -1 : weightOfMiss));
        if (m_misses < tooMany)
            return;
        m_parked = m_spun < fewestParked ? std::min(2 * m_lastParked, mostParked) : fewestParked;
        m_lastParked = m_parked;
        m_misses = 0;
        m_spun = 0;
    }

  private:
    // Sixteen misses more than one in nine jobs; teams with CPUs of their own miss one in fifty.
    static constexpr int weightOfMiss = 8;
    static constexpr int tooMany = 128;

    int m_parked = 0;                     // jobs for which to park yet
    int m_lastParked = fewestParked / 2;  // how many they were the last time
    int m_misses = 0;                     // weighted, what went well taken off
    int m_spun = 0;                       // jobs since
};

}  // namespace meshreel
