// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <thread>

namespace meshreel::testing {
namespace {

constexpr std::chrono::milliseconds pollInterval{5};
constexpr int cannotStart = 127;

/// Nameless files hold the output, so that a chatty child never waits for a reader.
int namelessFile() {
    const int file = ::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        throw std::runtime_error("no temporary file for the output of a process");
    return file;
}

std::string contentsOf(int file) {
    std::string text;
    std::array<char, 4096> block{};
    ssize_t got = 0;
    while ((got = ::pread(file, block.data(), block.size(), static_cast<off_t>(text.size()))) > 0)
        text.append(block.data(), static_cast<std::size_t>(got));
    return text;
}

/// In the child, between fork and exec.
[[noreturn]] void become(std::vector<char*>& arguments, const ProcessOptions& options, int out, int err) {
    for (const auto& [name, value] : options.environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    if (!options.workingFolder.empty() && ::chdir(options.workingFolder.c_str()) != 0)
        ::_exit(cannotStart);
    if (options.ordinaryPermissions)
        for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
            ::prctl(PR_CAPBSET_DROP, capability);
    if (options.largestFile) {
        const rlimit limit{*options.largestFile, *options.largestFile};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (options.addressSpace) {
        const rlimit limit{*options.addressSpace, *options.addressSpace};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    ::dup2(options.outputToFullDevice ? ::open("/dev/full", O_WRONLY) : out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    for (const int stream : options.closedStreams)
        ::close(stream);
    ::execv(arguments.front(), arguments.data());
    ::_exit(cannotStart);
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const ProcessOptions& options)
    : m_out(namelessFile()), m_err(namelessFile()) {
    std::vector<std::string> copies = arguments;
    std::vector<char*> pointers;
    for (std::string& argument : copies)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    m_pid = ::fork();
    if (m_pid < 0)
        throw std::runtime_error("no process could be started");
    if (m_pid == 0)
        become(pointers, options, m_out, m_err);
}

Process::~Process() {
    if (!m_ended) {
        send(SIGKILL);
        poll(0);
    }
    ::close(m_out);
    ::close(m_err);
}

void Process::send(int signal) const {
    ::kill(m_pid, signal);
}

void Process::poll(int flags) {
    while (!m_ended) {
        const pid_t got = ::waitpid(m_pid, &m_status, flags);
        if (got == m_pid)
            m_ended = true;
        else if (got == 0 || errno != EINTR)
            return;
    }
}

std::string Process::outSoFar() const {
    return contentsOf(m_out);
}

std::string Process::errSoFar() const {
    return contentsOf(m_err);
}

bool Process::running() {
    poll(WNOHANG);
    return !m_ended;
}

ProcessResult Process::wait(std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    ProcessResult result;
    while (running() && !result.timedOut) {
        std::this_thread::sleep_for(pollInterval);
        result.timedOut = std::chrono::steady_clock::now() > deadline;
    }
    if (result.timedOut) {
        send(SIGKILL);
        poll(0);
    }
    result.exitCode = WIFEXITED(m_status) ? WEXITSTATUS(m_status) : -1;
    result.signal = WIFSIGNALED(m_status) ? WTERMSIG(m_status) : 0;
    result.out = contentsOf(m_out);
    result.err = contentsOf(m_err);
    return result;
}

}  // namespace meshreel::testing
