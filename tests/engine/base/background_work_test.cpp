// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/background_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace meshreel {
namespace {

TEST(BackgroundWork, IsDoneInOrderBesideTheCaller) {
    std::latch begun(1);
    std::latch goOn(1);
    std::vector<int> done;
    BackgroundWork work;
    work.add([&] {
        begun.count_down();
        goOn.wait();
        done.push_back(0);
    });
    begun.wait();
    for (int next = 1; next < 4; ++next)
        work.add([&done, next] { done.push_back(next); });
    EXPECT_EQ(work.left(), 4U);
    goOn.count_down();
    work.finish();
    EXPECT_EQ(work.left(), 0U);
    EXPECT_EQ(done, (std::vector{0, 1, 2, 3}));
}

TEST(BackgroundWork, FailuresReachTheCallerAndEndTheWork) {
    std::atomic<int> done = 0;
    BackgroundWork work;
    work.add([] { throw std::runtime_error("disk full"); });
    EXPECT_THROW(work.finish(), std::runtime_error);
    EXPECT_THROW(work.add([&] { ++done; }), std::runtime_error);
    EXPECT_THROW(work.finish(), std::runtime_error);
    EXPECT_EQ(done, 0);
}

TEST(BackgroundWork, WhatHasNotBegunIsDropped) {
    constexpr std::chrono::milliseconds longerThanADestructorTakesToBegin{300};
    std::latch begun(1);
    std::latch ending(1);
    std::vector<int> done;
    {
        BackgroundWork work;
        work.add([&] {
            begun.count_down();
            ending.wait();
            std::this_thread::sleep_for(longerThanADestructorTakesToBegin);
            done.push_back(0);
        });
        work.add([&] { done.push_back(1); });
        begun.wait();
        ending.count_down();
    }
    EXPECT_EQ(done, std::vector{0}) << "what was at work is over";
}

}  // namespace
}  // namespace meshreel
