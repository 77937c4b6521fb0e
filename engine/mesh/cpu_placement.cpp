// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/cpu_placement.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/mesh/shard_range.h"

namespace meshreel {

namespace {

CpuList partOf(std::span<const int> cpus, int parts, int index) {
    const ShardRange range = balancedShard(static_cast<std::int64_t>(cpus.size()), parts, index);
    const std::span<const int> part =
        cpus.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
    return {part.begin(), part.end()};
}

/// "1 device", "2 devices".
std::string counted(int count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

struct FreeBitmap {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// Null when the machine cannot be looked at. CPUs outside the cgroup are left out.
Topology loadTopology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0)
        return nullptr;
    Topology owned(topology);
    if (hwloc_topology_load(topology) != 0)
        return nullptr;
    return owned;
}

}  // namespace

CpuPlacement placeWorkers(std::span<const int> cpus, int devices, int workersPerDevice) {
    CpuPlacement placement;
    if (cpus.size() < static_cast<std::size_t>(devices))
        return placement;
    for (int device = 0; device < devices; ++device) {
        const CpuList own = partOf(cpus, devices, device);
        const bool enough = own.size() >= static_cast<std::size_t>(workersPerDevice);
        std::vector<CpuList>& workers = placement.emplace_back();
        for (int worker = 0; worker < workersPerDevice; ++worker)
            workers.push_back(enough ? partOf(own, workersPerDevice, worker) : own);
    }
    return placement;
}

std::string toText(const CpuList& cpus) {
    CpuList sorted = cpus;
    std::ranges::sort(sorted);
    std::string text;
    for (std::size_t begin = 0; begin < sorted.size();) {
        std::size_t end = begin + 1;
        while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1)
            ++end;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", sorted[begin]);
        if (end - begin > 1)
            text += fmt::format("-{}", sorted[end - 1]);
        begin = end;
    }
    return text;
}

std::string describePlacement(const CpuPlacement& placement, int cpus, int firstDevice, int devices,
                              int workersPerDevice) {
    if (devices > cpus)
        return fmt::format("{} share {}", counted(devices, "device"), counted(cpus, "CPU"));
    std::string text = fmt::format("{} with {} each on {}", counted(devices, "device"),
                                   counted(workersPerDevice, "worker"), counted(cpus, "CPU"));
    if (devices * workersPerDevice > cpus)
        text += ", more workers than CPUs";
    for (std::size_t local = 0; local < placement.size(); ++local) {
        std::set<int> own;
        for (const CpuList& part : placement[local])
            own.insert(part.begin(), part.end());
        text += fmt::format("{}device {} on CPU {}", local == 0 ? "; " : ", ",
                            firstDevice + static_cast<int>(local), toText({own.begin(), own.end()}));
    }
    return text;
}

class CpuTopology::Impl {
  public:
    Topology topology = loadTopology();
};

CpuTopology::CpuTopology() : m_impl(std::make_unique<Impl>()) {}
CpuTopology::~CpuTopology() = default;

CpuList CpuTopology::usableCpus() const {
    CpuList cpus;
    hwloc_topology* topology = m_impl->topology.get();
    const Bitmap allowed(hwloc_bitmap_alloc());
    if (topology == nullptr || !allowed ||
        hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_THREAD) != 0)
        return cpus;
    // hwloc counts processing units core by core, cache by cache, socket by socket.
    for (hwloc_obj_t unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, nullptr); unit != nullptr;
         unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit))
        if (hwloc_bitmap_isset(allowed.get(), unit->os_index) != 0)
            cpus.push_back(static_cast<int>(unit->os_index));
    return cpus;
}

void CpuTopology::bindThisThread(const CpuList& cpus) const {
    const Bitmap set(hwloc_bitmap_alloc());
    if (!m_impl->topology || !set || cpus.empty())
        return;
    for (const int cpu : cpus)
        hwloc_bitmap_set(set.get(), static_cast<unsigned>(cpu));
    hwloc_set_cpubind(m_impl->topology.get(), set.get(), HWLOC_CPUBIND_THREAD);
}

ThreadBinding::ThreadBinding(const CpuTopology& topology, const CpuList& cpus) : m_topology(topology) {
    if (cpus.empty())
        return;
    m_before = topology.usableCpus();
    topology.bindThisThread(cpus);
}

ThreadBinding::~ThreadBinding() {
    m_topology.bindThisThread(m_before);
}

namespace {

// The most that is taken for no mistake; oversubscribeHelp names these numbers.
constexpr int mostRanksPerCpu = 4;     // on one host
constexpr int mostRanks = 1024;        // on all hosts together
constexpr int mostDevicesPerCpu = 64;  // in one process

Sentence cpuCount(int cpus) {
    return cpus == 1 ? sentence("{} CPU", cpus) : sentence("{} CPUs", cpus);
}

}  // namespace

std::optional<Problem> rankOverload(int ranks, const std::string& host, int cpus) {
    if (ranks <= mostRanksPerCpu * cpus)
        return std::nullopt;
    return Problem{
        .id = "ranks-too-many",
        .message = sentence("{} ranks on {} would share {}, and more than {} a CPU are not started", ranks,
                            host, cpuCount(cpus), mostRanksPerCpu),
        .fixes = byHand(sentence("Start at most {} there, or insist with {}", mostRanksPerCpu * cpus,
                                 oversubscribeOption))};
}

std::optional<Problem> rankOverload(int ranks) {
    if (ranks <= mostRanks)
        return std::nullopt;
    return Problem{
        .id = "ranks-too-many",
        .message = sentence("{} ranks are asked for, and more than {} are not started", ranks, mostRanks),
        .fixes = byHand(
            sentence("Start fewer ranks with more devices each, or insist with {}", oversubscribeOption))};
}

int deviceLimit(int cpus) {
    return mostDevicesPerCpu * cpus;
}

std::optional<Problem> deviceOverload(int devices, int cpus) {
    if (devices <= deviceLimit(cpus))
        return std::nullopt;
    return Problem{
        .id = "devices-too-many",
        .key = "devices",
        .message =
            sentence("{} devices of one process would share {}, and more than {} a CPU are not started",
                     devices, cpuCount(cpus), mostDevicesPerCpu),
        .fixes =
            byHand(sentence("Ask for at most {} devices here, spread them over more hosts, or insist with {}",
                            deviceLimit(cpus), oversubscribeOption))};
}

}  // namespace meshreel
