// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/function_ref.h"

namespace meshreel {

/// Says before each job of a team whether its members should look for each other before they park (spin.h).
/// Where other threads want the CPUs too, a member that looks uses up its turn, the others look in vain, and
/// each wake-up waits for a turn; a team that parks is soon given one CPU without waiting. So when the team
/// found each other in vain too often, it parks for many jobs, and for more of them each time that this
/// happens again soon. Measured in docs/performance.md, "Starting a team of workers".
class SpinBackoff {
  public:
    static constexpr int fewestParked = 2048;  ///< jobs; fewer are over before the scheduler has settled
    static constexpr int mostParked = 16384;

    /// Counts a job; whether its members look for each other.
    [[nodiscard]] bool spinsNext() {
        if (m_parked == 0)
            return true;
        --m_parked;
        return false;
    }

    /// How looking came out for the job that spinsNext() allowed.
    void looked(bool inTime) {
        m_spun = std::min(m_spun + 1, fewestParked);
        m_misses = std::max(0, m_misses + (inTime ? -1 : weightOfMiss));
        if (m_misses < tooMany)
            return;
        m_parked = m_spun < fewestParked ? std::min(2 * m_lastParked, mostParked) : fewestParked;
        m_lastParked = m_parked;
        m_misses = 0;
        m_spun = 0;
    }

  private:
    // Sixteen misses more than one in nine jobs; teams with CPUs of their own miss one in fifty.
    static constexpr int weightOfMiss = 8;
    static constexpr int tooMany = 128;

    int m_parked = 0;                     // jobs for which to park yet
    int m_lastParked = fewestParked / 2;  // how many they were the last time
    int m_misses = 0;                     // weighted, what went well taken off
    int m_spun = 0;                       // jobs since
};

/// A fork-join team of workers: the calling thread is worker 0, the others wait between calls. A worker with
/// a CPU of its own spins for a moment before it parks (SpinBackoff). A call does not wait for a worker whose
/// CPU other programs keep busy: workers that are done take the shares of those that have not begun.
class WorkerPool {
  public:
    struct Options {
        int workers = 1;           ///< team size, the caller included; at least 1
        int teams = 1;             ///< teams of this size that compute at the same time on this machine
        bool lowPriority = false;  ///< schedule the team after the rest of the process
        std::function<void(int worker)> onStart = {};  ///< called first on each thread of the pool, 1 and up
    };

    explicit WorkerPool(Options options);
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] int size() const { return m_size; }

    /// Calls body(begin, end) over a static partition of [0, count) into at most size() contiguous ranges,
    /// one for each worker, who may be late and find it taken, and returns when all are done. The partition
    /// depends only on count and size(), so results do not depend on scheduling. The first exception is
    /// rethrown. A call from inside a body runs inline.
    void parallelFor(std::int64_t count, FunctionRef<void(std::int64_t, std::int64_t)> body);

    /// Calls body() once on each thread of the team, the caller's included, and returns when all are done.
    /// Not from inside a body.
    void onEachWorker(FunctionRef<void()> body);

  private:
    struct Job {
        const FunctionRef<void(std::int64_t, std::int64_t)>* body = nullptr;
        std::int64_t count = 0;
    };

    void workerLoop(int index);
    void wakeWorkers();
    void runJob(FunctionRef<void(std::int64_t, std::int64_t)> body, std::int64_t count);
    void runShares(int index, std::uint64_t job);
    void runShare(int share);
    void awaitWorkers();

    int m_size;
    bool m_ownCpus;  // each worker has one
    SpinBackoff m_backoff;
    Job m_job;  // written while nobody has a share of it
    std::atomic<std::uint64_t> m_jobNumber{0};
    std::vector<std::atomic<std::uint64_t>> m_takenFor;  // for each share: the last job that it was taken for
    std::atomic<int> m_pending{0};                       // shares that are not done
    std::atomic<bool> m_spins;                           // workers look for the next job before they park
    std::atomic<bool> m_keepsShares{false};              // none is taken by another worker
    std::atomic<bool> m_quit{false};
    std::mutex m_failing;
    std::exception_ptr m_failure;
    std::vector<std::thread> m_threads;
};

/// Lowers the scheduling priority of the calling thread for good: below a user interface, above idle batch
/// jobs.
void lowerThreadPriority();

/// CPUs this process may use at once: those of its affinity mask, and no more than its cgroup's quota pays
/// for; at least 1.
int availableCpus();

}  // namespace meshreel
