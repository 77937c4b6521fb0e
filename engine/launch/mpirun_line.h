// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/mpirun_program.h"
#include "engine/mesh/host_file.h"

namespace meshreel {

struct LaunchRequest {
    std::vector<Host> hosts;
    int ranks = 0;                            ///< 0: all slots of the hosts
    std::vector<std::string> arguments = {};  ///< arguments of `meshreel`, its sub-command first
    std::filesystem::path program = {};  ///< `meshreel` on every host; empty: the one beside this program
};

int rankCount(const LaunchRequest& request);

/// Returns what the ranks run.
std::filesystem::path programOf(const LaunchRequest& request);

bool isOnlyThisMachine(std::span<const Host> hosts);

/// Returns the command that launchRanks() gives to the system; `settings`: more words for mpirun.
std::vector<std::string> mpirunLine(const LaunchRequest& request, const MpirunProgram& mpirun,
                                    const std::vector<std::string>& settings = {});

/// Returns whether launchRanks() started this process: then rank 0 stops when its standard input says so, and
/// ranks report failures by rankReportLine() in place of a sentence.
bool startedByLauncher();

}  // namespace meshreel
