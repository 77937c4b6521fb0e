// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/rank_launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/child_output.h"
#include "engine/base/child_process.h"
#include "engine/launch/meeting_place.h"
#include "engine/launch/mpirun_messages.h"
#include "engine/launch/mpirun_program.h"
#include "engine/launch/rank_report.h"
#include "engine/launch/rank_start.h"
#include "engine/launch/remote_shell.h"
#include "engine/launch/socket_guard.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mesh_resolution.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/process_states.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Ranks end by themselves within this after a cancel, or after the first of them reported a failure. With
/// the time that mpirun gives them from SIGTERM to SIGKILL a cancel stays below the limit of a program that
/// was itself asked to end.
constexpr auto cancelPatience = 1000ms;
constexpr auto failurePatience = 9s;
/// Then mpirun is asked to end them, and killed.
constexpr auto endPatience = 5s;
constexpr auto rankPollInterval = 200ms;
/// Between looks at who is stopped.
constexpr auto stoppedInterval = 500ms;
/// For output of a process that has ended; other processes may keep its pipes open.
constexpr auto drainPatience = 500ms;

/// Wakes up poll() when a stop is requested.
class StopEvent {
  public:
    explicit StopEvent(const StopToken& stop)
        : m_descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), m_callback(stop, Raise{m_descriptor}) {}
    ~StopEvent() { ::close(m_descriptor); }
    StopEvent(const StopEvent&) = delete;
    StopEvent& operator=(const StopEvent&) = delete;

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    void clear() const {
        std::uint64_t count = 0;
        static_cast<void>(!::read(m_descriptor, &count, sizeof count));
    }

  private:
    struct Raise {
        int descriptor;
        void operator()() const {
            const std::uint64_t one = 1;
            static_cast<void>(!::write(descriptor, &one, sizeof one));
        }
    };

    int m_descriptor;
    std::stop_callback<Raise> m_callback;
};

/// One mpirun from start to end.
class Launch {
  public:
    Launch(const LaunchRequest& request, const LaunchOutput& output, const StopToken& stop)
        : m_hosts(request.hosts),
          m_output(output),
          m_stop(stop),
          m_stopEvent(stop),
          m_program(findMpirun()),
          m_rankProgram(programOf(request)),
          m_place(request),
          m_child(startLine(request)),
          m_out(m_child.out()),
          m_err(m_child.err()),
          m_mpirun(m_child.id()),
          m_start(request.hosts, rankCount(request), {.begin = m_patience}, Clock::now()),
          m_stopped(stoppedLimit / stoppedInterval) {
        m_place.watch(m_child.id());
    }

    LaunchEnd run() {
        std::optional<Clock::time_point> drainDue;
        while (true) {
            std::array<pollfd, 3> events{{{m_out.descriptor(), POLLIN, 0},
                                          {m_err.descriptor(), POLLIN, 0},
                                          {m_stopEvent.descriptor(), POLLIN, 0}}};
            ::poll(events.data(), events.size(), std::chrono::milliseconds(rankPollInterval).count());
            m_stopEvent.clear();
            readOutput();
            const Clock::time_point now = Clock::now();
            watchStart(now);
            pressOn(now);
            const std::optional<int> status = m_child.poll();
            if (status && !drainDue)
                drainDue = now + drainPatience;
            if (status && ((m_out.atEnd() && m_err.atEnd()) || now > *drainDue))
                return conclude(*status);
        }
    }

  private:
    [[nodiscard]] std::vector<std::string> startLine(const LaunchRequest& request) const {
        std::vector<std::string> line = m_place.starter();
        std::ranges::copy(mpirunLine(request, m_program, m_place.settings(m_program)),
                          std::back_inserter(line));
        return line;
    }

    void readOutput() {
        if (!m_out.atEnd())
            m_out.read([this](const std::string& line) { m_output.out(line); });
        if (!m_err.atEnd())
            m_err.read([this](const std::string& line) { hearError(line); });
    }

    void hearError(const std::string& line) {
        if (const auto heard = parseRankSign(line)) {
            if (!m_start.anyHeard() && !SocketGuard::isIn(m_child.id()))
                m_output.err(sentence("{} could not be guarded against connections of strangers: see "
                                      "docs/security.md",
                                      m_program.path.string())
                                 .text());
            m_start.note(heard->sign, Clock::now());
            if (!heard->before.empty())
                hearError(heard->before);
        } else if (const auto report = parseRankReport(line)) {
            if (m_reports.size() < maxMeshDevices)  // one of each rank
                m_reports.push_back(*report);
            if (!m_endDue)
                m_endDue = Clock::now() + (report->failure.cancelled ? cancelPatience : failurePatience);
        } else if (const bool partsItsWords = m_terminated && line.empty();
                   !partsItsWords && !m_mpirun.take(line)) {
            m_output.err(line);
        }
    }

