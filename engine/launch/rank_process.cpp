// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/rank_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/system.h"
#include "engine/launch/mpirun_line.h"
#include "engine/launch/rank_report.h"
#include "engine/launch/rank_start.h"
#include "engine/mesh/mesh_failure.h"
#include "engine/mesh/mpi/mpi_environment.h"

namespace meshreel {
namespace {

void waitForEither(int descriptor, int end, const std::function<void()>& onCancel) {
    constexpr int forEver = -1;
    std::array<pollfd, 2> events{{{descriptor, POLLIN, 0}, {end, POLLIN, 0}}};
    while (::poll(events.data(), events.size(), forEver) < 0)
        if (errno != EINTR)
            return;
    char word = 0;
    if (events[1].revents == 0 && ::read(descriptor, &word, 1) == 1)
        onCancel();
}

}  // namespace

CancelInput::CancelInput(int descriptor, std::function<void()> onCancel)
    : m_end(::eventfd(0, EFD_CLOEXEC)),
      m_thread(startThread([descriptor, end = m_end, onCancel = std::move(onCancel)] {
          waitForEither(descriptor, end, onCancel);
      })) {}

CancelInput::~CancelInput() {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(m_end, &one, sizeof one));
    m_thread.join();
    ::close(m_end);
}

namespace {

/// Writes a line in one piece: other ranks write to the same stderr.
void writeLine(std::string line) {
    line += '\n';
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

void writeSign(int rank, RankSign::Kind kind) {
    writeLine(rankSignLine({.rank = rank, .kind = kind}));
}

constexpr std::chrono::seconds presenceInterval{2};

}  // namespace

RankPresence::RankPresence(int rank) : m_rank(rank) {
    if (!startedByLauncher())
        return;
    if (rank != 0) {
        writeSign(rank, RankSign::Kind::Met);
        return;
    }
    m_thread = startThread([this] {
        std::unique_lock lock(m_mutex);
        do {
            lock.unlock();
            writeSign(m_rank, RankSign::Kind::Met);
            lock.lock();
        } while (!m_wake.wait_for(lock, presenceInterval, [this] { return m_leaves; }));
    });
}

RankPresence::~RankPresence() {
    if (!startedByLauncher())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_leaves = true;
        m_wake.notify_all();
    }
    if (m_thread.joinable())
        m_thread.join();
    writeSign(m_rank, RankSign::Kind::Left);
}

namespace {

void report(int rank, int code, const MeshFailure& failure) {
    const RankReport own{.rank = rank, .exitCode = code, .failure = failure};
    if (startedByLauncher())
        writeLine(rankReportLine(own));
    else if (own.isOwn())
        writeLine(fmt::format("meshreel: rank {} on host {}: {}", rank, failure.host, failure.reason));
}

int toExitCode(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return exitCode(error.kind());
    } catch (const std::bad_alloc&) {
        return exitCode(ErrorKind::Resources);
    } catch (...) {
        return exitCode(ErrorKind::Internal);
    }
}

/// What the ranks agree on: another one may have failed before.
MeshFailure settledFailure(MpiSession& session, const MeshFailure& own) {
    constexpr std::chrono::seconds settleLimit{2};
    constexpr std::chrono::milliseconds settleInterval{5};
    session.fail(own);
    const auto deadline = std::chrono::steady_clock::now() + settleLimit;
    while (!session.failure() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(settleInterval);
    return session.failure().value_or(own);
}

}  // namespace

int runAsRank(RankLoad load, const std::function<int(MpiSession&)>& work) {
    MpiSessionOptions options;
    options.lastWords = [](const MeshFailure& failure) {
        report(rankByEnvironment(), exitCode(failure.cancelled ? ErrorKind::Cancelled : ErrorKind::Device),
               failure);
    };
    if (startedByLauncher())
        options.signOfLife = [] { writeSign(rankByEnvironment(), RankSign::Kind::Alive); };
    MpiSession session(options);
    const RankPresence presence(session.rank());
    if (const auto overload = session.overload(); overload && load == RankLoad::Limited) {
        const int code = exitCode(ErrorKind::Project);
        if (session.rank() == 0)  // the others know as well
            report(
                0, code,
                {.device = noDevice, .rank = 0, .host = session.host(0), .reason = overload->asSentence()});
        return code;
    }
    try {
        return work(session);
    } catch (...) {
        const std::exception_ptr exception = std::current_exception();
        const MeshFailure failure = settledFailure(session, describeFailure(noDevice, exception));
        int code = toExitCode(exception);
        if (failure.rank != session.rank())
            code = exitCode(failure.cancelled ? ErrorKind::Cancelled : ErrorKind::Device);
        report(session.rank(), code, failure);
        return code;
    }
}

}  // namespace meshreel
