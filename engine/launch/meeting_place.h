// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/locked_folder.h"
#include "engine/launch/mpirun_helpers.h"
#include "engine/launch/mpirun_line.h"
#include "engine/launch/mpirun_program.h"
#include "engine/launch/socket_guard.h"

namespace meshreel {

/// Returns whether the folder has room for what so many ranks of Open MPI share: containers often have 64 MiB
/// in /dev/shm, and a rank that writes beyond it is killed by SIGBUS.
bool holdsSharedMemory(const std::filesystem::path& folder, int ranks);

/// What keeps strangers from the processes of a launch; and where, on this host alone, its Open MPI keeps the
/// files of its session and the memory that its ranks share. All is gone with this object. When this process
/// is killed, a shell that it leaves behind removes the folders while mpirun and the ranks end, and kills an
/// mpirun that does not; when that is killed too, the next launch removes them. With other hosts, where these
/// folders are not, Open MPI chooses its own.
class MeetingPlace {
  public:
    /// Throws Error{Input} when there is no place for temporary files.
    explicit MeetingPlace(const LaunchRequest& request);
    ~MeetingPlace();
    MeetingPlace(const MeetingPlace&) = delete;
    MeetingPlace& operator=(const MeetingPlace&) = delete;

    /// Words for mpirun.
    [[nodiscard]] std::vector<std::string> settings(const MpirunProgram& mpirun) const;

    /// Returns the command that starts mpirun with the environment that it needs.
    [[nodiscard]] std::vector<std::string> starter() const;

    /// Names the process that is to be gone when this one is.
    void watch(pid_t mpirun) const;

  private:
    void startCleaner();

    SocketGuard m_guard;
    std::optional<MpirunHelpers> m_helpers;
    std::optional<LockedFolder> m_session;
    std::optional<LockedFolder> m_memory;
    pid_t m_cleaner = -1;
    int m_toCleaner = -1;
};

}  // namespace meshreel
