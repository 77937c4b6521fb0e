// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/system_limits.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <fstream>
#include <sstream>

#include "engine/base/strings.h"

namespace meshreel {
namespace {

constexpr std::uint64_t statusUnit = 1024;  // /proc/self/status counts in kB

struct LimitedResource {
    __rlimit_resource resource;
    std::string_view statusField;  // of /proc/self/status: what is taken of it
    std::string_view command;
};
constexpr std::array limitedResources{LimitedResource{RLIMIT_AS, "VmSize:", "ulimit -v"},
                                      LimitedResource{RLIMIT_DATA, "VmData:", "ulimit -d"}};

std::uint64_t statusBytes(std::string_view field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with(field))
            continue;
        std::uint64_t value = 0;
        std::istringstream(line.substr(field.size())) >> value;
        return value * statusUnit;
    }
    return 0;
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
    const Sentence cure = sentence(
        "Raise the limits on processes and address space (ulimit -u, ulimit -v), or use fewer "
        "devices and workers");
    if (const std::optional<MemoryLimit> limit = tightestMemoryLimit())
        return {ErrorKind::Resources,
                sentence("no further thread or process can be started ({}); {}", reason, limitText(*limit)),
                {},
                cure};
    return {
        ErrorKind::Resources, sentence("no further thread or process can be started ({})", reason), {}, cure};
}

}  // namespace meshreel
