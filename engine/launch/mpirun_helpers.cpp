// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/mpirun_helpers.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/standard_streams.h"
#include "engine/launch/remote_shell.h"
#include "engine/launch/socket_guard.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view remoteShellWord = "mpirun-remote-shell";
constexpr std::string_view daemonWord = "mpirun-daemon";

/// What is said when mpirun itself could not be guarded, and its daemons must not be.
constexpr std::string_view noSecret = "none";

/// Escapes for a shell, and for mpirun, which splits at spaces and joins again.
std::string escapedPath(const std::string& path) {
    constexpr std::string_view plain = "/._-+,:@%=";
    std::string escaped;
    for (const char letter : path) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 &&
            plain.find(letter) == std::string_view::npos)
            escaped += '\\';
        escaped += letter;
    }
    return escaped;
}

/// Only returns when it cannot.
int become(std::span<char* const> words) {
    ::execvp(words.front(), words.data());
    const int reason = errno;
    writeRemark(
        fmt::format("meshreel: {}\n",
                    sentence("{} cannot be started ({})", words.front(), std::strerror(reason)).text()));
    constexpr int notFound = 127;
    return notFound;
}

/// Puts a pipe in the place of the standard input, with a line in it.
bool giveLine(std::string line) {
    std::array<int, 2> ends{};
    line += '\n';
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return false;
    const bool given = ::write(ends[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       ::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO;
    ::close(ends[0]);
    ::close(ends[1]);
    return given;
}

/// The line from the standard input, which is nothing after it; nothing when none comes.
std::optional<std::string> takeLine() {
    constexpr int patience = 30'000;  // milliseconds
    constexpr std::size_t longest = 256;
    std::string line;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char letter = 0;
    while (line.size() < longest && ::poll(&input, 1, patience) > 0 &&
           ::read(STDIN_FILENO, &letter, 1) == 1) {
        if (letter == '\n') {
            const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
            ::dup2(nothing, STDIN_FILENO);
            ::close(nothing);
            return line;
        }
        line += letter;
    }
    return std::nullopt;
}

/// `words`: the remote shell, the host and what is to run there, a null pointer last.
int runRemoteShell(std::span<char* const> words) {
    const std::string secret = runSecret();
    leaveSocketGuard();
    if (!giveLine(secret.empty() ? std::string(noSecret) : secret))
        return exitCode(ErrorKind::Resources);
    return become(words);
}

/// `words`: the daemon and its arguments, a null pointer last.
int runDaemon(std::span<char* const> words) {
    const std::optional<std::string> secret = takeLine();
    if (!secret) {
        writeRemark(fmt::format("meshreel: {}\n",
                                sentence("the remote shell passes its standard input on to nobody: use one "
                                         "that does (MESHREEL_RSH)")
                                    .text()));
        return exitCode(ErrorKind::Device);
    }
    if (*secret != noSecret)
        enterSocketGuard(*secret);
    return become(words);
}

}  // namespace

MpirunHelpers::MpirunHelpers(fs::path program)
    : m_program(std::move(program)), m_descriptor(::open(m_program.c_str(), O_RDONLY | O_CLOEXEC)) {}

MpirunHelpers::~MpirunHelpers() {
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

std::vector<std::string> MpirunHelpers::settings(const MpirunProgram& mpirun) const {
    const std::string here =
        m_descriptor >= 0 ? fmt::format("/proc/{}/fd/{}", ::getpid(), m_descriptor) : m_program.string();
    std::vector<std::string> shell = remoteShell();
    if (fs::path(shell.front()).filename() == "ssh")
        shell.emplace_back("-x");  // as mpirun has it when it starts ssh itself
    const bool isPrrte = mpirun.isPrrte();
    return {
        "--mca",
        isPrrte ? "plm_ssh_agent" : "plm_rsh_agent",
        fmt::format("env LD_PRELOAD={} {} {} {}", ownPreload(), here, remoteShellWord, fmt::join(shell, " ")),
        "--mca",
        isPrrte ? "prte_launch_agent" : "orte_launch_agent",
        fmt::format("{} {} {}", escapedPath(m_program.string()), daemonWord, isPrrte ? "prted" : "orted")};
}

std::optional<int> runMpirunHelper(int argc, char** argv) {
    constexpr int fewestWords = 3;
    if (argc < fewestWords)
        return std::nullopt;
    const std::string_view word(argv[1]);
    const std::span<char* const> rest(argv + 2, static_cast<std::size_t>(argc) - 1);
    try {
        if (word == remoteShellWord)
            return runRemoteShell(rest);
        if (word == daemonWord)
            return runDaemon(rest);
    } catch (const Error& failure) {
        writeRemark(fmt::format("meshreel: {}\n", failure.what()));
        return exitCode(failure.kind());
    }
    return std::nullopt;
}

}  // namespace meshreel
