// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/mesh/mpi/mpi_session.h"

namespace meshreel {

/// While it exists, calls `onCancel` (once, from a thread of its own) when a descriptor has something to
/// read: this is how the program that launched it reaches rank 0. A closed descriptor means nothing: mpirun
/// closes it, too, when another rank has died.
class CancelInput {
  public:
    CancelInput(int descriptor, std::function<void()> onCancel);
    ~CancelInput();
    CancelInput(const CancelInput&) = delete;
    CancelInput& operator=(const CancelInput&) = delete;

  private:
    int m_end;  // an event that ends the thread
    std::thread m_thread;
};

/// While it exists, this rank reports to the program that launched it that the ranks have met: rank 0 again
/// and again, the others once. Its destructor reports that the rank leaves. Does nothing for a rank that
/// mpirun's user started.
class RankPresence {
  public:
    explicit RankPresence(int rank);
    ~RankPresence();
    RankPresence(const RankPresence&) = delete;
    RankPresence& operator=(const RankPresence&) = delete;

  private:
    int m_rank;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_leaves = false;
    std::thread m_thread;  // last: it uses the rest
};

/// Whether more ranks than the hosts are asked to carry (cpu_placement.h) may take part.
enum class RankLoad { Limited, Unlimited };

/// Does `work` as one of several MPI ranks and returns the exit code, that of ErrorKind::Project when there
/// are too many of them. What it throws goes to the other ranks, and once to stderr: as a rank report to the
/// program that launched the ranks (startedByLauncher()), else as a sentence of the rank that failed. Throws
/// Error{Device} on every rank when they do not fit together.
int runAsRank(RankLoad load, const std::function<int(MpiSession&)>& work);

}  // namespace meshreel