    /// Until the ranks have met, and then watch each other, this process watches them; and mpirun to its end.
    void watchStart(Clock::time_point now) {
        m_start.advance(now);
        if (m_endDue)
            return;
        if (now >= m_nextLook) {
            m_nextLook = now + stoppedInterval;
            std::vector<pid_t> processes{m_child.id()};
            if (!m_start.allMet())
                std::ranges::copy(childProcesses(m_child.id()), std::back_inserter(processes));
            if (const auto stopped = m_stopped.look(processes)) {
                endStopped(*stopped, now);
                return;
            }
        }
        if (m_start.isDeaf()) {
            giveUp({.device = noDevice,
                    .rank = -1,
                    .host = {},
                    .reason = sentence("mpirun passes nothing on any more"),
                    .cancelled = false},
                   now);
            m_terminated = true;
        }
        if (m_start.allMet())
            return;
        if (const auto rank = m_start.silentRank())
            giveUp({.device = noDevice,
                    .rank = *rank,
                    .host = m_start.hostOf(*rank).name,
                    .reason = sentence(
                        "it has not been heard of for {} s",
                        std::chrono::duration_cast<std::chrono::seconds>(RankStartWatch::Limits().silence)
                            .count()),
                    .cancelled = false},
                   now);
        else if (m_start.isOverdue())
            giveUp(makeAbsence(), now);
    }

    void endStopped(pid_t process, Clock::time_point now) {
        if (process == m_child.id()) {
            giveUp({.device = noDevice, .rank = -1, .host = {}, .reason = sentence("mpirun is stopped")},
                   now);
            m_terminated = true;  // it hears no signal but SIGKILL
            return;
        }
        const std::optional<int> rank = rankOfProcess(process);
        giveUp({.device = noDevice,
                .rank = rank.value_or(-1),
                .host = rank ? m_start.hostOf(*rank).name : std::string(),
                .reason = rank ? sentence("it was stopped while the ranks met")
                               : sentence("{}, which mpirun started, is stopped", processName(process))},
               now);
    }

    void giveUp(MeshFailure failure, Clock::time_point now) {
        m_startFailure = std::move(failure);
        m_endDue = now;
        for (const pid_t child : childProcesses(m_child.id()))
            if (!rankOfProcess(child))
                m_helpers.emplace(child, processName(child));
    }

    /// The hosts that have not answered in time.
    [[nodiscard]] MeshFailure makeAbsence() const {
        std::string names;
        for (const Host& host : m_start.missingHosts())
            names += (names.empty() ? "" : ", ") + host.name;
        return {.device = noDevice, .rank = -1, .host = names, .reason = absenceReason(), .cancelled = false};
    }

    [[nodiscard]] Sentence absenceReason() const {
        const auto seconds = m_patience.count();
        if (m_start.anyHeard())
            return sentence(
                "the ranks there have not met the others within {} s: look for a firewall between "
                "the hosts, or set MESHREEL_HOST_TIMEOUT to more seconds",
                seconds);
        if (isOnlyThisMachine(m_hosts))
            return sentence(
                "no rank has begun there within {} s: set MESHREEL_HOST_TIMEOUT to more seconds if "
                "it is only slow",
                seconds);
        return sentence(
            "no rank has begun there within {} s: look at ssh and for a firewall that keeps Open "
            "MPI's daemon from calling back, or set MESHREEL_HOST_TIMEOUT to more seconds",
            seconds);
    }

    /// What mpirun started beside ranks, the remote shells, outlives an mpirun that is killed.
    void endHelpers() const {
        for (const auto& [process, name] : m_helpers)
            if (processName(process) == name)
                ::kill(process, SIGTERM);
    }

    /// Asks the ranks to cancel, and ends who should have ended.
    void pressOn(Clock::time_point now) {
        if (m_stop.stop_requested() && !std::exchange(m_cancelSent, true)) {
            m_child.write("cancel\n");
            m_endDue = now + cancelPatience;
        }
        if (!m_endDue || now < *m_endDue)
            return;
        if (!std::exchange(m_terminated, true)) {
            m_child.signal(SIGTERM);
            m_endDue = now + endPatience;
        } else {
            m_child.signalGroup(SIGKILL);  // what mpirun leaves behind notices, and ends
        }
    }

