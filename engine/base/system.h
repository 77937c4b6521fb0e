// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.h"

namespace meshreel {

/// A limit that the system sets to the memory this process may map.
struct MemoryLimit {
    std::string_view command;  ///< that sets it in a shell: "ulimit -v"
    std::uint64_t bytes = 0;
    std::uint64_t taken = 0;

    [[nodiscard]] std::uint64_t left() const { return bytes > taken ? bytes - taken : 0; }
};

/// Returns the limit of address space (RLIMIT_AS) or of data (RLIMIT_DATA), whichever leaves less; nothing
/// without either.
std::optional<MemoryLimit> tightestMemoryLimit();

/// Returns whether the system would map so many bytes now: tried, and given back.
bool canMap(std::uint64_t bytes);

/// Returns the bytes that this process can still take without swapping: the least of the system's
/// MemAvailable, what is left of each memory cgroup (v2, v1) and of the process's own limits (RLIMIT_AS,
/// RLIMIT_DATA).
std::uint64_t availableMemory();

/// Returns the bytes an unprivileged user can still write at `folder`, which need not exist yet (its nearest
/// parent counts).
std::uint64_t freeDiskSpace(const std::filesystem::path& folder);

/// Error{Resources} with the numbers of the limit: `bytes` that `what` needs could not be mapped.
Error outOfAddressSpace(const Sentence& what, std::uint64_t bytes);

/// Returns what std::bad_alloc means to the user: Error{Resources}, with the numbers of a limit if there is
/// one.
Error outOfMemory();

/// Returns what it means that a thread or process could not be started for this reason: Error{Resources}.
Error outOfThreads(const std::string& reason);

/// A thread whose failure to start is Error{Resources}.
template <typename Thread = std::thread, typename Body>
Thread startThread(Body&& body) {
    try {
        return Thread(std::forward<Body>(body));
    } catch (const std::system_error& failure) {
        throw outOfThreads(failure.code().message());
    }
}

/// Where the C library takes blocks of memory of 256 KiB to 32 MiB from; larger ones it maps in any case.
enum class LargeBlocks : std::uint8_t {
    Mapped,  ///< each by itself: freed ones are returned at once, whatever follows them
    InHeap,  ///< adjacent: no page is requested twice, and holes stay
};

/// Decides it for the whole process and the blocks asked for from now on.
void placeLargeBlocks(LargeBlocks where);

/// Returns the whole CPUs that the quota of this process's cgroup (v2, v1) or of an ancestor allows, at least
/// 1; nothing without a quota. `root` is where proc and sys are mounted.
std::optional<int> cpuQuota(const std::filesystem::path& root = "/");

/// CPU time since boot, in the kernel's unit: the difference of two readings is how busy the CPUs were in
/// between.
struct CpuTicks {
    double busy = 0;  ///< running any program, or taken by the host of a virtual machine
    double all = 0;
};

/// Reads the ticks of the CPUs that this process may use; returns nothing when the system does not report
/// them.
CpuTicks readCpuTicks();

/// Adds up the ticks of the CPUs that `counts` accepts, from the text of /proc/stat (proc(5)).
CpuTicks cpuTicksIn(std::string_view stat, const std::function<bool(int cpu)>& counts);

/// Returns the present local time as std::strftime writes it; at most 63 bytes.
std::string localTimeNow(const char* format);

}  // namespace meshreel
