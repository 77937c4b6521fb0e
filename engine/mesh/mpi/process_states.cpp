// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/process_states.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "engine/mesh/mpi/mpi_environment.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

fs::path procFolder(pid_t process) {
    return fs::path("/proc") / std::to_string(process);
}

/// "S 123 ...": what /proc/PID/stat says behind the name, which may hold anything.
std::string stateOf(pid_t process) {
    std::ifstream file(procFolder(process) / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t afterName = text.rfind(") ");
    return afterName == std::string::npos ? std::string() : text.substr(afterName + 2);
}

}  // namespace

std::string processName(pid_t process) {
    std::ifstream file(procFolder(process) / "comm");
    std::string name;
    std::getline(file, name);
    return name;
}

pid_t parentProcess(pid_t process) {
    const std::string state = stateOf(process);
    constexpr std::size_t letter = 2;  // "S "
    return state.size() <= letter ? 0 : static_cast<pid_t>(std::strtol(state.c_str() + letter, nullptr, 10));
}

std::vector<pid_t> childProcesses(pid_t process) {
    std::vector<pid_t> children;
    std::error_code failure;
    for (fs::directory_iterator task(procFolder(process) / "task", failure), end; !failure && task != end;
         task.increment(failure)) {
        std::ifstream list(task->path() / "children");
        for (pid_t child = 0; list >> child;)
            children.push_back(child);
    }
    return children;
}

bool isStopped(pid_t process) {
    return stateOf(process).starts_with('T');
}

std::optional<int> rankOfProcess(pid_t process) {
    std::ifstream file(procFolder(process) / "environ");
    for (std::string entry; std::getline(file, entry, '\0');) {
        const std::size_t value = entry.find('=') + 1;
        int rank = 0;
        if (value != 0 && isRankVariable(std::string_view(entry).substr(0, value - 1)) &&
            std::from_chars(entry.data() + value, entry.data() + entry.size(), rank).ec == std::errc())
            return rank;
    }
    return std::nullopt;
}

std::optional<pid_t> StoppedProcesses::look(std::span<const pid_t> processes) {
    std::map<pid_t, int> found;
    std::optional<pid_t> first;
    for (const pid_t process : processes) {
        if (!isStopped(process))
            continue;
        const auto before = m_found.find(process);
        const int times = (before == m_found.end() ? 0 : before->second) + 1;
        found.emplace(process, times);
        if (!first && times >= m_looks)
            first = process;
    }
    m_found = std::move(found);
    return first;
}

}  // namespace meshreel
