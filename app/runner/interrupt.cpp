// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/system.h"

namespace meshreel {
namespace {

constexpr std::array stopSignals{SIGINT, SIGTERM};
constexpr char stopRequested = 's';
constexpr char endRequested = 't';
constexpr char waiterMayEnd = 'e';

// A signal handler reaches nothing but globals. Requesting a stop takes locks, which a handler must not, so
// it only writes to this pipe and a thread does the rest.
std::atomic<int> pipeWriteEnd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

void writeToPipe(char what) {
    while (::write(pipeWriteEnd, &what, 1) < 0 && errno == EINTR) {
    }
}

/// The limit is over. Work that hangs, or a library that waits for its threads at exit, hears nothing else.
void onLimit(int) {
    ::signal(SIGTERM, SIG_DFL);
    ::kill(::getpid(), SIGTERM);
    ::_exit(128 + SIGTERM);  // the first process of a container is not killed so
}

void onSignal(int number) {
    const int savedErrno = errno;
    for (const int signal : stopSignals)
        ::signal(signal, SIG_DFL);
    if (number == SIGTERM) {
        ::signal(SIGALRM, onLimit);
        ::alarm(Interrupt::endLimitSeconds);
    }
    writeToPipe(number == SIGTERM ? endRequested : stopRequested);
    errno = savedErrno;
}

}  // namespace

Interrupt::Interrupt(std::function<void()> onTerminate) : m_onTerminate(std::move(onTerminate)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ErrorKind::Internal,
                    std::string("no pipe for signals could be made (") + std::strerror(errno) + ")");
    m_readEnd = ends[0];
    pipeWriteEnd = ends[1];
    m_waiter = startThread([this] { waitForSignal(); });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (const int signal : stopSignals)
        ::sigaction(signal, &action, nullptr);
}

void Interrupt::waitForSignal() {
    char what = 0;
    ssize_t got = 0;
    while ((got = ::read(m_readEnd, &what, 1)) < 0 && errno == EINTR) {
    }
    if (got != 1 || what == waiterMayEnd)
        return;
    if (what == endRequested && m_onTerminate)
        m_onTerminate();
    else
        m_source.request_stop();
}

Interrupt::~Interrupt() {
    for (const int signal : stopSignals)
        ::signal(signal, SIG_DFL);
    writeToPipe(waiterMayEnd);
    m_waiter.join();
    ::close(m_readEnd);
    ::close(pipeWriteEnd.exchange(-1));
}

}  // namespace meshreel
