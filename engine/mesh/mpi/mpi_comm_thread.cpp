// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_comm_thread.h"
#include "engine/mesh/mesh_failure.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/system.h"
#include "engine/mesh/mpi/meeting_watch.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/socket_calls.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

// With data in flight the thread first spins, yielding to every thread that wants the CPU, then sleeps so
// briefly that nothing waits for it; without, only messages of other ranks can arrive.
constexpr int spinRounds = 200;
constexpr auto busyPause = 100us;
constexpr auto idlePause = 5ms;

/// For messages and requests that still have to leave when a rank ends after a failure.
constexpr auto lastMoments = 3s;

/// The guard gives the communication thread that much longer than it needs.
constexpr auto guardDelay = 150ms;

/// For peers to stop reading memory that was abandoned.
constexpr auto withdrawalLimit = 2s;

constexpr const char* copyMechanismVariable = "OMPI_MCA_btl_vader_single_copy_mechanism";

void blockSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

/// Containers often forbid what Open MPI copies large messages with inside a host; it asks nobody before.
void avoidForbiddenCopies() {
    if (!mayCopyBetweenProcesses())
        ::setenv(copyMechanismVariable, "none", 0);
}

/// Where the user's mpirun started all ranks here, nobody elsewhere needs to reach them. What the user set
/// stays.
void stayOnThisMachine() {
    if (!allRanksAreHere())
        return;
    ::setenv("OMPI_MCA_btl", localTransports, 0);
    ::setenv("OMPI_MCA_pml", localMessaging, 0);
}

MPI_Comm duplicate(MPI_Comm communicator) {
    MPI_Comm copy = MPI_COMM_NULL;
    checkMpi(MPI_Comm_dup(communicator, &copy));
    return copy;
}

std::vector<RankIdentity> exchangeIdentities(const RankIdentity& own, int ranks) {
    std::string mine = encodeIdentity(own);
    mine.resize(identityBytes, ' ');
    std::vector<char> all(identityBytes * static_cast<std::size_t>(ranks));
    constexpr int count = identityBytes;
    checkMpi(MPI_Allgather(mine.data(), count, MPI_CHAR, all.data(), count, MPI_CHAR, MPI_COMM_WORLD));
    std::vector<RankIdentity> identities;
    for (auto text = all.begin(); text != all.end(); text += count)
        identities.push_back(decodeIdentity(std::string(text, text + count)));
    return identities;
}

}  // namespace

bool MpiCommThread::Inbox::empty() const {
    return transfers.empty() && broadcasts.empty() && abandoned.empty() && !failure && !terminate && !finish;
}

MpiCommThread::MpiCommThread(const MpiSessionOptions& options) : m_options(options) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0)
        throw Error(ErrorKind::Internal, "a process can have one MPI session only");
    avoidForbiddenCopies();
    stayOnThisMachine();
    meshreel_guard_sockets();
    const MeetingWatch watch({.self = {.device = noDevice,
                                       .rank = rankByEnvironment(),
                                       .host = m_options.identity.host,
                                       .reason = {},
                                       .cancelled = false},
                              .limit = m_options.meetingLimit,
                              .signOfLife = m_options.signOfLife,
                              .lastWords = m_options.lastWords});
    std::promise<void> ready;
    m_thread = startThread([this, &ready] { main(ready); });
    try {
        ready.get_future().get();
    } catch (...) {
        m_thread.join();
        throw;
    }
}

MpiCommThread::~MpiCommThread() {
    {
        const std::lock_guard lock(m_mutex);
        m_inbox.finish = true;
        m_wake.notify_all();
    }
    m_thread.join();
    m_guard->endStarterIfCutOff();
}

void MpiCommThread::submit(const std::shared_ptr<LinkTransfer>& transfer) {
    if (!m_outcome.admit(transfer)) {
        transfer->fail();
        transfer->release();
        return;
    }
    const std::lock_guard lock(m_mutex);
    m_inbox.transfers.push_back(transfer);
    m_wake.notify_all();
}

void MpiCommThread::submit(const std::shared_ptr<LinkBroadcast>& broadcast) {
    if (!m_outcome.admit(broadcast)) {
        broadcast->fail();
        return;
    }
    const std::lock_guard lock(m_mutex);
    m_inbox.broadcasts.push_back(broadcast);
    m_wake.notify_all();
}

void MpiCommThread::abandon(const std::shared_ptr<LinkTransfer>& transfer) {
    {
        const std::lock_guard lock(m_mutex);
        m_inbox.abandoned.push_back(transfer);
        m_wake.notify_all();
    }
    transfer->awaitRelease();
}

