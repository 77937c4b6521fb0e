// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/mpirun_program.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "engine/base/child_output.h"
#include "engine/base/child_process.h"
#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* mpirunVariable = "MESHREEL_MPIRUN";
constexpr auto versionPatience = 10s;  // wrappers of clusters may load modules first
constexpr auto versionPollInterval = 5ms;
constexpr int oldestMajor = 4;

/// Files of this name in the folders of PATH that may be executed, in its order.
std::vector<fs::path> programsInPath(const std::string& name) {
    std::vector<fs::path> found;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
        if (isFile(file) && ::access(file.c_str(), X_OK) == 0)
            found.push_back(file);
    }
    return found;
}

/// What a program says to --version; nothing when it does not end in time.
std::optional<std::string> askVersion(const fs::path& program, std::chrono::milliseconds patience) {
    constexpr std::size_t enough = 65536;
    ChildProcess child({program.string(), "--version"});
    ChildText text(enough);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
        const bool ended = child.poll().has_value();
        text.drain(child.out());
        text.drain(child.err());
        if (ended)
            return text.text();
        if (std::chrono::steady_clock::now() > deadline)
            return std::nullopt;
        std::this_thread::sleep_for(versionPollInterval);
    }
}

/// "mpirun (Open MPI) 4.1.4", or "mpirun.openmpi (OpenRTE) 4.1.4" where the program goes by another name; it
/// may stand behind what a wrapper says.
std::optional<MpirunProgram> readVersion(const fs::path& program, const std::string& said) {
    static const RegularExpression openMpi(R"(\((Open MPI|OpenRTE)\) ((\d{1,4})\.[0-9A-Za-z.]*))");
    const auto found = openMpi.search(said);
    if (!found)
        return std::nullopt;
    return MpirunProgram{.path = program, .version = (*found)[2], .major = std::stoi((*found)[3])};
}

std::string firstLine(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find_first_not_of(" \t\r") != std::string::npos)
            return excerpt(line);
    return {};
}

/// What to do about an mpirun that is none of Open MPI's: one that is may be near.
Sentence cureFor(const fs::path& wrong) {
    constexpr auto shortPatience = 3s;
    for (const char* name : {"mpirun.openmpi", "mpirun", "orterun"})
        for (const fs::path& program : programsInPath(name)) {
            if (program == wrong)
                continue;
            const auto said = askVersion(program, shortPatience);
            const auto right = said ? readVersion(program, *said) : std::nullopt;
            if (right && right->major >= oldestMajor)
                return sentence("Set {}={}, which is Open MPI {}", mpirunVariable, program.string(),
                                right->version);
        }
    return sentence(
        "Put Open MPI's mpirun first in your PATH, or name it by {} (on Debian: apt-get install openmpi-bin)",
        mpirunVariable);
}

}  // namespace

MpirunProgram findMpirun() {
    const char* named = std::getenv(mpirunVariable);
    const bool isNamed = named != nullptr && *named != '\0';
    const std::vector<fs::path> programs = isNamed ? std::vector<fs::path>{named} : programsInPath("mpirun");
    if (programs.empty())
        throw Error(ErrorKind::Input, sentence("there is no mpirun in your PATH"), {},
                    sentence("Install Open MPI (apt-get install openmpi-bin)"));
    const fs::path& program = programs.front();
    const auto said = askVersion(program, versionPatience);
    if (!said)
        throw Error(ErrorKind::Input,
                    sentence("{} has not said within {} s which version it is", program.string(),
                             versionPatience.count()),
                    {}, cureFor(program));
    const auto found = readVersion(program, *said);
    if (!found) {
        const std::string line = firstLine(*said);
        throw Error(ErrorKind::Input,
                    line.empty()
                        ? sentence("{} is not Open MPI (it does not say what it is)", program.string())
                        : sentence("{} is not Open MPI (it says: {})", program.string(), line),
                    {}, cureFor(program));
    }
    if (found->major < oldestMajor)
        throw Error(ErrorKind::Input,
                    sentence("{} is Open MPI {}, and Meshreel launches ranks by Open MPI {} or newer",
                             program.string(), found->version, oldestMajor),
                    {}, cureFor(program));
    return *found;
}

std::vector<std::string> withheldVariables(bool onOneMachine) {
    // Placement, and the launchers of schedulers; a name without an end stands for all that begin so.
    constexpr std::array<std::string_view, 9> settings{"ras",
                                                       "rmaps",
                                                       "plm_slurm",
                                                       "plm_tm",
                                                       "plm_lsf",
                                                       "hwloc_base_binding_policy",
                                                       "hwloc_default_binding_policy",
                                                       "orte_default_hostfile",
                                                       "prte_default_hostfile"};
    constexpr std::array<std::string_view, 2> prefixes{"OMPI_MCA_", "PRTE_MCA_"};
    constexpr std::string_view pmixTransport = "PMIX_MCA_ptl";  // where PMIx listens
    const auto decidesPlaces = [&](std::string_view name) {
        return std::ranges::any_of(prefixes, [&](std::string_view prefix) {
            if (!name.starts_with(prefix))
                return false;
            const std::string_view setting = name.substr(prefix.size());
            return setting == "plm" || setting == "ess" ||
                   std::ranges::any_of(settings,
                                       [&](std::string_view each) { return setting.starts_with(each); });
        });
    };
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        const std::string_view name = variable.substr(0, variable.find('='));
        if (decidesPlaces(name) || (onOneMachine && name.starts_with(pmixTransport)))
            names.emplace_back(name);
    }
    return names;
}

}  // namespace meshreel
