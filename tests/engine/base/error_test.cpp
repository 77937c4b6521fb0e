// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/error.h"

#include <gtest/gtest.h>

namespace meshreel {
namespace {

TEST(Error, SentenceHoldsWhereWhatAndCure) {
    const Error error(ErrorKind::Project, "height is 70", "demo.yaml:3", "Use 64 or 80");
    EXPECT_STREQ(error.what(), "demo.yaml:3: height is 70. Use 64 or 80.");
}

TEST(Error, SentenceEndsOnce) {
    EXPECT_STREQ(Error(ErrorKind::Internal, "Did you mean x?").what(), "Did you mean x?");
    EXPECT_STREQ(Error(ErrorKind::Internal, "Done.").what(), "Done.");
}

TEST(Error, AsASentenceItSaysTheSameAndKeepsItsParts) {
    const Sentence message = sentence("{} is {}", "height", 70);
    for (const Error& error : {Error(ErrorKind::Project, message, "demo.yaml:3", sentence("Use {}", 64)),
                               Error(ErrorKind::Project, message, {}, sentence("Is it {}?", 64)),
                               Error(ErrorKind::Project, message), Error(ErrorKind::Internal, "Done.")})
        EXPECT_EQ(error.asSentence().text(), error.what());
    const Sentence whole = Error(ErrorKind::Project, message, {}, sentence("Use {}", 64)).asSentence();
    ASSERT_EQ(whole.parts().size(), 2U);
    EXPECT_EQ(whole.parts()[0].pattern(), "{}.");
    EXPECT_EQ(whole.parts()[0].parts()[0].pattern(), "{} is {}");
    EXPECT_EQ(whole.parts()[1].parts()[0].pattern(), "Use {}");
}

TEST(Error, ExitCodesAreThoseOfTheRunner) {
    EXPECT_EQ(exitCode(ErrorKind::Internal), 1);
    EXPECT_EQ(exitCode(ErrorKind::Project), 2);
    EXPECT_EQ(exitCode(ErrorKind::Input), 3);
    EXPECT_EQ(exitCode(ErrorKind::Resources), 4);
    EXPECT_EQ(exitCode(ErrorKind::Device), 5);
    EXPECT_EQ(exitCode(ErrorKind::Mismatch), 6);
    EXPECT_EQ(exitCode(ErrorKind::Cancelled), 130);
}

}  // namespace
}  // namespace meshreel
