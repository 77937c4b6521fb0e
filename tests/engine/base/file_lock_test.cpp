// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

/// How a lock is asked for: of a descriptor that can be locked, and of one that cannot, as on a disk without
/// locks (flock(2) of O_PATH is EBADF).
class FileLocks : public ::testing::TestWithParam<int> {
  protected:
    FileLocks() { std::ofstream(m_folder / "file") << ""; }

    [[nodiscard]] int opened() const { return ::open((m_folder / "file").c_str(), GetParam() | O_CLOEXEC); }

    [[nodiscard]] bool isHeld() const {
        const int descriptor = opened();
        const bool held = FileLock::isHeld(descriptor);
        ::close(descriptor);
        return held;
    }

    testing::TemporaryFolder m_folder;
};

TEST_P(FileLocks, ExcludeEachOtherUntilTheyAreGivenBack) {
    EXPECT_FALSE(isHeld());
    {
        std::optional<FileLock> first = FileLock::tryTake(opened());
        ASSERT_TRUE(first.has_value());
        EXPECT_EQ(first->isOfFileSystem(), GetParam() != O_PATH);
        EXPECT_TRUE(isHeld());
        EXPECT_FALSE(FileLock::tryTake(opened()).has_value());
        EXPECT_FALSE(FileLock::take(opened(), std::chrono::milliseconds(20)).has_value());
        const FileLock moved = *std::exchange(first, std::nullopt);
        EXPECT_TRUE(isHeld());
    }
    EXPECT_FALSE(isHeld());
    EXPECT_TRUE(FileLock::take(opened(), std::chrono::milliseconds(20)).has_value());
}

TEST_P(FileLocks, AreThoseOfOneFile) {
    const std::optional<FileLock> lock = FileLock::tryTake(opened());
    std::ofstream(m_folder / "other") << "";
    EXPECT_TRUE(FileLock::tryTake(::open((m_folder / "other").c_str(), GetParam() | O_CLOEXEC)).has_value());
}

TEST_P(FileLocks, LookingLeavesThemFree) {
    const int looking = opened();
    EXPECT_FALSE(FileLock::isHeld(looking));
    EXPECT_TRUE(FileLock::tryTake(opened()).has_value());
    ::close(looking);
}

INSTANTIATE_TEST_SUITE_P(, FileLocks, ::testing::Values(O_RDWR, O_PATH), [](const auto& test) {
    return test.param == O_PATH ? "OfTheMachine" : "OfTheDisk";
});

}  // namespace
}  // namespace meshreel
