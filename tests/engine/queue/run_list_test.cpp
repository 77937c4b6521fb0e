// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/run_list.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/project/project.h"
#include "engine/queue/queued_run.h"

namespace meshreel {
namespace {

using State = QueuedRun::State;

/// Runs that wait, with their ids.
RunList waitingRuns(const std::vector<std::string>& ids) {
    std::vector<QueuedRun> runs;
    for (const std::string& id : ids)
        runs.push_back({.project = {}, .id = id});
    return RunList(std::move(runs));
}

std::string orderOf(const RunList& list) {
    std::string order;
    for (const QueuedRun& run : list.runs())
        order += run.id;
    return order;
}

void runToTheEnd(RunList& list, const std::string& id, State state) {
    list.begin(id);
    list.end(id, state, "", 1);
}

TEST(RunListOrder, PutsWhatIsDoneLast) {
    RunList list = waitingRuns({"a", "b", "c"});
    runToTheEnd(list, "a", State::Done);
    EXPECT_EQ(orderOf(list), "bca");
    runToTheEnd(list, "b", State::Failed);  // which somebody may want to run again
    EXPECT_EQ(orderOf(list), "bca");
    list.add({{.project = {}, .id = "d"}});
    EXPECT_EQ(orderOf(list), "bcda");
    runToTheEnd(list, "c", State::Done);
    EXPECT_EQ(orderOf(list), "bdca");
    list.retry({"a"});
    EXPECT_EQ(orderOf(list), "bdac");
    list.clearDone();
    EXPECT_EQ(orderOf(list), "bda");
}

TEST(RunListOrder, MovesWhatStandsTogether) {
    struct Case {
        void (RunList::*move)(const RunList::Ids&);
        RunList::Ids ids;
        std::string order;
    };
    for (const Case& each : std::vector<Case>{{&RunList::moveUp, {"c"}, "acbdef"},
                                              {&RunList::moveUp, {"a"}, "abcdef"},
                                              {&RunList::moveUp, {"b", "c", "e"}, "bcaedf"},
                                              {&RunList::moveUp, {"a", "b", "d"}, "abdcef"},
                                              {&RunList::moveDown, {"f"}, "abcdef"},
                                              {&RunList::moveDown, {"a", "b"}, "cabdef"},
                                              {&RunList::moveDown, {"d", "f"}, "abcedf"},
                                              {&RunList::moveDown, {"gone"}, "abcdef"}}) {
        RunList list = waitingRuns({"a", "b", "c", "d", "e", "f"});
        (list.*each.move)(each.ids);
        EXPECT_EQ(orderOf(list), each.order);
    }
}

TEST(RunListOrder, MovesTogetherBeforeAnother) {
    struct Case {
        RunList::Ids ids;
        std::string place;
        std::string order;
    };
    for (const Case& each : std::vector<Case>{{{"a"}, "c", "bacd"},
                                              {{"a"}, "", "bcda"},
                                              {{"d"}, "b", "adbc"},
                                              {{"c"}, "d", "abcd"},
                                              {{"c", "a"}, "", "bdac"},
                                              {{"b", "d"}, "a", "bdac"},
                                              {{"a", "d"}, "c", "badc"},
                                              {{"a", "gone"}, "gone", "bcda"}}) {
        RunList list = waitingRuns({"a", "b", "c", "d"});
        list.moveBefore(each.ids, each.place);
        EXPECT_EQ(orderOf(list), each.order) << each.place;
    }
}

TEST(RunListStates, TheRunningOneIsLeftAlone) {
    RunList list = waitingRuns({"a", "b"});
    EXPECT_EQ(list.firstWaiting()->id, "a");
    list.begin("a");
    list.setFolder("a", "/runs/a");
    EXPECT_EQ(list.running()->id, "a");
    EXPECT_EQ(list.firstWaiting()->id, "b");
    list.remove({"a", "b"});
    EXPECT_EQ(orderOf(list), "a");
    list.retry({"a"});
    list.resume({"a"});
    EXPECT_EQ(list.find("a")->state, State::Running);
    EXPECT_EQ(list.find("a")->folder, "/runs/a");
    EXPECT_EQ(list.find("b"), nullptr);
}

TEST(RunListStates, AnEndIsOfWhatRuns) {
    RunList list = waitingRuns({"a"});
    list.end("a", State::Done, "", 5);
    EXPECT_EQ(list.find("a")->state, State::Waiting);
    list.begin("a");
    list.end("a", State::Failed, "no memory", 7);
    EXPECT_EQ(list.find("a")->remark, "no memory");
    EXPECT_EQ(list.find("a")->ended, 7);
    list.end("gone", State::Done, "", 8);
    list.resume({"a"});
    EXPECT_EQ(list.find("a")->remark, "");
    list.begin("a");
    list.releaseRunning();
    EXPECT_EQ(list.find("a")->state, State::Waiting);
}

TEST(RunListStates, ARetryIsAnewAndMayBeOfAnotherProject) {
    RunList list = waitingRuns({"a", "b"});
    for (const char* id : {"a", "b"}) {
        list.begin(id);
        list.setFolder(id, std::string("/runs/") + id);
        list.end(id, State::Cancelled, "", 1);
    }
    list.resume({"a"});
    list.retry({"b"}, [](Project& project) { project.numFrames = 9; });
    EXPECT_EQ(list.find("a")->folder, "/runs/a");
    EXPECT_EQ(list.find("b")->folder, "");
    EXPECT_EQ(list.find("b")->project.numFrames, 9);
    EXPECT_EQ(list.count(State::Waiting), 2U);
}

}  // namespace
}  // namespace meshreel
