// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace meshreel {

/// Bytes that this process can still take without swapping: the least of the system's MemAvailable, what is
/// left of each memory cgroup (v2, v1) and of the process's own limits (RLIMIT_AS, RLIMIT_DATA).
std::uint64_t availableMemory();

/// Bytes an unprivileged user can still write at `folder`, which need not exist yet (its nearest parent
/// counts).
std::uint64_t freeDiskSpace(const std::filesystem::path& folder);

}  // namespace meshreel
