// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace meshreel {

/// Where other machines may connect to mpirun.
enum class Reach { ThisMachine, Everywhere };

/// A secret of one run, and a library for the dynamic linker (LD_PRELOAD) that makes a program communicate
/// only with processes that know it (mesh/mpi/socket_calls.h). mpirun and its daemons need it: they listen on
/// every address of the machine, whatever their settings say, trust every client, and wait for one that stops
/// in the middle of a greeting. Ranks, which find the secret in their environment, guard themselves. Both
/// live in the memory of this process and have no name in any folder.
class SocketGuard {
  public:
    /// Creates a new secret. Throws Error{Resources} when there is no room for it.
    SocketGuard();
    ~SocketGuard();
    SocketGuard(const SocketGuard&) = delete;
    SocketGuard& operator=(const SocketGuard&) = delete;

    /// NAME=value for the environment of a program that this process starts, as long as this object lives.
    [[nodiscard]] std::vector<std::string> variables(Reach reach) const;

    /// Returns whether a process is guarded. One whose linker passes LD_PRELOAD over is not.
    static bool isIn(pid_t process);

  private:
    int m_library = -1;
    int m_secret = -1;
};

/// Returns this process's LD_PRELOAD, for programs other than mpirun; without spaces.
std::string ownPreload();

/// Returns the secret of the run that the program which started this process belongs to; empty for none.
std::string runSecret();

/// Takes the secret out of this process's environment, before a program that is none of the run's.
void leaveSocketGuard();

/// Gives the library, and a secret unless it is empty, to the program that replaces this process. Throws
/// Error{Resources} when there is no room for it.
void enterSocketGuard(const std::string& secret);

}  // namespace meshreel
