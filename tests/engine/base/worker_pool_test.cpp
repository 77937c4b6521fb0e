// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/base/worker_pool.h"
#include "tests/support/printed_name.h"

namespace meshreel {
namespace {

class WorkerPoolOfSize : public ::testing::TestWithParam<int> {};

TEST_P(WorkerPoolOfSize, VisitsEveryIndexOnce) {
    WorkerPool pool({.workers = GetParam()});
    for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
        std::vector<int> visits(static_cast<std::size_t>(count), 0);
        pool.parallelFor(count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::int64_t{0}), count);
        EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
    }
}

TEST_P(WorkerPoolOfSize, ReachesEachThreadOnce) {
    WorkerPool pool({.workers = GetParam()});
    for (int round = 0; round < 50; ++round) {
        std::mutex mutex;
        std::set<std::thread::id> threads;
        int calls = 0;
        pool.onEachWorker([&] {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
            ++calls;
        });
        EXPECT_EQ(calls, pool.size());
        EXPECT_EQ(std::ssize(threads), pool.size());
        pool.parallelFor(5, [](std::int64_t, std::int64_t) {});
    }
}

TEST_P(WorkerPoolOfSize, ManySmallJobs) {
    WorkerPool pool({.workers = GetParam()});
    std::atomic<std::int64_t> sum = 0;
    for (int round = 0; round < 2000; ++round)
        pool.parallelFor(5, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 10000);
}

TEST_P(WorkerPoolOfSize, ParkedWorkersAreWoken) {
    WorkerPool pool({.workers = GetParam()});
    std::atomic<std::int64_t> sum = 0;
    for (int round = 0; round < 10; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than any worker looks for a job
        pool.parallelFor(8, [&](std::int64_t begin, std::int64_t end) {
            std::this_thread::sleep_for(std::chrono::microseconds(300));
            sum += end - begin;
        });
    }
    EXPECT_EQ(sum, 80);
}

TEST_P(WorkerPoolOfSize, TeamsBesideEachOtherShareTheCpus) {
    const auto sumOf = [](int workers) {
        WorkerPool pool({.workers = workers, .teams = 2});
        std::atomic<std::int64_t> sum = 0;
        for (int round = 0; round < 500; ++round)
            pool.parallelFor(7, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
        return sum.load();
    };
    std::int64_t other = 0;
    std::thread beside([&] { other = sumOf(GetParam()); });
    EXPECT_EQ(sumOf(GetParam()), 3500);
    beside.join();
    EXPECT_EQ(other, 3500);
}

TEST_P(WorkerPoolOfSize, RethrowsAndStaysUsable) {
    WorkerPool pool({.workers = GetParam()});
    const auto fail = [](std::int64_t, std::int64_t) { throw std::runtime_error("share failed"); };
    EXPECT_THROW(pool.parallelFor(8, fail), std::runtime_error);
    std::atomic<int> calls = 0;
    pool.parallelFor(8, [&](std::int64_t, std::int64_t) { ++calls; });
    EXPECT_GE(calls, 1);
}

TEST_P(WorkerPoolOfSize, NestedCallsRunInline) {
    WorkerPool pool({.workers = GetParam()});
    std::atomic<int> inner = 0;
    pool.parallelFor(4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            pool.parallelFor(
                3, [&](std::int64_t from, std::int64_t to) { inner += static_cast<int>(to - from); });
    });
    EXPECT_EQ(inner, 12);
}

TEST(WorkerPool, DoesNotWaitForWorkersThatAreKeptFromTheirCpus) {
    constexpr int workers = 4;
    std::latch free(1);
    std::atomic<int> late = 0;
    {
        WorkerPool pool({.workers = workers, .onStart = [&](int) {
                             ++late;
                             free.wait();
                         }});
        std::vector<std::int64_t> begins;  // of one thread, the only one that is awake
        for (int job = 0; job < 3; ++job)
            pool.parallelFor(8, [&](std::int64_t begin, std::int64_t end) {
                EXPECT_EQ(end - begin, 2) << "the partition does not depend on who is awake";
                begins.push_back(begin);
            });
        EXPECT_EQ(begins, (std::vector<std::int64_t>{0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6}));
        free.count_down();
        std::atomic<std::int64_t> sum = 0;
        for (int job = 0; job < 1000; ++job)
            pool.parallelFor(8, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
        EXPECT_EQ(sum, 8000);
    }
    EXPECT_EQ(late, workers - 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WorkerPoolOfSize, ::testing::Values(1, 2, 3, 8), testing::PrintedName());

/// Jobs until the members do not look any more; `most` where they go on.
int spunJobs(SpinBackoff& backoff, int missesOneIn, int most) {
    for (int job = 0; job < most; ++job) {
        if (!backoff.spinsNext())
            return job;
        backoff.looked((job + 1) % missesOneIn != 0);
    }
    return most;
}

/// Jobs until they look again, the first of them counted by spunJobs().
int parkedJobs(SpinBackoff& backoff) {
    int jobs = 1;
    while (!backoff.spinsNext())
        ++jobs;
    return jobs;
}

TEST(SpinBackoff, RareMissesChangeNothing) {
    SpinBackoff backoff;
    EXPECT_EQ(spunJobs(backoff, 20, 100'000), 100'000);
}

TEST(SpinBackoff, ManyMissesParkTheTeamForAWhile) {
    SpinBackoff backoff;
    EXPECT_LT(spunJobs(backoff, 2, 1000), 100);
    EXPECT_EQ(parkedJobs(backoff), SpinBackoff::fewestParked);
}

TEST(SpinBackoff, ParksLongerWhenMissesGoOn) {
    SpinBackoff backoff;
    for (const int expected : {2048, 4096, 8192, 16384, 16384}) {
        EXPECT_LT(spunJobs(backoff, 1, 1000), 100);
        EXPECT_EQ(parkedJobs(backoff), expected);
    }
}

TEST(SpinBackoff, ForgetsMissesOfLongAgo) {
    SpinBackoff backoff;
    for (int time = 0; time < 3; ++time) {
        EXPECT_LT(spunJobs(backoff, 1, 1000), 100);
        EXPECT_EQ(parkedJobs(backoff), SpinBackoff::fewestParked) << time;
        EXPECT_EQ(spunJobs(backoff, 50, 10'000), 10'000);
    }
}

}  // namespace

}  // namespace meshreel
