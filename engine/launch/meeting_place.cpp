// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/meeting_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/mesh/host_file.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* sharedMemory = "/dev/shm";
/// Of each rank: a segment of 4 MiB of Open MPI's, and what else it shares.
constexpr std::uintmax_t sharedBytesOfRank = std::uintmax_t{5} << 20U;

void addWords(Words& line, const Words& words) {
    line.insert(line.end(), words.begin(), words.end());
}

}  // namespace

bool holdsSharedMemory(const fs::path& folder, int ranks) {
    std::error_code failure;
    const fs::space_info space = fs::space(folder, failure);
    return !failure && space.available / sharedBytesOfRank >= static_cast<std::uintmax_t>(ranks);
}

MeetingPlace::MeetingPlace(const LaunchRequest& request) {
    const fs::path temporary = temporaryFilesFolder();
    LockedFolder::removeForsaken(temporary);
    LockedFolder::removeForsaken(sharedMemory);
    if (!isOnlyThisMachine(request.hosts)) {
        m_helpers.emplace(programOf(request));
        return;
    }
    m_session.emplace(temporary);
    if (holdsSharedMemory(sharedMemory, countSlots(request.hosts)))
        try {
            m_memory.emplace(sharedMemory);
        } catch (const Error&) {  // not to be written to: the folder of the session takes its place
        }
    startCleaner();
}

MeetingPlace::~MeetingPlace() {
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

Words MeetingPlace::settings(const MpirunProgram& mpirun) const {
    Words words{"-x", "LD_PRELOAD=" + ownPreload()};  // the guard's is for mpirun alone
    if (m_helpers)
        addWords(words, m_helpers->settings(mpirun));
    if (m_session)
        addWords(words,
                 {"--mca", mpirun.isPrrte() ? "prte_tmpdir_base" : "orte_tmpdir_base", m_session->path()});
    if (m_session)  // said in any case: Open MPI would take a /dev/shm that is too small
        addWords(words,
                 {"--mca", mpirun.isPrrte() ? "btl_sm_backing_directory" : "btl_vader_backing_directory",
                  (m_memory ? *m_memory : *m_session).path()});
    return words;
}

Words MeetingPlace::starter() const {
    const bool isOnOneMachine = !m_helpers;
    Words words{"env"};
    for (const std::string& name : withheldVariables(isOnOneMachine))
        addWords(words, {"-u", name});
    addWords(words, m_guard.variables(isOnOneMachine ? Reach::ThisMachine : Reach::Everywhere));
    return words;
}

void MeetingPlace::watch(pid_t mpirun) const {
    if (m_cleaner <= 0)
        return;
    const std::string line = fmt::format("{}\n", mpirun);
    static_cast<void>(!::write(m_toCleaner, line.data(), line.size()));
}

/// The end of this process closes its standard input; a line says which mpirun to look after, or that
/// nothing is left to do. mpirun, which then ends too, may still write for some seconds. One that is
/// stopped is killed; it is known by the folder on its command line.
void MeetingPlace::startCleaner() {
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

}  // namespace meshreel
