// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/system.h"

namespace meshreel {
namespace {

constexpr int cannotStart = 127;
constexpr int signalBase = 128;

struct Pipe {
    Pipe() {
        std::array<int, 2> both{};
        if (::pipe2(both.data(), O_CLOEXEC) != 0)
            throw Error(ErrorKind::Resources,
                        sentence("no pipe to another program could be made ({})", std::strerror(errno)), {},
                        sentence("Close other programs or raise the limit on open files (ulimit -n)"));
        readEnd = both[0];
        writeEnd = both[1];
    }
    ~Pipe() {
        closeEnd(readEnd);
        closeEnd(writeEnd);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    static void closeEnd(int& end) {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
    static int release(int& end) {
        const int kept = end;
        end = -1;
        return kept;
    }

    int readEnd = -1;
    int writeEnd = -1;
};

/// Between fork and exec: nothing here may allocate.
[[noreturn]] void become(pid_t parent, char* const* line, int in, int out, int err, int failure) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent)  // it ended before that
        ::_exit(cannotStart);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvp(line[0], line);
    const int reason = errno;
    static_cast<void>(!::write(failure, &reason, sizeof reason));
    ::_exit(cannotStart);
}

Error notStarted(const std::string& program, int reason) {
    if (reason == EAGAIN || reason == ENOMEM)
        return outOfThreads(std::strerror(reason));
    const Sentence message = sentence("{} cannot be started ({})", program, std::strerror(reason));
    if (reason == ENOENT && program.find("mpi") != std::string::npos)
        return {ErrorKind::Input, message, {}, sentence("Install Open MPI (apt-get install openmpi-bin)")};
    if (reason == ENOENT)
        return {ErrorKind::Input, message, {}, sentence("Install the program again, or put it into PATH")};
    if (reason == E2BIG)
        return {ErrorKind::Project, message, {}, sentence("Use fewer hosts, or shorter names")};
    return {ErrorKind::Input, message, {}, sentence("Check the permissions of the program in your PATH")};
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& line) {
    Pipe in;
    Pipe out;
    Pipe err;
    Pipe failure;
    std::vector<std::string> copies = line;
    std::vector<char*> words;
    for (std::string& word : copies)
        words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t self = ::getpid();
    m_pid = ::fork();
    if (m_pid == 0)
        become(self, words.data(), in.readEnd, out.writeEnd, err.writeEnd, failure.writeEnd);
    int reason = m_pid < 0 ? errno : 0;
    Pipe::closeEnd(failure.writeEnd);
    if (m_pid > 0 && ::read(failure.readEnd, &reason, sizeof reason) > 0)
        ::waitpid(m_pid, nullptr, 0);
    if (reason != 0)
        throw notStarted(line.front(), reason);
    m_in = Pipe::release(in.writeEnd);
    m_out = Pipe::release(out.readEnd);
    m_err = Pipe::release(err.readEnd);
}

ChildProcess::~ChildProcess() {
    if (!poll()) {
        signalGroup(SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    for (const int end : {m_in, m_out, m_err})
        ::close(end);
}

void ChildProcess::write(std::string_view text) const {
    // SIGPIPE is ignored by all of Meshreel's programs; a reader that has gone needs no words.
    static_cast<void>(!::write(m_in, text.data(), text.size()));
}

void ChildProcess::signal(int number) const {
    if (!m_status)
        ::kill(m_pid, number);
}

void ChildProcess::signalGroup(int number) const {
    if (!m_status)
        ::kill(-m_pid, number);
}

std::optional<int> ChildProcess::poll() {
    int status = 0;
    if (!m_status && ::waitpid(m_pid, &status, WNOHANG) == m_pid)
        m_status = WIFEXITED(status) ? WEXITSTATUS(status) : signalBase + WTERMSIG(status);
    return m_status;
}

}  // namespace meshreel
