// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/sentence.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_channels.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/mpi_session.h"
#include "engine/mesh/mpi/process_guard.h"
#include "engine/mesh/mpi/rank_watch.h"

namespace meshreel {

/// The one thread that calls MPI, from MPI_Init to MPI_Finalize. Everybody else leaves wishes in its inbox.
class MpiCommThread {
  public:
    /// Returns when MPI is up and the ranks have identified themselves.
    explicit MpiCommThread(const MpiSessionOptions& options);

    /// Says goodbye, waits for that of the others and ends MPI (see MpiSession's destructor).
    ~MpiCommThread();
    MpiCommThread(const MpiCommThread&) = delete;
    MpiCommThread& operator=(const MpiCommThread&) = delete;

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] const std::vector<RankIdentity>& identities() const { return m_identities; }

    /// A transfer to carry, unless the ranks gave up: it is failed then.
    void submit(const std::shared_ptr<LinkTransfer>& transfer);
    void submit(const std::shared_ptr<LinkBroadcast>& broadcast);

    /// Returns when nobody touches the memory of a transfer that was not waited for.
    void abandon(const std::shared_ptr<LinkTransfer>& transfer);

    void fail(const MeshFailure& failure);
    void terminate();
    [[nodiscard]] LinkOutcome& outcome() { return m_outcome; }

  private:
    using Time = FailureDetector::Time;

    /// What other threads want.
    struct Inbox {
        std::vector<std::shared_ptr<LinkTransfer>> transfers;
        std::vector<std::shared_ptr<LinkBroadcast>> broadcasts;
        std::vector<std::shared_ptr<LinkTransfer>> abandoned;
        std::optional<MeshFailure> failure;
        bool terminate = false;
        bool finish = false;
        [[nodiscard]] bool empty() const;
    };

    struct Abandoned {
        std::shared_ptr<LinkTransfer> transfer;
        Time since;
    };

    /// What this rank has already reported to the others.
    struct Told {
        bool terminating = false;
        bool failing = false;
        bool reason = false;
        bool quiet = false;
    };

    void main(std::promise<void>& ready);
    void initialise();
    bool step(Time now);
    void takeInbox(Time now);
    void poll(Time now);
    bool moveData();
    void send(Time now);
    void watch(Time now);
    void releaseAbandoned(Time now);
    void disable(const Sentence& reason);
    void shutdown(Time now);
    void closeMpi();
    void idle(bool moved);
    [[nodiscard]] bool busy();
    [[nodiscard]] MeshFailure selfFailure(const Sentence& reason) const;

    MpiSessionOptions m_options;
    int m_rank = 0;
    std::vector<RankIdentity> m_identities;
    LinkOutcome m_outcome;
    std::optional<ProcessGuard> m_guard;

    std::mutex m_mutex;
    std::condition_variable m_wake;
    Inbox m_inbox;

    // The thread's own.
    std::optional<ControlChannel> m_control;
    std::optional<MpiMessages> m_messages;
    std::optional<MpiBroadcasts> m_broadcasts;
    std::optional<FailureDetector> m_watch;
    std::vector<std::shared_ptr<LinkTransfer>> m_unposted;
    std::vector<std::shared_ptr<LinkBroadcast>> m_unstarted;
    std::vector<Abandoned> m_abandoned;
    Time m_nextHeartbeat;
    std::optional<Time> m_byeSince;
    Told m_told;
    bool m_failureIsOwn = false;
    bool m_terminated = false;
    bool m_wantsEnd = false;
    bool m_frozen = false;
    bool m_ended = false;
    int m_idleRounds = 0;

    std::thread m_thread;  // last: it uses the rest
};

}  // namespace meshreel
