// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/launch/rank_process.h"

namespace meshreel {

/// Returns the sub-command and the options that it was given, as it could be started again.
std::vector<std::string> givenArguments(const CLI::App& command);

/// Runs `meshreel` with these arguments as that many MPI ranks on this host; what the ranks write to stderr
/// goes there. Returns what rank 0 wrote to stdout. Throws the error that the ranks ended with.
/// Throws Error{Project} before any is started when they are too many for this machine.
std::string launchLocally(int ranks, RankLoad load, const std::vector<std::string>& arguments,
                          const StopToken& stop);

/// Calls runAsRank() with a token that Ctrl-C and the program that launched the ranks can stop.
int runAsStoppableRank(RankLoad load,
                       const std::function<int(MpiSession& session, const StopToken& stop)>& work);

/// Returns this rank's part of a mesh of `devices` along the context axis. Throws Error{Project} when the
/// number of ranks does not divide them.
DeviceMeshOptions rankMesh(MpiSession& session, int devices, int workersPerDevice);

}  // namespace meshreel
