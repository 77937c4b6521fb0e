// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/cpu_placement.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

#include "engine/base/worker_pool.h"
#include "engine/mesh/device_mesh.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CpuPlacement, GivesNeighboursToADevice) {
    // Two hyperthreads a core, as kernels often number them.
    const CpuList cpus{0, 4, 1, 5, 2, 6, 3, 7};
    EXPECT_THAT(placeWorkers(cpus, 2, 2), ElementsAre(ElementsAre(CpuList{0, 4}, CpuList{1, 5}),
                                                      ElementsAre(CpuList{2, 6}, CpuList{3, 7})));
}

TEST(CpuPlacement, SpreadsWhatDoesNotDivide) {
    const CpuList cpus{0, 1, 2, 3, 4};
    EXPECT_THAT(placeWorkers(cpus, 2, 2),
                ElementsAre(ElementsAre(CpuList{0}, CpuList{1}), ElementsAre(CpuList{2}, CpuList{3, 4})));
    EXPECT_THAT(placeWorkers(cpus, 2, 3),
                ElementsAre(ElementsAre(CpuList{0, 1}, CpuList{0, 1}, CpuList{0, 1}),
                            ElementsAre(CpuList{2}, CpuList{3}, CpuList{4})));
}

TEST(CpuPlacement, DevicesNeverShare) {
    for (int count = 1; count <= 17; ++count)
        for (int devices = 1; devices <= count; ++devices)
            for (int workers = 1; workers <= 5; ++workers) {
                CpuList cpus(static_cast<std::size_t>(count));
                std::iota(cpus.begin(), cpus.end(), 0);
                std::set<int> taken;
                for (const std::vector<CpuList>& device : placeWorkers(cpus, devices, workers)) {
                    std::set<int> own;
                    for (const CpuList& worker : device) {
                        EXPECT_FALSE(worker.empty());
                        own.insert(worker.begin(), worker.end());
                    }
                    for (const int cpu : own)
                        EXPECT_TRUE(taken.insert(cpu).second);
                }
                EXPECT_EQ(taken.size(), cpus.size());
            }
}

TEST(CpuPlacement, MoreDevicesThanCpusAreNotPlaced) {
    EXPECT_TRUE(placeWorkers(CpuList{0, 1}, 3, 1).empty());
}

TEST(CpuPlacement, SpellsRanges) {
    EXPECT_EQ(toText({}), "");
    EXPECT_EQ(toText({5}), "5");
    EXPECT_EQ(toText({2, 0, 1, 8, 5, 4}), "0-2, 4-5, 8");
}

TEST(CpuPlacement, IsDescribedForTheLog) {
    EXPECT_EQ(describePlacement({}, 2, 0, 8, 1), "8 devices share 2 CPUs");
    EXPECT_EQ(describePlacement({}, 8, 0, 1, 8), "1 device with 8 workers each on 8 CPUs");
    EXPECT_EQ(describePlacement({}, 4, 0, 2, 3),
              "2 devices with 3 workers each on 4 CPUs, more workers than CPUs");
    EXPECT_EQ(describePlacement({{{0}, {1}}, {{4, 5}, {4, 5}}}, 4, 2, 2, 2),
              "2 devices with 2 workers each on 4 CPUs; device 2 on CPU 0-1, device 3 on CPU 4-5");
}

TEST(CpuTopology, BindsAThreadAndLetsItGo) {
    const CpuTopology topology;
    const CpuList before = topology.usableCpus();
    ASSERT_EQ(before.size(), static_cast<std::size_t>(availableCpus()));
    {
        const ThreadBinding binding(topology, {before.back()});
        EXPECT_THAT(topology.usableCpus(), ElementsAre(before.back()));
    }
    EXPECT_EQ(topology.usableCpus(), before);
}

TEST(CpuTopology, RespectsTheAffinityOfItsMaker) {
    const CpuTopology topology;
    const CpuList all = topology.usableCpus();
    const ThreadBinding binding(topology, {all.front()});
    DeviceMesh mesh({.layout = MeshLayout({.context = 2}), .pinThreads = true});
    EXPECT_EQ(mesh.workersPerDevice(), 1);
    EXPECT_EQ(mesh.placement(), describePlacement({}, 1, 0, 2, 1));
}

TEST(DeviceMeshPlacement, PinnedTeamsStayOnTheirOwnCpus) {
    const CpuTopology topology;
    const CpuList all = topology.usableCpus();
    const auto cpus = static_cast<int>(all.size());
    DeviceMesh mesh({.layout = MeshLayout({.context = cpus}), .workersPerDevice = 2, .pinThreads = true});
    std::mutex mutex;
    std::vector<CpuList> seen(all.size());
    mesh.run({}, nullptr, [&](Device& device) {
        device.execution().workers.parallelFor(2, [&](std::int64_t, std::int64_t) {
            const std::lock_guard lock(mutex);
            const CpuList mine = topology.usableCpus();
            CpuList& devices = seen[static_cast<std::size_t>(device.index())];
            devices.insert(devices.end(), mine.begin(), mine.end());
        });
    });
    for (std::size_t device = 0; device < seen.size(); ++device)
        EXPECT_THAT(seen[device], ElementsAre(all[device], all[device]));
    EXPECT_EQ(topology.usableCpus(), all);
    for (const int cpu : all)
        EXPECT_THAT(mesh.placement(), HasSubstr("CPU " + std::to_string(cpu)));
}

TEST(DeviceMeshPlacement, ProcessesOnTheSameCpusTakeTheirParts) {
    const CpuTopology topology;
    const CpuList all = topology.usableCpus();
    if (all.size() < 2) {
        DeviceMesh mesh({.layout = MeshLayout({.context = 1}), .sharingProcesses = 2, .sharingIndex = 1});
        EXPECT_EQ(mesh.workersPerDevice(), 1);
        return;
    }
    std::vector<CpuList> seen(2);
    for (const int process : {0, 1}) {
        DeviceMesh mesh({.layout = MeshLayout({.context = 1}),
                         .sharingProcesses = 2,
                         .sharingIndex = process,
                         .pinThreads = true});
        EXPECT_EQ(mesh.workersPerDevice(), static_cast<int>(all.size() / 2));
        mesh.run({}, nullptr,
                 [&](Device&) { seen[static_cast<std::size_t>(process)] = topology.usableCpus(); });
    }
    for (const int cpu : seen[0])
        EXPECT_EQ(std::ranges::count(seen[1], cpu), 0);
}

TEST(DeviceMeshPlacement, SaysHowManyDevicesShareHowManyCpus) {
    const int devices = 4 * availableCpus();
    DeviceMesh mesh({.layout = MeshLayout({.context = devices})});
    EXPECT_EQ(mesh.placement(), describePlacement({}, availableCpus(), 0, devices, 1));
}

}  // namespace
}  // namespace meshreel
