// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/meeting_watch.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/system.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;

constexpr auto meetingInterval = 250ms;
constexpr int looksASecond = 1000ms / meetingInterval;

}  // namespace

MeetingWatch::MeetingWatch(Options options)
    : m_options(std::move(options)),
      m_stopped(stoppedLimit / meetingInterval),
      m_thread(startThread([this] { watch(); })) {}

MeetingWatch::~MeetingWatch() {
    {
        const std::lock_guard lock(m_mutex);
        m_met = true;
        m_wake.notify_all();
    }
    m_thread.join();
}

void MeetingWatch::watch() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(m_mutex);
    do {
        lock.unlock();
        look();
        lock.lock();
    } while (!m_wake.wait_for(lock, meetingInterval, [this] { return m_met; }));
}

// Looks are counted, not seconds: a process that was stopped for a while has not waited.
void MeetingWatch::look() {
    if (m_options.signOfLife && m_looks % looksASecond == 0)
        m_options.signOfLife();
    ++m_looks;
    MeshFailure failure = m_options.self;
    if (m_starter.isGone()) {
        failure.reason = sentence("mpirun has gone away");
        end(std::move(failure), false);
    }
    if (m_starter.kind() != RankStarter::Kind::None) {
        std::vector<pid_t> processes = childProcesses(m_starter.process());
        processes.push_back(m_starter.process());
        if (const auto stopped = m_stopped.look(processes)) {
            const bool isStarter = *stopped == m_starter.process();
            if (const auto rank = rankOfProcess(*stopped); rank && !isStarter)
                failure.rank = *rank;
            failure.reason =
                isStarter ? sentence("mpirun is stopped") : sentence("it was stopped while the ranks met");
            end(std::move(failure), isStarter);
        }
    }
    if (m_looks > m_options.limit / meetingInterval) {
        failure.reason = sentence("it did not meet all other ranks within {} s",
                                  std::chrono::duration_cast<std::chrono::seconds>(m_options.limit).count());
        end(std::move(failure), true);
    }
}

void MeetingWatch::end(MeshFailure failure, bool withStarter) const {
    if (m_options.lastWords)
        m_options.lastWords(failure);
    if (withStarter)
        m_starter.end();
    ::_exit(exitCode(ErrorKind::Device));
}

}  // namespace meshreel