void MpiCommThread::fail(const MeshFailure& failure) {
    const std::lock_guard lock(m_mutex);
    if (!m_inbox.failure)
        m_inbox.failure = failure;
    m_wake.notify_all();
}

void MpiCommThread::terminate() {
    m_guard->terminate();
    const std::lock_guard lock(m_mutex);
    m_inbox.terminate = true;
    m_wake.notify_all();
}

void MpiCommThread::main(std::promise<void>& ready) {
    blockSignals();
    try {
        initialise();
    } catch (...) {
        ready.set_exception(std::current_exception());
        return;
    }
    ready.set_value();
    while (!m_ended) {
        const bool moved = step(FailureDetector::Clock::now());
        if (!m_ended)
            idle(moved);
    }
}

void MpiCommThread::initialise() {
    int provided = 0;
    checkMpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    checkMpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int ranks = 0;
    checkMpi(MPI_Comm_rank(MPI_COMM_WORLD, &m_rank));
    checkMpi(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    m_identities = exchangeIdentities(m_options.identity, ranks);
    try {
        if (provided < MPI_THREAD_FUNNELED)
            throw Error(ErrorKind::Device, sentence("this MPI library does not support threads"), {},
                        sentence("Install Open MPI 4.1 as Debian packages it"));
        requireSameProgram(m_identities);
    } catch (const Error&) {
        // Every rank sees the same and refuses, so that this does not wait for ever.
        MPI_Finalize();
        throw;
    }
    m_control.emplace(duplicate(MPI_COMM_WORLD));
    m_messages.emplace(duplicate(MPI_COMM_WORLD));
    m_broadcasts.emplace(duplicate(MPI_COMM_WORLD), static_cast<std::size_t>(m_options.largestMessage));
    std::vector<std::string> hosts;
    for (const RankIdentity& identity : m_identities)
        hosts.push_back(identity.host);
    m_nextHeartbeat = FailureDetector::Clock::now();
    m_watch.emplace(m_rank, std::move(hosts), m_options.watch, m_nextHeartbeat);
    m_guard.emplace(m_outcome, ProcessGuard::Options{.self = selfFailure({}),
                                                     .stuckAfter = m_options.watch.goneAfter,
                                                     .terminationLimit = m_options.watch.grace + guardDelay,
                                                     .endAfterFailure = m_options.endAfterFailure,
                                                     .lastWords = m_options.lastWords});
}

/// One round; true when something moved.
bool MpiCommThread::step(Time now) {
    bool moved = false;
    takeInbox(now);
    if (!m_frozen) {
        try {
            poll(now);
            m_watch->advance(now);
            moved = moveData();
            send(now);  // before the failure is settled here, which may take its time
        } catch (const Error& failure) {
            disable(failure.message());
        }
    }
    watch(now);
    releaseAbandoned(now);
    shutdown(now);
    m_guard->alive();
    return moved;
}

void MpiCommThread::takeInbox(Time now) {
    Inbox inbox;
    {
        const std::lock_guard lock(m_mutex);
        inbox = std::exchange(m_inbox, {});
    }
    m_unposted.insert(m_unposted.end(), inbox.transfers.begin(), inbox.transfers.end());
    m_unstarted.insert(m_unstarted.end(), inbox.broadcasts.begin(), inbox.broadcasts.end());
    for (const auto& transfer : inbox.abandoned)
        m_abandoned.push_back({transfer, now});
    if (inbox.failure) {
        m_failureIsOwn = !m_watch->failure();
        m_watch->fail(*inbox.failure);
    }
    if (inbox.terminate) {
        m_terminated = true;
        m_watch->terminate(now);
    }
    m_wantsEnd = m_wantsEnd || inbox.finish;
}

bool MpiCommThread::moveData() {
    if (!m_watch->failing()) {
        for (const auto& transfer : std::exchange(m_unposted, {}))
            m_messages->post(transfer);
        for (const auto& broadcast : std::exchange(m_unstarted, {}))
            m_broadcasts->add(broadcast);
    }
    const bool messagesMoved = m_messages->test();
    const bool broadcastMoved = !m_watch->failing() && m_broadcasts->test();
    return messagesMoved || broadcastMoved;
}

void MpiCommThread::poll(Time now) {
    for (const auto& [rank, word] : m_control->take()) {
        m_watch->noteAlive(rank, now);
        switch (word.signal) {
            case ControlSignal::Alive:
                break;
            case ControlSignal::Failing:
                m_watch->noteFailing(rank, word.failure, now);
                break;
            case ControlSignal::Quiet:
                m_watch->noteQuiet(rank, now);
                break;
            case ControlSignal::Terminating:
                m_watch->noteTerminating(rank, now);
                break;
            case ControlSignal::Bye:
                m_watch->noteBye(rank, now);
                break;
        }
    }
}

void MpiCommThread::send(Time now) {
    if (m_terminated && !std::exchange(m_told.terminating, true))
        m_control->broadcast({ControlSignal::Terminating});
    if (m_watch->failing()) {
        if (!std::exchange(m_told.failing, true)) {
            m_messages->withdrawReceives();
            m_told.reason = m_watch->failure().has_value();
            m_control->broadcast({ControlSignal::Failing, m_watch->failure()});
        }
        if (m_watch->failure() && !std::exchange(m_told.reason, true))
            m_control->broadcast({ControlSignal::Failing, m_watch->failure()});
        if (!m_messages->receiving() && !std::exchange(m_told.quiet, true))
            m_control->broadcast({ControlSignal::Quiet});
    }
    if (now >= m_nextHeartbeat) {
        m_control->broadcast({ControlSignal::Alive});
        m_nextHeartbeat = now + m_options.heartbeat;
    }
}

void MpiCommThread::watch(Time now) {
    if (m_frozen)
        m_watch->advance(now);
    if (m_watch->anyGone())
        m_guard->cutOff();
    if (m_watch->failure())
        m_outcome.settle(*m_watch->failure(), m_failureIsOwn);
    else if (const auto failure = m_outcome.failure())  // the guard's
        m_watch->fail(*failure);
}

MeshFailure MpiCommThread::selfFailure(const Sentence& reason) const {
    return {.device = -1,
            .rank = m_rank,
            .host = m_identities[static_cast<std::size_t>(m_rank)].host,
            .reason = reason,
            .cancelled = false};
}

void MpiCommThread::releaseAbandoned(Time now) {
    if (m_abandoned.empty())
        return;
    m_watch->giveUp(now);
    std::erase_if(m_unposted, [this](const auto& transfer) {
        return std::ranges::any_of(m_abandoned,
                                   [&](const Abandoned& each) { return each.transfer == transfer; });
    });
    const auto isQuiet = [this](int rank) { return m_watch->isQuiet(rank); };
    std::erase_if(m_abandoned, [&](const Abandoned& each) {
        const bool inert = m_frozen || m_messages->isInert(*each.transfer, isQuiet);
        if (!inert && now - each.since > withdrawalLimit)
            disable(sentence("memory in use by a transfer had to be given up"));
        if (!inert && !m_frozen)
            return false;
        each.transfer->release();
        return true;
    });
}

/// Stops calling MPI: neither its state nor the memory that it was given can be relied on.
void MpiCommThread::disable(const Sentence& reason) {
    m_frozen = true;
    m_watch->fail(selfFailure(reason));
}

void MpiCommThread::shutdown(Time now) {
    if (!m_wantsEnd)
        return;
    try {
        if (!m_byeSince) {
            m_byeSince = now;
            if (!m_frozen)
                m_control->broadcast({ControlSignal::Bye});
        }
        const bool allSaid = m_frozen || (m_watch->allDone() && m_control->allSaid());
        if (!m_watch->failing()) {
            if (allSaid)
                closeMpi();
        } else {
            const auto failedAt = m_outcome.failedAt();
            const Time since = std::max(*m_byeSince, failedAt.value_or(now));
            m_ended = (allSaid && failedAt) || now - since > lastMoments;
        }
    } catch (const Error& failure) {
        disable(failure.message());
    }
}

void MpiCommThread::closeMpi() {
    m_control->close();
    m_messages->close();
    m_broadcasts->close();
    MPI_Finalize();
    m_ended = true;
}

bool MpiCommThread::busy() {
    return !m_frozen && (m_watch->failing() || m_wantsEnd || !m_messages->empty() || !m_broadcasts->empty());
}

void MpiCommThread::idle(bool moved) {
    m_idleRounds = moved ? 0 : m_idleRounds + 1;
    const bool isBusy = busy();
    if (isBusy && m_idleRounds < spinRounds) {
        std::this_thread::yield();
        return;
    }
    std::unique_lock lock(m_mutex);
    m_wake.wait_for(lock, isBusy ? std::chrono::nanoseconds(busyPause) : std::chrono::nanoseconds(idlePause),
                    [this] { return !m_inbox.empty(); });
}

}  // namespace meshreel
