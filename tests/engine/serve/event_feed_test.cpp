// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/event_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "engine/events/run_event.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::chrono::milliseconds atOnce{0};
constexpr std::chrono::minutes aMinute{1};

TEST(EventFeed, TellsWhatIsNew) {
    EventFeed feed;
    feed.add("a", PhaseStarted{Phase::Load});
    feed.add("a", PhaseStarted{Phase::Denoise});
    feed.add("b", PhaseStarted{Phase::Decode});
    const EventFeed::News first = feed.wait("a", 0, atOnce);
    EXPECT_THAT(first.lines, ElementsAre(HasSubstr("Load"), HasSubstr("Denoise")));
    EXPECT_THAT(feed.wait("a", first.next, atOnce).lines, IsEmpty());
    EXPECT_THAT(feed.wait("gone", 0, atOnce).lines, IsEmpty());
}

TEST(EventFeed, KeepsTheNewestProgressAlone) {
    EventFeed feed;
    for (int step = 1; step <= 4; ++step)
        feed.add("a",
                 Progress{.phase = Phase::Denoise, .stepsDone = step, .steps = 4, .fraction = step / 4.0});
    EXPECT_THAT(feed.wait("a", 0, atOnce).lines, ElementsAre(HasSubstr("\"steps_done\":4")));
    EXPECT_EQ(feed.progress("a"), 1.0);
    EXPECT_FALSE(feed.progress("b"));
}

TEST(EventFeed, TellsNoPlacesOnThisMachine) {
    EventFeed feed;
    feed.add("a", FolderReady{"/home/ann/runs/1"});
    feed.add("a", RunMessage{MessageLevel::Info, "Finished video: /home/ann/runs/1/finished.mp4"});
    feed.add("a", VideoWritten{.file = "/home/ann/runs/1/video.mp4", .note = {}});
    feed.add("a", RunOutcome{.folder = "/home/ann/runs/1", .video = "/home/ann/runs/1/video.mp4"});
    const EventFeed::News news = feed.wait("a", 0, atOnce);
    EXPECT_TRUE(news.hasEnded);
    EXPECT_THAT(news.lines,
                ElementsAre(HasSubstr("\"Finished video: finished.mp4\""), Not(HasSubstr("/home/ann"))));
}

TEST(EventFeed, WakesWhoWaits) {
    EventFeed feed;
    std::thread other([&] { feed.add("a", RunFailed{.why = "no memory", .exitCode = 4}); });
    const EventFeed::News news = feed.wait("a", 0, aMinute);
    other.join();
    EXPECT_TRUE(news.hasEnded);
    EXPECT_THAT(news.lines, ElementsAre(HasSubstr("no memory")));
    std::thread closing([&] { feed.close(); });
    EXPECT_TRUE(feed.wait("b", 0, aMinute).hasEnded);
    closing.join();
}

TEST(EventFeed, KeepsOfALongRunItsEndAndOfRunsTheNewest) {
    EventFeed feed;
    for (int line = 0; line < 5000; ++line)
        feed.add("long", RunMessage{MessageLevel::Info, std::to_string(line)});
    EXPECT_THAT(feed.wait("long", 0, atOnce).lines, SizeIs(4000));
    for (int line = 0; line < 100; ++line)
        feed.add("wide", RunMessage{MessageLevel::Info, std::string(1 << 20, 'x')});
    EXPECT_THAT(feed.wait("wide", 0, atOnce).lines, SizeIs(3)) << "of 4 MiB with what is around each";
    for (int run = 0; run < 40; ++run)
        feed.add(std::to_string(run), PhaseStarted{Phase::Load});
    EXPECT_THAT(feed.wait("long", 0, atOnce).lines, IsEmpty());
    EXPECT_THAT(feed.wait("39", 0, atOnce).lines, SizeIs(1));
}

}  // namespace
}  // namespace meshreel
