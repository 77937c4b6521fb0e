// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace meshreel {

/// Where other machines may connect to mpirun.
enum class Reach { ThisMachine, Everywhere };

/// A secret of one run, and a library for the dynamic linker (LD_PRELOAD) that makes a program talk only to
/// who knows it (mesh/mpi/socket_calls.h). mpirun and its daemons need it: they listen on every address of
/// the machine, whatever their settings say, believe whoever connects, and wait for whoever stops in the
/// middle of a greeting. Ranks, which find the secret in their environment, guard themselves. Both live in
/// the memory of this process and have no name in any folder.
class SocketGuard {
  public:
    /// With a new secret. Throws Error{Resources} when there is no room for it.
    SocketGuard();
    ~SocketGuard();
    SocketGuard(const SocketGuard&) = delete;
    SocketGuard& operator=(const SocketGuard&) = delete;

    /// NAME=value for the environment of a program that this process starts, as long as this object lives.
    [[nodiscard]] std::vector<std::string> variables(Reach reach) const;

    /// Whether a process is guarded. One whose linker passes LD_PRELOAD over is not.
    static bool isIn(pid_t process);

  private:
    int m_library = -1;
    int m_secret = -1;
};

/// This process's LD_PRELOAD, which other programs than mpirun are to get; without spaces.
std::string ownPreload();

/// The secret of the run that the program which started this process belongs to; empty for none.
std::string runSecret();

/// Takes the secret out of this process's environment, before a program that is none of the run's.
void leaveSocketGuard();

/// Gives the library, and a secret that is not empty, to the program that takes the place of this process.
/// Throws Error{Resources} when there is no room for it.
void enterSocketGuard(const std::string& secret);

}  // namespace meshreel
