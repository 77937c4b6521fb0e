// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/launch/mpirun_line.h"
#include "engine/mesh/mesh_failure.h"

namespace meshreel {

/// What the ranks write, line by line, on the calling thread.
struct LaunchOutput {
    std::function<void(const std::string& line)> out;  ///< stdout of rank 0
    std::function<void(const std::string& line)> err;  ///< receives stderr of all ranks, without mpirun's
                                                       ///< remarks
};

struct LaunchEnd {
    int exitCode = 0;  ///< exit code of rank 0; that of ErrorKind::Device when a rank died or a device failed
    std::optional<MeshFailure> failure = {};  ///< who and why, when it is not 0
};

/// Runs `meshreel` as MPI ranks on the hosts and returns when all have ended. A stop asks rank 0 to cancel;
/// ranks that do not end then, or after a failure, are ended; so are those that do not begin and meet within
/// hostPatience(). Throws Error{Input} when mpirun cannot be started, or is none of Open MPI's.
LaunchEnd launchRanks(const LaunchRequest& request, const LaunchOutput& output, const StopToken& stop);

/// Returns the error that a launch ended with; of the kind that exitCode belongs to.
Error toError(const LaunchEnd& end);

}  // namespace meshreel
