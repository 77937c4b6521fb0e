// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/cache_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;

class CacheFolderTest : public ::testing::Test {
  protected:
    fs::path put(const std::string& key, std::size_t bytes) {
        const auto lock = cache.tryLock();
        EXPECT_TRUE(lock.has_value());
        if (!lock || !cache.makeRoom(*lock, bytes))
            return {};
        writeFileAtomically(cache.fileOf(key), std::string(bytes, 'x'));
        return cache.fileOf(key);
    }

    testing::TemporaryFolder temporary;
    CacheFolder cache{temporary / "cache", ".entry", 1000};
};

TEST_F(CacheFolderTest, NamesEntriesAfterTheirKeys) {
    EXPECT_EQ(cache.fileOf("a"), cache.fileOf("a"));
    EXPECT_NE(cache.fileOf("a"), cache.fileOf("b"));
    EXPECT_EQ(cache.fileOf(std::string(5000, 'k')).filename().string().size(), 32U + 6U);
    EXPECT_FALSE(fs::exists(cache.path())) << "reading makes no folder";
    EXPECT_TRUE(cache.entries().empty());
    EXPECT_EQ(cache.clear(), 0U);
}

TEST_F(CacheFolderTest, WhatWasUsedLongestAgoGoesFirst) {
    const fs::path a = put("a", 400);
    const fs::path b = put("b", 400);
    cache.markUsed(a);
    const fs::path c = put("c", 300);
    EXPECT_TRUE(fs::exists(a));
    EXPECT_FALSE(fs::exists(b)) << "b was used before a";
    EXPECT_TRUE(fs::exists(c));
}

TEST_F(CacheFolderTest, WhatCannotFitRemovesNothing) {
    const fs::path a = put("a", 400);
    EXPECT_EQ(put("large", 1001), fs::path());
    EXPECT_TRUE(fs::exists(a));
    const auto lock = cache.tryLock();
    EXPECT_FALSE(cache.makeRoom(*lock, 500, 600)) << "the parts of an entry count together";
    EXPECT_TRUE(fs::exists(a));
    EXPECT_TRUE(cache.makeRoom(*lock, 400, 600));
    EXPECT_FALSE(fs::exists(a));
}

TEST_F(CacheFolderTest, OneWriterAtATime) {
    auto lock = cache.tryLock();
    ASSERT_TRUE(lock);
    EXPECT_FALSE(cache.tryLock());
    EXPECT_FALSE(CacheFolder(cache.path(), ".entry", 5).tryLock());
    lock.reset();
    EXPECT_TRUE(cache.tryLock());
}

TEST_F(CacheFolderTest, ClearRemovesEntriesAndWhatKilledWritersLeft) {
    const fs::path a = put("a", 10);
    std::ofstream(cache.path() / ".b.123.part.entry") << "half";
    std::ofstream(cache.path() / "somebody-elses.txt") << "text";
    EXPECT_EQ(cache.entries().size(), 1U);
    EXPECT_EQ(cache.clear(), 1U);
    EXPECT_FALSE(fs::exists(a));
    EXPECT_FALSE(fs::exists(cache.path() / ".b.123.part.entry"));
    EXPECT_TRUE(fs::exists(cache.path() / "somebody-elses.txt"));
}

TEST_F(CacheFolderTest, ReadingMovesTheTimeOfUseOnly) {
    const fs::path a = put("a", 10);
    const auto changed = fs::last_write_time(a);
    const auto used = cache.entries().front().lastUsed;
    cache.markUsed(a);
    EXPECT_EQ(fs::last_write_time(a), changed);
    EXPECT_GE(cache.entries().front().lastUsed, used);
}

}  // namespace
}  // namespace meshreel
