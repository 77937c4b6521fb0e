// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/write_failure.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/refusal.h"

namespace meshreel {
namespace {

TEST(WriteFailure, AFullDiskIsShortOfResourcesAndNothingElseIs) {
    for (const int full : {ENOSPC, EDQUOT, EFBIG}) {
        EXPECT_TRUE(saysFull(full)) << full;
        EXPECT_EQ(writeFailure(sentence("x"), "/a", full).kind(), ErrorKind::Resources) << full;
    }
    for (const int other : {EACCES, ENAMETOOLONG, EIO, ESTALE, EROFS, 0}) {
        EXPECT_FALSE(saysFull(other)) << other;
        const Error failure = writeFailure(sentence("x"), "/a", other);
        EXPECT_EQ(failure.kind(), ErrorKind::Input) << other;
        EXPECT_EQ(failure.where(), "/a");
    }
}

TEST(WriteFailure, EachReasonHasACureOfItsOwn) {
    testing::expectFaults({{"full", {ErrorKind::Input, {.message = writeCure(ENOSPC)}}},
                           {"full", {ErrorKind::Input, {.message = writeCure(EDQUOT)}}},
                           {"name", {ErrorKind::Input, {.message = writeCure(ENAMETOOLONG)}}},
                           {"letters", {ErrorKind::Input, {.message = writeCure(EINVAL)}}},
                           {"drive", {ErrorKind::Input, {.message = writeCure(ESTALE)}}},
                           {"drive", {ErrorKind::Input, {.message = writeCure(EIO)}}},
                           {"drive", {ErrorKind::Input, {.message = writeCure(ETIMEDOUT)}}},
                           {"read-only", {ErrorKind::Input, {.message = writeCure(EROFS)}}},
                           {"place", {ErrorKind::Input, {.message = writeCure(EACCES)}}}});
    EXPECT_EQ(writeCure(EACCES, sentence("elsewhere")), sentence("elsewhere"));
    EXPECT_EQ(writeCure(ESTALE, sentence("elsewhere")), writeCure(EIO));
}

}  // namespace
}  // namespace meshreel
