// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/system.h"
#include "engine/base/worker_pool.h"
#include "tests/support/address_space_limit.h"
#include "tests/support/instrumented.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using testing::AddressSpaceLimit;
using ::testing::HasSubstr;

constexpr std::uint64_t mebibyte = 1 << 20;

/// Less than the stack of one more thread. Threads that ended leave theirs for the next ones.
constexpr std::uint64_t noThread = 2 * mebibyte;
constexpr int moreThanAnyThatEnded = 200;

TEST(SystemLimits, ALimitOfAddressSpaceHasItsNumbers) {
    const AddressSpaceLimit limited(100 * mebibyte);
    const std::optional<MemoryLimit> limit = tightestMemoryLimit();
    ASSERT_TRUE(limit);
    EXPECT_EQ(limit->command, "ulimit -v");
    EXPECT_GT(limit->taken, 0U);
    EXPECT_LE(limit->left(), 101 * mebibyte);  // what read the limit has ended
    EXPECT_GT(limit->left(), 50 * mebibyte);
    EXPECT_TRUE(canMap(10 * mebibyte));
    EXPECT_FALSE(canMap(102 * mebibyte));
}

TEST(SystemLimits, ALimitOfDataActsAlike) {
    if (testing::isInstrumented)
        GTEST_SKIP() << testing::needsItsOwnMemory;
    rlimit before{};
    ::getrlimit(RLIMIT_DATA, &before);
    const rlimit little{mebibyte, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_DATA, &little), 0);
    const std::optional<MemoryLimit> limit = tightestMemoryLimit();
    const bool mapped = canMap(64 * mebibyte);
    ::setrlimit(RLIMIT_DATA, &before);
    ASSERT_TRUE(limit);
    EXPECT_EQ(limit->command, "ulimit -d");
    EXPECT_FALSE(mapped);
}

TEST(SystemLimits, TooLittleIsTheUsersToMendWithTheNumbers) {
    const AddressSpaceLimit limited(100 * mebibyte);
    for (const Error& error : {outOfMemory(), outOfAddressSpace("A thing", 128 * mebibyte)}) {
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
        EXPECT_THAT(error.what(), HasSubstr("ulimit -v"));
        EXPECT_THAT(error.what(), HasSubstr("iB"));
        EXPECT_FALSE(error.hint().empty());
    }
    EXPECT_THAT(outOfAddressSpace("A thing", 128 * mebibyte).what(), HasSubstr("A thing needs 128.0 MiB"));
}

TEST(SystemLimits, AThreadThatCannotBeStartedIsAnErrorOfResources) {
    const AddressSpaceLimit limited(noThread);
    std::vector<std::thread> threads;
    threads.reserve(moreThanAnyThatEnded);
    std::atomic<bool> mayEnd = false;
    try {
        for (int count = 0; count < moreThanAnyThatEnded; ++count)
            threads.push_back(startThread([&] { mayEnd.wait(false); }));
        ADD_FAILURE() << "200 threads were started in 2 MiB";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
        EXPECT_THAT(error.what(), HasSubstr("ulimit -u"));
    }
    mayEnd = true;
    mayEnd.notify_all();
    for (std::thread& thread : threads)
        thread.join();
}

TEST(SystemLimits, ATeamThatCannotBeWholeIsNoTeamAndEndsNothing) {
    const AddressSpaceLimit limited(noThread);
    try {
        const WorkerPool pool({.workers = moreThanAnyThatEnded});
        ADD_FAILURE() << "200 workers were started in 2 MiB";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
    }
}

constexpr std::string_view stat =
    "cpu  500 0 0 900 0 0 0 0 0 0\n"
    "cpu0 100 20 30 700 50 4 6 10 90 0\n"
    "cpu1 400 0 0 200 0 0 0 0 0 0\n"
    "cpu12 1 0 0 1\n"
    "intr 17 0 0\n"
    "ctxt 1234\n";

TEST(CpuTicks, CountsWhatIsNeitherIdleNorWaitingForADisk) {
    const CpuTicks first = cpuTicksIn(stat, [](int cpu) { return cpu == 0; });
    EXPECT_EQ(first.all, 920) << "guests are in the first column already";
    EXPECT_EQ(first.busy, 170);
}

TEST(CpuTicks, CountsTheCpusThatAreAskedFor) {
    EXPECT_EQ(cpuTicksIn(stat, [](int cpu) { return cpu == 1 || cpu == 12; }).all, 602);
    EXPECT_EQ(cpuTicksIn(stat, [](int cpu) { return cpu == 12; }).busy, 1) << "a kernel of fewer columns";
    EXPECT_EQ(cpuTicksIn("", [](int) { return true; }).all, 0);
}

TEST(CpuTicks, OfThisMachineGrow) {
    const CpuTicks before = readCpuTicks();
    EXPECT_GT(before.all, before.busy);
    volatile double sum = 0;
    CpuTicks after = before;
    while (after.busy == before.busy) {
        for (int term = 0; term < 1'000'000; ++term)
            sum = sum + term;
        after = readCpuTicks();
    }
    EXPECT_GT(after.all, before.all);
}

/// A machine's proc and sys as files.
class CpuQuota : public ::testing::Test {
  protected:
    void write(const std::string& path, const std::string& text) {
        const std::filesystem::path file = m_root.path() / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    [[nodiscard]] std::optional<int> quota() const { return cpuQuota(m_root.path()); }

  private:
    testing::TemporaryFolder m_root;
};

TEST_F(CpuQuota, IsTheLeastOfAUnifiedGroupAndThoseAboveIt) {
    write("proc/self/cgroup", "0::/pod/box\n");
    EXPECT_FALSE(quota());
    write("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
    EXPECT_FALSE(quota());
    write("sys/fs/cgroup/pod/cpu.max", "400000 100000\n");
    EXPECT_EQ(quota(), 4);
    write("sys/fs/cgroup/pod/box/cpu.max", "250000 100000\n");
    EXPECT_EQ(quota(), 2);
    write("sys/fs/cgroup/pod/box/cpu.max", "50000 100000\n");
    EXPECT_EQ(quota(), 1);
}

TEST_F(CpuQuota, IsReadOfALegacyGroupWhereverItsPathLeads) {
    write("proc/self/cgroup", "5:memory:/\n1:cpu,cpuacct:/docker/abc\n0::/\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_FALSE(quota());
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");  // a container sees its own group as the top
    EXPECT_EQ(quota(), 3);
}

TEST_F(CpuQuota, IsNothingWhereTheFilesHoldNoNumbers) {
    write("proc/self/cgroup", "no cgroup\n1:cpu\n1:cpu:/a\n0::/../b\n");
    write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "many\n");
    write("sys/fs/cgroup/cpu.max", "1 0\n");
    EXPECT_FALSE(quota());
}

}  // namespace

}  // namespace meshreel
