// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace meshreel {

// What /proc reports about other processes of this user; nothing for one that is gone.

/// Returns the kernel's name for it: at most fifteen characters.
std::string processName(pid_t process);

/// 0 when there is none to be seen.
pid_t parentProcess(pid_t process);

std::vector<pid_t> childProcesses(pid_t process);

/// Returns whether SIGSTOP or a similar signal stopped it. A process that a debugger holds does not count.
bool isStopped(pid_t process);

/// Returns the rank that the starter gave to a process.
std::optional<int> rankOfProcess(pid_t process);

/// A process that stays stopped for so long counts as lost.
inline constexpr std::chrono::milliseconds stoppedLimit{3000};

/// Distinguishes processes that stay stopped from those that are stopped for a moment. Counts looks instead
/// of seconds, because the observer may have been stopped, too.
class StoppedProcesses {
  public:
    explicit StoppedProcesses(int looks) : m_looks(looks) {}

    /// Returns the first of `processes` that was found stopped by this and all of the last looks.
    std::optional<pid_t> look(std::span<const pid_t> processes);

  private:
    int m_looks;
    std::map<pid_t, int> m_found;  // how often in a row
};

}  // namespace meshreel
