// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <string>

namespace meshreel {

/// A library for the dynamic linker (LD_PRELOAD) that keeps a program from listening to other machines:
/// mpirun binds its sockets to every address of the machine, whatever its settings say, and believes whoever
/// connects. It lives in the memory of this process and has no name in any folder.
class LoopbackOnly {
  public:
    /// Throws Error{Resources} when there is no room for it.
    LoopbackOnly();
    ~LoopbackOnly();
    LoopbackOnly(const LoopbackOnly&) = delete;
    LoopbackOnly& operator=(const LoopbackOnly&) = delete;

    /// Where programs that this process starts find it, as long as this object lives.
    [[nodiscard]] std::string path() const;

    /// Whether a process has it. One whose linker passes LD_PRELOAD over has not.
    static bool isIn(pid_t process);

  private:
    int m_descriptor;
};

}  // namespace meshreel
