// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/launch/rank_launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/child_output.h"
#include "engine/base/child_process.h"
#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"
#include "engine/base/strings.h"
#include "engine/mesh/host_file.h"
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mpi/process_states.h"
#include "engine/runs/launch/mpirun_helpers.h"
#include "engine/runs/launch/rank_start.h"
#include "engine/runs/launch/remote_shell.h"
#include "engine/runs/launch/socket_guard.h"

namespace meshreel {
namespace {

// What mpirun says.

bool isRule(std::string_view line) {
    constexpr std::size_t shortestRule = 40;
    return line.size() >= shortestRule && std::ranges::all_of(line, [](char c) { return c == '-'; });
}

/// "[host:123] 1 more process has sent help message", and how to see them all.
bool isHelpNote(const std::string& line) {
    return line.starts_with('[') && (line.find("] Set MCA parameter") != std::string::npos ||
                                     line.find("has sent help message") != std::string::npos ||
                                     line.find("have sent help message") != std::string::npos);
}

/// "[host:01234] ...": notes for its developers; or what it says when it is asked to end twice.
bool isInnerNote(const std::string& line, pid_t mpirun) {
    static const RegularExpression abortNote(R"(mpi(run|exec): abort is already in progress.*)");
    const std::size_t end = line.find(']');
    const std::string mark = fmt::format(":{:05}", mpirun);
    return (line.starts_with('[') && end != std::string::npos && line.substr(0, end).ends_with(mark)) ||
           abortNote.match(line);
}

}  // namespace

bool MpirunMessages::take(const std::string& line) {
    constexpr std::size_t longestText = 600;
    if (isRule(line)) {
        m_insideBlock = !m_insideBlock;
        return true;
    }
    if (isHelpNote(line) || isInnerNote(line, m_mpirun))
        return true;
    if (!m_insideBlock)
        return false;
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string::npos && m_text.size() < longestText)
        m_text += (m_text.empty() ? "" : " ") + line.substr(start);
    return true;
}

std::optional<MeshFailure> MpirunMessages::death() const {
    static const RegularExpression signalled(
        R"(process rank (\d{1,9}) with PID \d+ on node (\S+) exited on signal (\d+ \([^)]*\)))");
    const auto found = signalled.search(m_text);
    if (!found)
        return std::nullopt;
    return MeshFailure{.device = -1,
                       .rank = std::stoi((*found)[1]),
                       .host = (*found)[2],
                       .reason = sentence("it was ended by signal {}", (*found)[3]),
                       .cancelled = false};
}

std::optional<std::string> MpirunMessages::lostHost() const {
    static const RegularExpression lost(R"(Remote daemon:\s+\S+ on node (\S+))");
    const auto found = lost.search(m_text);
    return found ? std::optional((*found)[1]) : std::nullopt;
}

std::string MpirunMessages::text() const {
    return m_text;
}

namespace {

// What ranks report.

using nlohmann::json;

constexpr std::string_view reportMark = "meshreel-rank-failure: ";

}  // namespace

