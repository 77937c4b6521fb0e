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

#include "engine/base/error.h"
#include "engine/base/system.h"

namespace meshreel {
namespace {

constexpr std::array stopSignals{SIGINT, SIGTERM, SIGHUP};
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

/// A hang-up takes the terminal along: what is still printed must not fail.
void leaveTerminal() {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        if (nowhere >= 0 && ::isatty(stream) != 0)
            ::dup2(nowhere, stream);
}

/// Asked a second time, the program ends at once; but who ends a session sends SIGTERM and SIGHUP together.
void onSignal(int number) {
    const int savedErrno = errno;
    for (const int signal : stopSignals)
        ::signal(signal, SIG_DFL);
    ::signal(SIGHUP, SIG_IGN);
    if (number == SIGHUP) {
        ::signal(SIGTERM, SIG_IGN);
        leaveTerminal();
    }
    if (number != SIGINT) {
        ::signal(SIGALRM, onLimit);
        ::alarm(Interrupt::endLimitSeconds);
    }
    writeToPipe(number == SIGINT ? stopRequested : endRequested);
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
    struct sigaction before {};  // nohup has a hang-up ignored
    for (const int signal : stopSignals)
        if (signal != SIGHUP || ::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_IGN)
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
    struct sigaction now {};
    for (const int signal : stopSignals)
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == onSignal)
            ::signal(signal, SIG_DFL);
    writeToPipe(waiterMayEnd);
    m_waiter.join();
    ::close(m_readEnd);
    ::close(pipeWriteEnd.exchange(-1));
}

}  // namespace meshreel
