// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/process_guard.h"
#include "engine/mesh/mesh_failure.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/system.h"
#include "engine/mesh/mpi/process_states.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

/// Between asking mpirun to end and killing it.
constexpr auto askedEndGrace = 2000ms;
/// A mpirun that hears of the end of a rank before it is asked to end falls over itself when asked.
constexpr auto hearingTime = 200ms;

/// A shell or two may stand between mpirun and a rank.
constexpr int furthestAncestor = 8;

constexpr std::array<std::string_view, 6> mpirunNames{"mpirun",          "mpirun.openmpi", "mpiexec",
                                                      "mpiexec.openmpi", "orterun",        "prterun"};
constexpr std::array<std::string_view, 2> daemonNames{"orted", "prted"};

// The C library declares these two for C only.
int openHandle(pid_t process) {
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
}

void sendSignal(int handle, int signal) {
    ::syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0);
}

RankStarter::Kind kindOf(pid_t process) {
    const std::string name = processName(process);
    if (std::ranges::find(mpirunNames, name) != mpirunNames.end())
        return RankStarter::Kind::Mpirun;
    if (std::ranges::find(daemonNames, name) != daemonNames.end())
        return RankStarter::Kind::Daemon;
    return RankStarter::Kind::None;
}

bool endsWithin(int handle, std::chrono::milliseconds limit) {
    pollfd event{handle, POLLIN, 0};
    return ::poll(&event, 1, static_cast<int>(limit.count())) > 0;
}

/// Runs in a copy of a process with many threads: nothing here may allocate or take a lock.
[[noreturn]] void killLater(int handle) {
    ::setsid();
    // mpirun does not end before everybody has let go of the pipes that it gave its ranks.
    constexpr int keptHandle = 0;
    ::dup2(handle, keptHandle);
    ::close_range(keptHandle + 1, ~0U, 0);
    if (!endsWithin(keptHandle, askedEndGrace))
        sendSignal(keptHandle, SIGKILL);
    ::_exit(0);
}

}  // namespace

RankStarter::RankStarter() : m_parent(::getppid()) {
    pid_t process = m_parent;
    for (int steps = 0; steps < furthestAncestor && process > 1; ++steps, process = parentProcess(process)) {
        m_kind = kindOf(process);
        if (m_kind == Kind::None)
            continue;
        m_process = process;
        m_handle = openHandle(process);
        return;
    }
}

RankStarter::~RankStarter() {
    if (m_handle >= 0)
        ::close(m_handle);
}

bool RankStarter::isGone() const {
    return ::getppid() != m_parent || (m_handle >= 0 && endsWithin(m_handle, 0ms));
}

void RankStarter::end() const {
    if (m_kind == Kind::None || isGone())
        return;
    std::signal(SIGTERM, SIG_IGN);  // what mpirun is going to ask of its ranks
    if (m_handle < 0) {             // an old kernel, or a container that forbids it: asking must do
        ::kill(m_process, SIGTERM);
        return;
    }
    if (::_Fork() == 0)  // libraries that want to hear of a fork may be in the middle of something
        killLater(m_handle);
    sendSignal(m_handle, SIGTERM);
    endsWithin(m_handle, hearingTime);
}

namespace {

constexpr auto interval = 100ms;

/// After a cancel nobody is dead: devices get the time to reach their next check.
constexpr auto endAfterCancel = 60s;

/// Open MPI's, which mpirun removes when it lives to see the end of its ranks.
void removeSharedMemory() {
    constexpr std::array<std::string_view, 2> names{"/vader_segment.", "/sm_segment."};  // Open MPI 4 and 5
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const std::size_t path = line.find('/'); std::ranges::any_of(
                names, [&line](std::string_view name) { return line.find(name) != std::string::npos; }))
            ::unlink(line.substr(path, line.find(' ', path) - path).c_str());
}

}  // namespace

ProcessGuard::ProcessGuard(LinkOutcome& outcome, Options options)
    : m_outcome(outcome),
      m_options(std::move(options)),
      m_stopped(stoppedLimit / interval),
      m_thread(startThread([this] { watch(); })) {}

ProcessGuard::~ProcessGuard() {
    {
        const std::lock_guard lock(m_mutex);
        m_ended = true;
        m_wake.notify_all();
    }
    m_thread.join();
}

void ProcessGuard::terminate() {
    const std::lock_guard lock(m_mutex);
    if (!m_terminatedAt)
        m_terminatedAt = Clock::now();
}

void ProcessGuard::watch() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, interval, [this] { return m_ended; })) {
        const std::optional<Clock::time_point> terminatedAt = m_terminatedAt;
        lock.unlock();
        const Clock::time_point now = Clock::now();
        if (terminatedAt && now - *terminatedAt > m_options.terminationLimit)
            giveUp(sentence("this rank was asked to end, and the others do not answer"));
        look(now);
        lock.lock();
    }
}

void ProcessGuard::look(Clock::time_point now) {
    // Looks are counted, not seconds: a process that was stopped for a while is not stuck.
    const std::uint64_t signs = m_signsOfLife.load(std::memory_order_relaxed);
    m_looksWithoutSign = signs == m_lastSigns ? m_looksWithoutSign + 1 : 0;
    m_lastSigns = signs;
    if (m_looksWithoutSign > m_options.stuckAfter / interval) {
        cutOff();  // what MPI waits for is an answer of mpirun
        giveUp(sentence("MPI does not return"));
    }
    if (m_starter.isGone())
        giveUp(sentence("mpirun has gone away"));
    if (const pid_t starter = m_starter.process(); starter > 0 && m_stopped.look({&starter, 1})) {
        cutOff();
        giveUp(sentence("mpirun is stopped"));
    }
    const auto failedAt = m_outcome.failedAt();
    if (!failedAt)
        return;
    const MeshFailure failure = *m_outcome.failure();
    const auto limit = failure.cancelled ? endAfterCancel : m_options.endAfterFailure;
    if (now - *failedAt > limit)
        endByForce(failure);
}

void ProcessGuard::giveUp(const Sentence& reason) {
    MeshFailure failure = m_options.self;
    failure.reason = reason;
    m_outcome.settle(failure, false);
}

void ProcessGuard::endStarterIfCutOff() const {
    if (m_starter.kind() != RankStarter::Kind::None && m_starter.isGone())
        removeSharedMemory();
    if (m_isCutOff)
        m_starter.end();
}

void ProcessGuard::endByForce(const MeshFailure& failure) const {
    if (m_options.lastWords)
        m_options.lastWords(failure);
    endStarterIfCutOff();
    ::_exit(exitCode(failure.cancelled ? ErrorKind::Cancelled : ErrorKind::Device));
}

}  // namespace meshreel
