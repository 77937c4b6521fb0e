// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/launch/meeting_place.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

TEST(MeetingPlace, SharedMemoryOfAContainerMayBeTooSmallForTheRanks) {
    const testing::TemporaryFolder folder;
    EXPECT_TRUE(holdsSharedMemory(folder.path(), 1));
    EXPECT_FALSE(holdsSharedMemory(folder.path(), std::numeric_limits<int>::max())) << "10 PiB";
    EXPECT_FALSE(holdsSharedMemory(folder / "missing", 1));
}

}  // namespace
}  // namespace meshreel
