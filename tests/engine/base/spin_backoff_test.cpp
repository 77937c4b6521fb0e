// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/spin_backoff.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

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
