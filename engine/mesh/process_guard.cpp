// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/process_guard.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/system_limits.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

constexpr auto interval = 100ms;

/// After a cancel nobody is dead: devices get the time to reach their next check.
constexpr auto endAfterCancel = 60s;

/// Open MPI's, which mpirun removes when it lives to see the end of its ranks.
void removeSharedMemory() {
    constexpr std::string_view name = "/vader_segment.";
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const std::size_t path = line.find('/'); line.find(name) != std::string::npos)
            ::unlink(line.substr(path, line.find(' ', path) - path).c_str());
}

}  // namespace

ProcessGuard::ProcessGuard(LinkOutcome& outcome, Options options)
    : m_outcome(outcome), m_options(std::move(options)), m_thread(startThread([this] { watch(); })) {}

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
