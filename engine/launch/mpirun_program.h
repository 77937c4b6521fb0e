// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshreel {

/// The mpirun that launches ranks. Other MPIs have programs of the same name, which understand other options.
struct MpirunProgram {
    std::filesystem::path path;
    std::string version = {};  ///< version of Open MPI
    int major = 4;

    /// Open MPI 5 launches by PRRTE, where some settings have other names.
    [[nodiscard]] bool isPrrte() const { return major >= 5; }
};

/// Returns the first mpirun in PATH, or the program that $MESHREEL_MPIRUN names, asked for its version.
/// Throws Error{Input} when there is none, when it is not Open MPI 4 or newer, or does not answer.
MpirunProgram findMpirun();

/// Variables of this process's environment that mpirun does not get: by them Open MPI would place ranks
/// otherwise than the hosts say, or talk in other ways. `onOneMachine`: all hosts are this machine.
std::vector<std::string> withheldVariables(bool onOneMachine);

}  // namespace meshreel
