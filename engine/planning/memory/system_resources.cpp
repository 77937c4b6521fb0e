// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/memory/system_resources.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "engine/base/system_limits.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kibibyte = 1024;

/// The number behind "NAME " or "NAME:" at a line's start.
std::optional<std::uint64_t> fieldOf(const fs::path& file, std::string_view name) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with(name))
            continue;
        std::istringstream rest(line.substr(name.size()));
        std::uint64_t value = 0;
        if (rest >> value)
            return value;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> numberIn(const fs::path& file) {
    return fieldOf(file, "");
}

/// What a cgroup may still take; its page cache can be dropped.
std::uint64_t leftOf(const fs::path& group, const char* limitFile, const char* usageFile,
                     const char* cacheField) {
    const auto limit = numberIn(group / limitFile);  // "max" is no number: unlimited
    const auto usage = numberIn(group / usageFile);
    if (!limit || !usage)
        return unlimited;
    const std::uint64_t cache = fieldOf(group / "memory.stat", cacheField).value_or(0);
    const std::uint64_t held = *usage - std::min(*usage, cache);
    return *limit - std::min(*limit, held);
}

/// The least over a group and its parents.
template <typename Left>
std::uint64_t leastUpwards(const fs::path& mount, std::string group, const Left& left) {
    std::uint64_t least = unlimited;
    while (true) {
        least = std::min(least, left(mount / fs::path(group).relative_path()));
        const std::size_t slash = group.find_last_of('/');
        if (slash == std::string::npos || group == "/")
            return least;
        group.erase(slash == 0 ? 1 : slash);
    }
}

std::uint64_t leftOfCgroups() {
    std::uint64_t least = unlimited;
    std::ifstream memberships("/proc/self/cgroup");
    for (std::string line; std::getline(memberships, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string group = line.substr(second + 1);
        if (controllers == ",,")
            least = std::min(least, leastUpwards("/sys/fs/cgroup", group, [](const fs::path& path) {
                                 return leftOf(path, "memory.max", "memory.current", "inactive_file");
                             }));
        else if (controllers.find(",memory,") != std::string::npos)
            least = std::min(least, leastUpwards("/sys/fs/cgroup/memory", group, [](const fs::path& path) {
                                 return leftOf(path, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                               "total_inactive_file");
                             }));
    }
    return least;
}

}  // namespace

std::uint64_t availableMemory() {
    const auto system = fieldOf("/proc/meminfo", "MemAvailable:");
    const auto limit = tightestMemoryLimit();
    return std::min(
        {system ? *system * kibibyte : unlimited, leftOfCgroups(), limit ? limit->left() : unlimited});
}

std::uint64_t freeDiskSpace(const fs::path& folder) {
    fs::path existing = fs::absolute(folder);
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_relative_path())
        existing = existing.parent_path();
    struct statvfs disk {};
    if (statvfs(existing.c_str(), &disk) != 0)
        return unlimited;
    return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

}  // namespace meshreel
