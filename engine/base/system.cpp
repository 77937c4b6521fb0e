// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/system.h"

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <ctime>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "engine/base/cpu_set.h"
#include "engine/base/strings.h"

namespace meshreel {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kibibyte = 1024;

/// The number behind "NAME " or "NAME:" at a line's start.
std::optional<std::uint64_t> findField(const fs::path& file, std::string_view name) {
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
    return findField(file, "");
}

struct LimitedResource {
    __rlimit_resource resource;
    std::string_view statusField;  // for /proc/self/status: the field to read
    std::string_view command;
};
constexpr std::array limitedResources{LimitedResource{RLIMIT_AS, "VmSize:", "ulimit -v"},
                                      LimitedResource{RLIMIT_DATA, "VmData:", "ulimit -d"}};

std::uint64_t statusBytes(std::string_view field) {
    return findField("/proc/self/status", field).value_or(0) * kibibyte;
}

Sentence limitText(const MemoryLimit& limit) {
    return sentence("the limit is {} ({}), of which {} are taken", formatBytes(limit.bytes), limit.command,
                    formatBytes(limit.taken));
}

Sentence raiseLimit(const MemoryLimit& limit) {
    return sentence("Raise the limit ({} unlimited), or ask for a smaller video", limit.command);
}

Sentence freeMemory() {
    return sentence("Close other programs or ask for a smaller video");
}

/// 3 of "cpu3 100 …"; -1 of the sum over all CPUs and of other lines.
int parseCpu(std::string_view line) {
    constexpr std::string_view prefix = "cpu";
    int cpu = -1;
    if (line.starts_with(prefix))
        std::from_chars(line.data() + prefix.size(), line.data() + line.size(), cpu);
    return cpu;
}

/// What a cgroup may still take; its page cache can be dropped.
std::uint64_t memoryLeft(const fs::path& group, const char* limitFile, const char* usageFile,
                         const char* cacheField) {
    const auto limit = numberIn(group / limitFile);  // "max" is not a number: unlimited
    const auto usage = numberIn(group / usageFile);
    if (!limit || !usage)
        return unlimited;
    const std::uint64_t cache = findField(group / "memory.stat", cacheField).value_or(0);
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

/// The least over this process's cgroups that know the controller, and over those above them: what `unified`
/// (v2) or `legacy` (v1) says of a group's folder. `root` is where proc and sys are mounted.
template <typename Unified, typename Legacy>
std::uint64_t leastOfCgroups(const fs::path& root, std::string_view controller, const Unified& unified,
                             const Legacy& legacy) {
    const fs::path mounts = root / "sys/fs/cgroup";
    std::uint64_t least = unlimited;
    std::ifstream memberships(root / "proc/self/cgroup");
    for (std::string line; std::getline(memberships, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string group = line.substr(second + 1);
        if (controllers == ",,")
            least = std::min(least, leastUpwards(mounts, group, unified));
        else if (controllers.find("," + std::string(controller) + ",") != std::string::npos)
            least = std::min(least, leastUpwards(mounts / controller, group, legacy));
    }
    return least;
}

std::uint64_t leftOfMemoryCgroups() {
    return leastOfCgroups(
        "/", "memory",
        [](const fs::path& group) {
            return memoryLeft(group, "memory.max", "memory.current", "inactive_file");
        },
        [](const fs::path& group) {
            return memoryLeft(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
        });
}

/// A remaining fraction of a CPU does not count: one more thread would make all others wait for it.
std::uint64_t wholeCpus(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
    if (!quota || !period || *period == 0)
        return unlimited;
    return std::max<std::uint64_t>(1, *quota / *period);
}

/// cpu.max: "150000 100000", the microseconds that count and the period; "max 100000" without a quota.
std::uint64_t unifiedCpus(const fs::path& group) {
    std::ifstream file(group / "cpu.max");
    std::uint64_t quota = 0;
    std::uint64_t period = 0;
    return file >> quota >> period ? wholeCpus(quota, period) : unlimited;
}

/// cpu.cfs_quota_us is -1 without a quota.
std::uint64_t legacyCpus(const fs::path& group) {
    std::int64_t quota = -1;
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;
    if (quota < 0)
        return unlimited;
    return wholeCpus(static_cast<std::uint64_t>(quota), numberIn(group / "cpu.cfs_period_us"));
}

}  // namespace

std::optional<MemoryLimit> tightestMemoryLimit() {
    std::optional<MemoryLimit> tightest;
    for (const LimitedResource& row : limitedResources) {
        rlimit limit{};
        if (::getrlimit(row.resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
            continue;
        const MemoryLimit found{
            .command = row.command, .bytes = limit.rlim_cur, .taken = statusBytes(row.statusField)};
        if (!tightest || found.left() < tightest->left())
            tightest = found;
    }
    return tightest;
}

bool canMap(std::uint64_t bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    ::munmap(memory, bytes);
    return true;
}

std::uint64_t availableMemory() {
    const auto system = findField("/proc/meminfo", "MemAvailable:");
    const auto limit = tightestMemoryLimit();
    return std::min(
        {system ? *system * kibibyte : unlimited, leftOfMemoryCgroups(), limit ? limit->left() : unlimited});
}

std::uint64_t freeDiskSpace(const fs::path& folder) {
    fs::path existing = fs::absolute(folder);
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_relative_path())
        existing = existing.parent_path();
    struct statvfs disk {};
    // FUSE file systems without the call answer with zeros.
    if (statvfs(existing.c_str(), &disk) != 0 || disk.f_blocks == 0)
        return unlimited;
    return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

Error outOfAddressSpace(const Sentence& what, std::uint64_t bytes) {
    const std::optional<MemoryLimit> limit = tightestMemoryLimit();
    if (limit)
        return {ErrorKind::Resources,
                sentence("{} needs {} of address space; {}", what, formatBytes(bytes), limitText(*limit)),
                {},
                raiseLimit(*limit)};
    return {
        ErrorKind::Resources,
        sentence("{} needs {} of address space, which the system does not give", what, formatBytes(bytes)),
        {},
        freeMemory()};
}

Error outOfMemory() {
    const std::optional<MemoryLimit> limit = tightestMemoryLimit();
    if (limit)
        return {ErrorKind::Resources,
                sentence("there is not enough memory; {}", limitText(*limit)),
                {},
                raiseLimit(*limit)};
    return {ErrorKind::Resources, sentence("there is not enough memory"), {}, freeMemory()};
}

Error outOfThreads(const std::string& reason) {
    const Sentence fix = sentence(
        "Raise the limits on processes and address space (ulimit -u, ulimit -v), or use fewer "
        "devices and workers");
    if (const std::optional<MemoryLimit> limit = tightestMemoryLimit())
        return {ErrorKind::Resources,
                sentence("no further thread or process can be started ({}); {}", reason, limitText(*limit)),
                {},
                fix};
    return {
        ErrorKind::Resources, sentence("no further thread or process can be started ({})", reason), {}, fix};
}

void placeLargeBlocks(LargeBlocks where) {
    constexpr int smallestMapped = 1 << 18;
    // glibc's own limits, which its thresholds grow to with what is freed.
    constexpr int largestInHeap = 1 << 25;
    constexpr int keptAtTop = 2 * largestInHeap;
    ::mallopt(M_MMAP_THRESHOLD, where == LargeBlocks::Mapped ? smallestMapped : largestInHeap);
    ::mallopt(M_TRIM_THRESHOLD, keptAtTop);
}

std::optional<int> cpuQuota(const fs::path& root) {
    const std::uint64_t cpus = leastOfCgroups(root, "cpu", unifiedCpus, legacyCpus);
    return cpus == unlimited ? std::nullopt
                             : std::optional(static_cast<int>(std::min<std::uint64_t>(cpus, INT_MAX)));
}

CpuTicks cpuTicksIn(std::string_view stat, const std::function<bool(int cpu)>& counts) {
    enum Column { User, Nice, System, Idle, WaitsForDisk, Interrupts, SoftInterrupts, Stolen, Columns };
    CpuTicks ticks;
    std::istringstream lines{std::string(stat)};
    for (std::string line; std::getline(lines, line);) {
        const int cpu = parseCpu(line);
        if (cpu < 0 || !counts(cpu))
            continue;
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::array<double, Columns> columns = {};
        for (double& column : columns)
            words >> column;
        const double all = std::accumulate(columns.begin(), columns.end(), 0.0);
        ticks.all += all;
        ticks.busy += all - columns[Idle] - columns[WaitsForDisk];
    }
    return ticks;
}

CpuTicks readCpuTicks() {
    const std::vector<int> own = allowedCpus();
    if (own.empty())
        return {};
    std::ifstream file("/proc/stat");
    std::ostringstream text;
    text << file.rdbuf();
    return cpuTicksIn(text.view(), [&own](int cpu) { return std::ranges::binary_search(own, cpu); });
}

std::string localTimeNow(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 64> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), format, &local);
    return {text.data(), length};
}

}  // namespace meshreel
