// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/sentence.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_channels.h"
#include "engine/mesh/mpi/process_states.h"

namespace meshreel {

/// The process that started this rank: mpirun, or its daemon on another host. It is known by its name and by
/// being the nearest such ancestor; other process managers are none.
class RankStarter {
  public:
    enum class Kind { None, Mpirun, Daemon };

    RankStarter();
    ~RankStarter();
    RankStarter(const RankStarter&) = delete;
    RankStarter& operator=(const RankStarter&) = delete;

    [[nodiscard]] Kind kind() const { return m_kind; }

    /// 0 for none.
    [[nodiscard]] pid_t process() const { return m_process; }

    /// Returns whether it, or this process's parent, ended.
    [[nodiscard]] bool isGone() const;

    /// Asks the starter to end, and leaves a process behind that kills it if it has not ended within two
    /// seconds. The last call of a rank that is about to end: SIGTERM is ignored from here on.
    void end() const;

  private:
    pid_t m_parent;
    pid_t m_process = 0;
    Kind m_kind = Kind::None;
    int m_handle = -1;  // handle of m_process; never of another process that reuses its number
};

/// Sees to it that this process ends when the ranks have given up, even when the communication thread is
/// stuck inside MPI: Open MPI waits for mpirun while it reports that a connection broke, and mpirun may be
/// gone, or out of reach.
class ProcessGuard {
  public:
    struct Options {
        MeshFailure self;                              ///< rank and host of this process
        std::chrono::milliseconds stuckAfter{};        ///< without a sign of life of the communication thread
        std::chrono::milliseconds terminationLimit{};  ///< time to find out why this process is to end
        std::chrono::milliseconds endAfterFailure{};
        std::function<void(const MeshFailure&)> lastWords;
    };

    ProcessGuard(LinkOutcome& outcome, Options options);
    ~ProcessGuard();
    ProcessGuard(const ProcessGuard&) = delete;
    ProcessGuard& operator=(const ProcessGuard&) = delete;

    /// The communication thread's sign of life.
    void alive() { m_signsOfLife.fetch_add(1, std::memory_order_relaxed); }

    /// Records that this process was asked to end.
    void terminate();

    /// A rank cannot be reached any more: mpirun and its daemons may wait for its host for ever.
    void cutOff() { m_isCutOff = true; }

    /// Sees to it that what started this rank ends after it, if some rank was cut off. To be called last.
    void endStarterIfCutOff() const;

  private:
    using Clock = LinkOutcome::Clock;

    void watch();
    void look(Clock::time_point now);
    void giveUp(const Sentence& reason);
    void endByForce(const MeshFailure& failure) const;

    LinkOutcome& m_outcome;
    Options m_options;
    RankStarter m_starter;
    StoppedProcesses m_stopped;
    std::atomic<bool> m_isCutOff = false;
    std::atomic<std::uint64_t> m_signsOfLife = 0;
    std::uint64_t m_lastSigns = 0;
    int m_looksWithoutSign = 0;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_ended = false;
    std::optional<Clock::time_point> m_terminatedAt;
    std::thread m_thread;
};

}  // namespace meshreel