std::string rankReportLine(const RankReport& report) {
    json object{{"rank", report.rank},
                {"exit_code", report.exitCode},
                {"failed_rank", report.failure.rank},
                {"host", report.failure.host},
                {"device", report.failure.device},
                {"cancelled", report.failure.cancelled}};
    putSentence(object, "reason", report.failure.reason);
    return std::string(reportMark) + object.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<RankReport> parseRankReport(std::string_view line) {
    const std::size_t start = line.find(reportMark);
    if (start == std::string_view::npos)
        return std::nullopt;
    const json object = json::parse(line.substr(start + reportMark.size()), nullptr, false);
    if (!object.is_object())
        return std::nullopt;
    try {
        return RankReport{.rank = object.at("rank").get<int>(),
                          .exitCode = object.at("exit_code").get<int>(),
                          .failure = {.device = object.at("device").get<int>(),
                                      .rank = object.at("failed_rank").get<int>(),
                                      .host = object.at("host").get<std::string>(),
                                      .reason = sentenceAt(object, "reason"),
                                      .cancelled = object.at("cancelled").get<bool>()}};
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

Sentence toSentence(const MeshFailure& failure) {
    if (failure.host.empty())
        return failure.reason;
    if (failure.rank < 0)
        return sentence("{} failed: {}", failure.host, failure.reason);
    if (failure.device < 0)
        return sentence("rank {} on host {} failed: {}", failure.rank, failure.host, failure.reason);
    return sentence("device {} of rank {} on host {} failed: {}", failure.device, failure.rank, failure.host,
                    failure.reason);
}

namespace {

// Launching.

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Set in the environment of ranks that launchRanks() started.
constexpr const char* launcherVariable = "MESHREEL_LAUNCHER";

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
/// For output of a process that has ended; its pipes may live on in others.
constexpr auto drainPatience = 500ms;

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void appendWords(Words& line, const Words& words) {
    line.insert(line.end(), words.begin(), words.end());
}

int ranksOf(const LaunchRequest& request) {
    return request.ranks > 0 ? request.ranks : slotsOf(request.hosts);
}

fs::path programOf(const LaunchRequest& request) {
    return request.program.empty() ? executableFolder() / "meshreel" : request.program;
}

Words hostWords(const LaunchRequest& request) {
    std::string list;
    for (const Host& host : request.hosts)
        list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host.name, host.ranks);
    return {"-n", std::to_string(ranksOf(request)), "--host", list};
}

/// Names only: mpirun takes the values from its own environment, and each host its own of everything else.
Words variableWords() {
    Words words;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::string name(variable.substr(0, variable.find('=')));
        if (name.starts_with("MESHREEL_") && name != launcherVariable)
            appendWords(words, {"-x", name});
    }
    appendWords(words, {"-x", std::string(launcherVariable) + "=1"});
    return words;
}

bool isOnlyThisMachine(std::span<const Host> hosts) {
    return std::ranges::all_of(hosts, [](const Host& host) { return isThisMachine(host.name); });
}

/// One setting of Open MPI; `ofPrrte`: its name since Open MPI 5, where that is another one.
struct MpirunSetting {
    std::string name;
    std::string value;
    std::string ofPrrte = {};
};

Words settingWords(const LaunchRequest& request, const MpirunProgram& mpirun) {
    Words words;
    const auto set = [&](const MpirunSetting& setting) {
        const bool isRenamed = mpirun.isPrrte() && !setting.ofPrrte.empty();
        appendWords(words, {"--mca", isRenamed ? setting.ofPrrte : setting.name, setting.value});
    };
    // Waiting ranks leave the CPU to the others: there may be more ranks than CPUs.
    set({"mpi_yield_when_idle", "1"});
    // Time to mark the run folder between mpirun's SIGTERM and SIGKILL, in seconds.
    set({"odls_base_sigkill_timeout", "2"});
    // A host that cannot be reached any more is noticed on both sides, in some twenty seconds: after the
    // ranks, who can tell whom they miss.
    set({"oob_tcp_keepalive_time", "10"});
    set({"oob_tcp_keepalive_intvl", "2"});
    set({"oob_tcp_keepalive_probes", "5"});
    set({"plm_rsh_no_tree_spawn", "1", "plm_ssh_no_tree_spawn"});
    // Inside a job of a scheduler the hosts file decides all the same: neither the job's nodes nor its
    // launcher are used. Names that an installation does not know are passed over.
    set({"ras", "^slurm,tm,pbs,lsf,gridengine,loadleveler,alps,flux"});
    set({"plm", "^slurm,tm,pbs,lsf,alps,flux"});
    set({"plm_rsh_disable_qrsh", "1", "plm_ssh_disable_qrsh"});
    set({"plm_rsh_disable_llspawn", "1", "plm_ssh_disable_llspawn"});
    // Hosts are called as the file of hosts writes them: names may differ behind their first dot only.
    set({"orte_keep_fqdn_hostnames", "1", "prte_keep_fqdn_hostnames"});
    if (!mayCopyBetweenProcesses())
        set(mpirun.isPrrte() ? MpirunSetting{"smsc", "^cma"}
                             : MpirunSetting{"btl_vader_single_copy_mechanism", "none"});
    if (isOnlyThisMachine(request.hosts)) {
        set({"btl", localTransports});
        set({"pml", localMessaging});
    }
    return words;
}

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

/// A folder of this process, which is locked as long as it lives.
class LockedFolder {
  public:
    /// In `parent`, under a name of its own. Throws Error{Input} when none can be made there.
    explicit LockedFolder(const fs::path& parent)
        : m_path((parent / (std::string(prefix) + "XXXXXX")).string()) {
        if (::mkdtemp(m_path.data()) == nullptr)
            throw Error(ErrorKind::Input,
                        sentence("the folder for temporary files cannot be used ({})", std::strerror(errno)),
                        parent.string(), sentence("Set TMPDIR to a folder that you may write to"));
        m_lock = tryLock(m_path);
    }
    ~LockedFolder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    LockedFolder(const LockedFolder&) = delete;
    LockedFolder& operator=(const LockedFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return m_path; }

    /// Removes those in `parent` whose processes, of this user, are gone.
    static void removeForsaken(const fs::path& parent) {
        std::error_code failure;
        for (const fs::directory_entry& entry : fs::directory_iterator(parent, failure)) {
            if (!entry.path().filename().string().starts_with(prefix))
                continue;
            struct stat info {};
            const bool isOwn = ::lstat(entry.path().c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                               info.st_uid == ::geteuid();
            // A young one may be about to be locked.
            if (!isOwn || std::time(nullptr) - info.st_mtime < youngSeconds)
                continue;
            if (const std::optional<FileLock> lock = tryLock(entry.path()))
                fs::remove_all(entry.path(), failure);
        }
    }

  private:
    static constexpr std::string_view prefix = "meshreel-ranks-";
    static constexpr std::time_t youngSeconds = 60;

    /// Absent when somebody else has it.
    static std::optional<FileLock> tryLock(const fs::path& folder) {
        const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return descriptor < 0 ? std::nullopt : FileLock::tryTake(descriptor);
    }

    std::string m_path;
    std::optional<FileLock> m_lock;
};

/// What keeps strangers from the processes of a launch; and where, on this host alone, its Open MPI keeps the
/// files of its session and the memory that its ranks share. All is gone with this object. When this process
/// is killed, a shell that it leaves behind removes the folders while mpirun and the ranks end, and kills an
/// mpirun that does not; when that is killed too, the next launch removes them. With other hosts, where these
/// folders are not, Open MPI chooses its own.
class MeetingPlace {
  public:
    /// Throws Error{Input} when there is no place for temporary files.
    explicit MeetingPlace(const LaunchRequest& request) {
        const fs::path temporary = temporaryFilesFolder();
        LockedFolder::removeForsaken(temporary);
        LockedFolder::removeForsaken(sharedMemory);
        if (!isOnlyThisMachine(request.hosts)) {
            m_helpers.emplace(programOf(request));
            return;
        }
        m_session.emplace(temporary);
        try {
            m_memory.emplace(sharedMemory);
        } catch (const Error&) {  // missing or full: Open MPI then uses the folder of the session
        }
        startCleaner();
    }
    ~MeetingPlace() {
        m_memory.reset();
        m_session.reset();
        if (m_cleaner <= 0)
            return;
        constexpr std::string_view done = "done\n";
        static_cast<void>(!::write(m_toCleaner, done.data(), done.size()));
        ::close(m_toCleaner);
        while (::waitpid(m_cleaner, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    MeetingPlace(const MeetingPlace&) = delete;
    MeetingPlace& operator=(const MeetingPlace&) = delete;

    /// Words for mpirun.
    [[nodiscard]] Words settings(const MpirunProgram& mpirun) const {
        Words words{"-x", "LD_PRELOAD=" + ownPreload()};  // the guard's is for mpirun alone
        if (m_helpers)
            appendWords(words, m_helpers->settings(mpirun));
        if (m_session)
            appendWords(words, {"--mca", mpirun.isPrrte() ? "prte_tmpdir_base" : "orte_tmpdir_base",
                                m_session->path()});
        if (m_memory)
            appendWords(words, {"--mca",
                                mpirun.isPrrte() ? "btl_sm_backing_directory" : "btl_vader_backing_directory",
                                m_memory->path()});
        return words;
    }

    /// What is to start mpirun with the environment that it needs.
    [[nodiscard]] Words starter() const {
        const bool isOnOneMachine = !m_helpers;
        Words words{"env"};
        for (const std::string& name : withheldVariables(isOnOneMachine))
            appendWords(words, {"-u", name});
        appendWords(words, m_guard.variables(isOnOneMachine ? Reach::ThisMachine : Reach::Everywhere));
        return words;
    }

    /// Names the process that is to be gone when this one is.
    void watch(pid_t mpirun) const {
        if (m_cleaner <= 0)
            return;
        const std::string line = fmt::format("{}\n", mpirun);
        static_cast<void>(!::write(m_toCleaner, line.data(), line.size()));
    }

  private:
    static constexpr const char* sharedMemory = "/dev/shm";

    /// The end of this process closes its standard input; a line says which mpirun to look after, or that
    /// nothing is left to do. mpirun, which then ends too, may still write for some seconds. One that is
    /// stopped is killed; it is known by the folder on its command line.
    void startCleaner() {
        constexpr const char* script =
            "while read -r word; do [ \"$word\" = done ] && exit; mpirun=$word; done\n"
            "for pause in 1 1 1; do sleep $pause; rm -rf -- \"$@\"; done\n"
            "pauses='1 2'\n"
            "grep -aqF -e \"$1\" \"/proc/${mpirun:-none}/cmdline\" && kill -KILL \"$mpirun\" && pauses='1 2 "
            "3'\n"
            "for pause in $pauses; do sleep $pause; rm -rf -- \"$@\"; done\n";
        Words line{"sh", "-c", script, "meshreel-ranks", m_session->path()};
        if (m_memory)
            line.push_back(m_memory->path());
        std::vector<char*> words;
        for (std::string& word : line)
            words.push_back(word.data());
        words.push_back(nullptr);
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            return;
        posix_spawn_file_actions_t files{};
        posix_spawnattr_t attributes{};
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
        for (const int output : {STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // a Ctrl-C does not reach it
        if (::posix_spawn(&m_cleaner, "/bin/sh", &files, &attributes, words.data(), environ) == 0)
            m_toCleaner = ends[1];
        else
            ::close(ends[1]);
        ::close(ends[0]);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
    }

    SocketGuard m_guard;
    std::optional<MpirunHelpers> m_helpers;
    std::optional<LockedFolder> m_session;
    std::optional<LockedFolder> m_memory;
    pid_t m_cleaner = -1;
    int m_toCleaner = -1;
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
          m_start(request.hosts, ranksOf(request), {.begin = m_patience}, Clock::now()),
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
    [[nodiscard]] Words startLine(const LaunchRequest& request) const {
        Words line = m_place.starter();
        appendWords(line, mpirunLine(request, m_program, m_place.settings(m_program)));
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
            m_start.hear(heard->sign, Clock::now());
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
                std::ranges::copy(childrenOf(m_child.id()), std::back_inserter(processes));
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
        for (const pid_t child : childrenOf(m_child.id()))
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
    fs::path m_rankProgram;
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

bool startedByLauncher() {
    return std::getenv(launcherVariable) != nullptr;
}

std::vector<std::string> mpirunLine(const LaunchRequest& request, const MpirunProgram& mpirun,
                                    const std::vector<std::string>& settings) {
    Words line{mpirun.path.string(), "--bind-to", "none"};
    appendWords(line, mpirun.isPrrte() ? Words{"--map-by", "slot:OVERSUBSCRIBE"}
                                       : Words{"--oversubscribe", "--map-by", "slot"});
    appendWords(line, hostWords(request));
    if (::geteuid() == 0)
        line.emplace_back("--allow-run-as-root");
    appendWords(line, settingWords(request, mpirun));
    appendWords(line, settings);
    appendWords(line, variableWords());
    line.push_back(programOf(request).string());
    appendWords(line, request.arguments);
    return line;
}

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
