// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/mesh/mpi/remote_link.h"
#include "engine/runs/launch/host_file.h"

namespace meshreel {

/// Set in the environment of ranks that launchRanks() started: rank 0 stops when its standard input says so,
/// and ranks report failures by rankReportLine() in place of a sentence.
inline constexpr const char* launcherVariable = "MESHREEL_LAUNCHER";

/// Whether this process is such a rank.
bool startedByLauncher();

struct LaunchRequest {
    std::vector<Host> hosts;
    int ranks = 0;                            ///< 0: all slots of the hosts
    std::vector<std::string> arguments = {};  ///< of `meshreel`, its sub-command first
    std::filesystem::path program = {};  ///< `meshreel` on every host; empty: the one beside this program
};

/// What the ranks write, line by line, on the calling thread.
struct LaunchOutput {
    std::function<void(const std::string& line)> out;  ///< stdout of rank 0
    std::function<void(const std::string& line)> err;  ///< stderr of all, without mpirun's remarks
};

struct LaunchEnd {
    int exitCode = 0;  ///< of rank 0; that of ErrorKind::Device when a rank died or a device failed
    std::optional<MeshFailure> failure = {};  ///< who and why, when it is not 0
};

/// The command that launchRanks() gives to the system.
std::vector<std::string> mpirunLine(const LaunchRequest& request);

/// Runs `meshreel` as MPI ranks on the hosts and returns when all have ended. A stop asks rank 0 to cancel;
/// ranks that do not end then, or after a failure, are ended. Throws Error{Input} when mpirun cannot be
/// started.
LaunchEnd launchRanks(const LaunchRequest& request, const LaunchOutput& output, const StopToken& stop);

/// The error that a launch ended with; of the kind that exitCode belongs to.
Error errorOf(const LaunchEnd& end);

}  // namespace meshreel
