// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/child_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/child_process.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ChildProcess shell(const std::string& script) {
    return ChildProcess({"sh", "-c", script});
}

void waitFor(ChildProcess& child) {
    while (!child.poll())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::vector<std::string> linesOf(const std::string& script, std::uint64_t most) {
    ChildProcess child = shell(script);
    ChildLines lines(child.out(), most);
    std::vector<std::string> heard;
    while (!lines.atEnd()) {
        pollfd ready{lines.descriptor(), POLLIN, 0};
        ::poll(&ready, 1, -1);
        lines.read([&](const std::string& line) { heard.push_back(line); });
    }
    return heard;
}

TEST(ChildText, KeepsBeginningAndEndAndSaysWhatItLeftOut) {
    ChildText text(8);
    text.add("abcdef");
    EXPECT_EQ(text.text(), "abcdef");
    for (int count = 0; count < 100; ++count)
        text.add("0123456789");
    EXPECT_EQ(text.text(), "abcd\n… (998 bytes left out) …\n6789");
}

TEST(ChildText, TellsFirstAndLastLineWithWords) {
    ChildText text;
    EXPECT_EQ(text.firstLine(), "");
    EXPECT_EQ(text.lastLine(), "");
    text.add("\n  \none\ntwo\r\n\t\n");
    EXPECT_EQ(text.firstLine(), "one");
    EXPECT_EQ(text.lastLine(), "two\r");
}

TEST(ChildText, OfAProcessThatNeverStopsHasAnEnd) {
    ChildProcess child = shell("exec yes");
    ChildText text(1 << 20);
    for (int count = 0; count < 3; ++count) {
        pollfd ready{child.out(), POLLIN, 0};
        ::poll(&ready, 1, -1);
        text.drain(child.out());
    }
    EXPECT_LE(text.text().size(), (1U << 20U) + 100U);
    EXPECT_EQ(text.lastLine().front(), 'y');
}

TEST(ChildText, HoldsAllThatAnEndedProcessSaid) {
    ChildProcess child = shell("echo one; echo two");
    waitFor(child);
    ChildText text;
    text.drain(child.out());
    EXPECT_EQ(text.text(), "one\ntwo\n");
}

TEST(ChildLines, AreCutAndTheLastNeedsNoEnd) {
    EXPECT_THAT(linesOf("printf 'one\\n\\nthree'", 100), ElementsAre("one", "", "three"));
}

TEST(ChildLines, ALineThatIsTooLongSaysWhatIsMissing) {
    EXPECT_THAT(linesOf("printf 'abcdefgh\\nnext\\nabcdefg'", 4),
                ElementsAre("abcd… (4 bytes left out)", "next", "abcd… (3 bytes left out)"));
    const std::vector<std::string> zeros = linesOf("head -c 50000000 /dev/zero", 1000);
    ASSERT_EQ(zeros.size(), 1U);
    EXPECT_THAT(zeros[0], HasSubstr("(49999000 bytes left out)"));
}

TEST(ChildLines, AProcessThatWritesWithoutEndLeavesTimeForOthers) {
    ChildProcess child = shell("exec yes");
    ChildLines lines(child.out());
    int heard = 0;
    for (int turn = 0; turn < 20; ++turn) {
        pollfd ready{lines.descriptor(), POLLIN, 0};
        ::poll(&ready, 1, -1);
        lines.read([&](const std::string&) { ++heard; });
    }
    EXPECT_GT(heard, 0);
    EXPECT_LE(heard, 20 * 1024 * 1024 / 2);
    EXPECT_FALSE(lines.atEnd());
}

}  // namespace
}  // namespace meshreel
