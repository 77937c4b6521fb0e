// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/rank_starter.h"

#include <poll.h>
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

namespace meshreel {
namespace {

using namespace std::chrono_literals;

/// Between asking mpirun to end and killing it.
constexpr auto askedEndGrace = 2000ms;
/// A mpirun that hears of the end of a rank before it is asked to end falls over itself when asked.
constexpr auto hearingTime = 200ms;

/// A shell or two may stand between mpirun and a rank.
constexpr int furthestAncestor = 8;

/// As the kernel knows them: at most fifteen characters.
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

std::string nameOf(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

/// 0 when there is none to be seen.
pid_t parentOf(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t afterName = text.rfind(") ");  // the name may hold anything
    if (afterName == std::string::npos)
        return 0;
    constexpr std::size_t stateLength = 4;  // ") S "
    return static_cast<pid_t>(std::strtol(text.c_str() + afterName + stateLength, nullptr, 10));
}

RankStarter::Kind kindOf(pid_t process) {
    const std::string name = nameOf(process);
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

/// In a copy of a process with many threads: nothing here may allocate or take a lock.
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
    for (int steps = 0; steps < furthestAncestor && process > 1; ++steps, process = parentOf(process)) {
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

}  // namespace meshreel
