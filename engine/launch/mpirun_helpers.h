// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/mpirun_program.h"

namespace meshreel {

/// mpirun reaches other hosts through this program, on both sides, so that its daemons learn the secret of
/// the run (socket_guard.h): in place of the remote shell, which it starts with the secret as the first line
/// of its standard input, and there in place of the daemon, which it starts with the secret. Nobody else sees
/// it there: all users of a host see command lines.
class MpirunHelpers {
  public:
    /// `program`: meshreel, or what has its runMpirunHelper(), here and on every host.
    explicit MpirunHelpers(std::filesystem::path program);
    ~MpirunHelpers();
    MpirunHelpers(const MpirunHelpers&) = delete;
    MpirunHelpers& operator=(const MpirunHelpers&) = delete;

    /// Words for mpirun.
    [[nodiscard]] std::vector<std::string> settings(const MpirunProgram& mpirun) const;

  private:
    std::filesystem::path m_program;
    int m_descriptor;  // descriptor of this program, whose path may hold spaces, at which mpirun would split
                       // it
};

/// Does what mpirun asks of this program, if it is mpirun that started it so: then it only returns, with an
/// exit code, when it cannot. To be called first in main().
std::optional<int> runMpirunHelper(int argc, char** argv);

}  // namespace meshreel
