// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/problem.h"

namespace meshreel {

/// CPUs as the kernel numbers them.
using CpuList = std::vector<int>;

/// The CPUs of every worker: [device][worker].
using CpuPlacement = std::vector<std::vector<CpuList>>;

/// Gives every device its own run of `cpus` (neighbours side by side) and every worker its own part of that;
/// the workers of a device that has fewer CPUs than workers share them. Empty when there are fewer CPUs than
/// devices.
CpuPlacement placeWorkers(std::span<const int> cpus, int devices, int workersPerDevice);

/// "0-3, 8".
std::string toText(const CpuList& cpus);

/// Describes the placement for the log: "8 devices share 2 CPUs", or how many workers each has and, when
/// pinned, where.
std::string describePlacement(const CpuPlacement& placement, int cpus, int firstDevice, int devices,
                              int workersPerDevice);

/// The machine's CPUs, and threads on them.
class CpuTopology {
  public:
    CpuTopology();
    ~CpuTopology();
    CpuTopology(const CpuTopology&) = delete;
    CpuTopology& operator=(const CpuTopology&) = delete;

    /// Returns the CPUs that the calling thread may use (affinity mask and cgroup respected), neighbours (in
    /// a core, then in a cache, then in a socket) side by side. Empty when the machine does not report them.
    [[nodiscard]] CpuList usableCpus() const;

    /// Keeps the calling thread on `cpus`; where the system refuses, it stays free to move.
    void bindThisThread(const CpuList& cpus) const;

  private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Binds the calling thread while it lives; with an empty list it does nothing.
class ThreadBinding {
  public:
    ThreadBinding(const CpuTopology& topology, const CpuList& cpus);
    ~ThreadBinding();
    ThreadBinding(const ThreadBinding&) = delete;
    ThreadBinding& operator=(const ThreadBinding&) = delete;

  private:
    const CpuTopology& m_topology;
    CpuList m_before;
};

/// Lets the user insist on more than a machine is asked to carry.
inline constexpr const char* oversubscribeOption = "--oversubscribe";

/// What --help says of it.
inline constexpr const char* oversubscribeHelp =
    "Start more than 4 ranks a CPU, 1,024 ranks in all, or 64 devices a CPU in one process";

// Each is too much for a machine: taken for a mistake, a 0 too many say, that would leave the machine
// unusable for a while. Nothing when it is not.

/// Returns what is too much about `ranks` on one host with so many CPUs.
std::optional<Problem> rankOverload(int ranks, const std::string& host, int cpus);

/// Returns what is too much about so many ranks on all hosts together.
std::optional<Problem> rankOverload(int ranks);

/// Devices that one process with so many CPUs carries at most.
int deviceLimit(int cpus);

/// Returns what is too much about `devices` in one process that may use so many CPUs, at the key `devices`.
std::optional<Problem> deviceOverload(int devices, int cpus);

}  // namespace meshreel
