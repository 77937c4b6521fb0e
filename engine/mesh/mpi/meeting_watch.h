// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/process_guard.h"
#include "engine/mesh/mpi/process_states.h"

namespace meshreel {

/// Sees to it that this rank does not wait for ever while the ranks meet, when MPI does not return and no
/// rank hears another one yet. It ends the process, after `lastWords`, when mpirun (or its daemon) has gone
/// away, when it or one of the ranks that it started here stays stopped, and when the time for meeting is
/// over. mpirun ends the other ranks then.
class MeetingWatch {
  public:
    struct Options {
        MeshFailure self;                   ///< rank and host of this process
        std::chrono::milliseconds limit{};  ///< time limit for all ranks to meet
        std::function<void()> signOfLife;   ///< called about once a second
        std::function<void(const MeshFailure&)> lastWords;
    };

    explicit MeetingWatch(Options options);

    /// The ranks have met, or it was given up.
    ~MeetingWatch();
    MeetingWatch(const MeetingWatch&) = delete;
    MeetingWatch& operator=(const MeetingWatch&) = delete;

  private:
    void watch();
    void look();
    [[noreturn]] void end(MeshFailure failure, bool withStarter) const;

    Options m_options;
    RankStarter m_starter;
    StoppedProcesses m_stopped;
    int m_looks = 0;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_met = false;
    std::thread m_thread;  // last: it uses the rest
};

}  // namespace meshreel
