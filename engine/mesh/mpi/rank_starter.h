// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

namespace meshreel {

/// The process that started this rank: mpirun, or its daemon on another host. It is known by its name and by
/// being the nearest such ancestor; other process managers are none.
class RankStarter {
  public:
    enum class Kind { None, Mpirun, Daemon };

    RankStarter();
    ~RankStarter();
    RankStarter(const RankStarter&) = delete;
    RankStarter& operator=(const RankStarter&) = delete;

    [[nodiscard]] Kind kind() const { return m_kind; }

    /// Whether it, or this process's parent, ended.
    [[nodiscard]] bool isGone() const;

    /// For a rank that is about to end, and to be called last: asks the starter to end, and leaves a process
    /// behind that kills it if it did not within two seconds. SIGTERM is ignored from here on.
    void end() const;

  private:
    pid_t m_parent;
    pid_t m_process = 0;
    Kind m_kind = Kind::None;
    int m_handle = -1;  // of m_process; never that of another process which got its number
};

}  // namespace meshreel