    [[nodiscard]] LaunchEnd conclude(int status) const {
        const int deviceCode = exitCode(ErrorKind::Device);
        if (m_startFailure && !m_stop.stop_requested()) {
            endHelpers();
            return {deviceCode, m_startFailure};
        }
        const RankReport* report = tellingReport();
        if (report != nullptr && report->isOwn())
            return {report->rank == 0 || report->failure.cancelled ? report->exitCode : deviceCode,
                    report->failure};
        if (const auto death = m_mpirun.death(); death && !m_stop.stop_requested())
            return {deviceCode, death};
        if (report != nullptr)
            return {report->failure.cancelled ? report->exitCode : deviceCode, report->failure};
        if (const auto host = m_mpirun.lostHost(); host && !m_stop.stop_requested())
            return {deviceCode, makeLoss(*host)};
        if (status == 0)
            return {};
        if (m_reports.empty() && !m_stop.stop_requested())
            if (const auto silent = findSilentHost(m_hosts, m_rankProgram))
                return {deviceCode, MeshFailure{.device = -1,
                                                .rank = findFirstRank(silent->host.name),
                                                .host = silent->host.name,
                                                .reason = silent->reason,
                                                .cancelled = false}};
        MeshFailure failure{
            .device = -1, .rank = -1, .host = {}, .reason = m_mpirun.text(), .cancelled = false};
        if (failure.reason.empty())
            failure.reason = sentence("mpirun ended with code {}", status);
        if (m_stop.stop_requested()) {
            failure.cancelled = true;
            return {exitCode(ErrorKind::Cancelled), failure};
        }
        return {deviceCode, failure};
    }

    /// The one that knows best: a rank that speaks of itself, else the first that was not merely cancelled.
    [[nodiscard]] const RankReport* tellingReport() const {
        const RankReport* best = nullptr;
        const auto worth = [](const RankReport& report) {
            return (report.failure.cancelled ? 0 : 2) + (report.isOwn() ? 1 : 0);
        };
        for (const RankReport& report : m_reports)
            if (best == nullptr || worth(report) > worth(*best))
                best = &report;
        return best;
    }

    /// Ranks are numbered in the order of the hosts.
    [[nodiscard]] int findFirstRank(const std::string& name) const {
        int rank = 0;
        for (const Host& host : m_hosts) {
            if (host.name == name)
                break;
            rank += host.ranks;
        }
        return rank;
    }

    [[nodiscard]] MeshFailure makeLoss(const std::string& lostHost) const {
        return {.device = -1,
                .rank = findFirstRank(lostHost),
                .host = lostHost,
                .reason = sentence("the connection to the host was lost"),
                .cancelled = false};
    }

    const std::vector<Host>& m_hosts;
    const LaunchOutput& m_output;
    StopToken m_stop;
    StopEvent m_stopEvent;
    std::chrono::seconds m_patience = hostPatience();
    MpirunProgram m_program;
    std::filesystem::path m_rankProgram;
    MeetingPlace m_place;
    ChildProcess m_child;
    ChildLines m_out;
    ChildLines m_err;
    MpirunMessages m_mpirun;
    RankStartWatch m_start;
    StoppedProcesses m_stopped;
    Clock::time_point m_nextLook;
    std::optional<MeshFailure> m_startFailure;
    std::map<pid_t, std::string> m_helpers;  // with their names
    std::vector<RankReport> m_reports;
    bool m_cancelSent = false;
    bool m_terminated = false;
    std::optional<Clock::time_point> m_endDue;  // when the ranks should have ended
};

ErrorKind kindOf(int code) {
    for (const ErrorKind kind : {ErrorKind::Project, ErrorKind::Input, ErrorKind::Resources,
                                 ErrorKind::Device, ErrorKind::Mismatch, ErrorKind::Cancelled})
        if (exitCode(kind) == code)
            return kind;
    return ErrorKind::Internal;
}

}  // namespace

LaunchEnd launchRanks(const LaunchRequest& request, const LaunchOutput& output, const StopToken& stop) {
    return Launch(request, output, stop).run();
}

Error toError(const LaunchEnd& end) {
    const MeshFailure failure =
        end.failure.value_or(MeshFailure{.host = {}, .reason = sentence("the ranks failed")});
    const ErrorKind kind = kindOf(end.exitCode);
    if (kind == ErrorKind::Cancelled)
        return {kind, sentence("Cancelled")};
    if (kind != ErrorKind::Device)  // rank 0's own sentence
        return {kind, failure.reason};
    return {kind, toSentence(failure)};
}

}  // namespace meshreel
