// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/shared_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/project/project.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = QueuedRun::State;

QueuedRun runOfSeed(int seed) {
    Project project;
    project.prompt = "a ball";
    project.seed = seed;
    return queuedNow(project);
}

const QueuedRun* nextRun(const RunList& list) {
    return list.firstWaiting();
}

/// Does the work in a process of its own, which ends at once afterwards: with 0 unless it threw.
template <typename Work>
pid_t inAnotherProcess(const Work& work) {
    const pid_t child = ::fork();
    if (child != 0)
        return child;
    int code = 0;
    try {
        work();
    } catch (const std::exception&) {
        code = 1;
    }
    ::_exit(code);
}

int exitCodeOf(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SharedQueueTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path file() const { return m_folder / "kept" / "queue.json"; }

    void add(int runs) const {
        SharedQueue queue(file());
        for (int seed = 0; seed < runs; ++seed)
            queue.change([seed](RunList& list) { list.add({runOfSeed(seed)}); });
    }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(SharedQueueTest, TwoWritersAtOnceLoseNothing) {
    constexpr int runs = 40;
    std::vector<pid_t> writers;
    for (int writer = 0; writer < 2; ++writer)
        writers.push_back(inAnotherProcess([&] { add(runs); }));
    add(runs);
    for (const pid_t writer : writers)
        EXPECT_EQ(exitCodeOf(writer), 0);
    const RunList list = SharedQueue(file()).read();
    std::set<std::string> ids;
    for (const QueuedRun& run : list.runs())
        ids.insert(run.id);
    EXPECT_THAT(ids, SizeIs(3U * runs));
    EXPECT_THAT(list.runs(), SizeIs(3U * runs));
}

TEST_F(SharedQueueTest, TwoProgramsRunEveryRunOnce) {
    constexpr int runs = 30;
    add(runs);
    const std::filesystem::path log = file().parent_path() / "log.txt";
    const auto workOff = [&] {
        SharedQueue queue(file());
        while (queue.read().count(State::Waiting) > 0)
            if (const auto begun = queue.begin(nextRun)) {
                appendToFile(log, begun->run.id + "\n");
                queue.change([&](RunList& list) { list.end(begun->run.id, State::Done, "", 1); });
            }
    };
    const std::vector<pid_t> workers{inAnotherProcess(workOff), inAnotherProcess(workOff)};
    for (const pid_t worker : workers)
        EXPECT_EQ(exitCodeOf(worker), 0);
    std::vector<std::string> began;
    std::string line;
    for (const char each : readFile(log))
        if (each == '\n') {
            began.push_back(line);
            line.clear();
        } else {
            line += each;
        }
    EXPECT_THAT(began, SizeIs(runs));
    EXPECT_THAT(std::set<std::string>(began.begin(), began.end()), SizeIs(runs));
    EXPECT_EQ(SharedQueue(file()).read().count(State::Done), static_cast<std::size_t>(runs));
}

TEST_F(SharedQueueTest, OneProgramHasTheTurn) {
    add(2);
    SharedQueue first(file());
    SharedQueue second(file());
    std::optional<SharedQueue::Begun> begun = first.begin(nextRun);
    ASSERT_TRUE(begun);
    EXPECT_TRUE(second.isTurnTaken());
    EXPECT_FALSE(second.begin(nextRun));
    EXPECT_EQ(second.open().running()->id, begun->run.id) << "it is not gone";
    first.change([&](RunList& list) { list.end(begun->run.id, State::Done, "", 1); });
    begun.reset();
    EXPECT_FALSE(second.isTurnTaken());
    EXPECT_TRUE(second.begin(nextRun));
}

TEST_F(SharedQueueTest, WhatRanInAProgramThatIsGoneWaitsAgain) {
    add(2);
    const auto beginAndDie = [&] {
        SharedQueue queue(file());
        const auto begun = queue.begin(nextRun);
        queue.change([&](RunList& list) { list.setFolder(begun->run.id, "/runs/one"); });
        ::_exit(7);
    };
    EXPECT_EQ(exitCodeOf(inAnotherProcess(beginAndDie)), 7);
    SharedQueue queue(file());
    EXPECT_EQ(queue.read().count(State::Running), 1U);
    EXPECT_EQ(queue.open().count(State::Waiting), 2U);
    EXPECT_EQ(exitCodeOf(inAnotherProcess(beginAndDie)), 7);
    const auto begun = queue.begin(nextRun);
    ASSERT_TRUE(begun);
    EXPECT_EQ(begun->run.folder, "/runs/one");
    EXPECT_EQ(queue.read().count(State::Running), 1U);
}

TEST_F(SharedQueueTest, SeesWhatOthersWrote) {
    SharedQueue first(file());
    SharedQueue second(file());
    EXPECT_THAT(first.open().runs(), IsEmpty());
    EXPECT_FALSE(first.isChanged());
    second.change([](RunList& list) { list.add({runOfSeed(1)}); });
    EXPECT_TRUE(first.isChanged());
    EXPECT_THAT(first.read().runs(), SizeIs(1));
    EXPECT_FALSE(first.isChanged());
}

TEST_F(SharedQueueTest, WritesNothingThatIsTheSame) {
    add(1);
    const auto written = std::filesystem::last_write_time(file());
    SharedQueue queue(file());
    queue.open();
    queue.change([](RunList& list) { list.remove({"gone"}); });
    EXPECT_EQ(std::filesystem::last_write_time(file()), written);
}

TEST_F(SharedQueueTest, SetsADamagedFileAside) {
    std::filesystem::create_directories(file().parent_path());
    writeFileAtomically(file(), "{ \"runs\": [");
    SharedQueue queue(file());
    EXPECT_THAT(queue.open().runs(), IsEmpty());
    ASSERT_TRUE(queue.damage());
    EXPECT_FALSE(queue.damage()->why.empty());
    EXPECT_EQ(readFile(queue.damage()->aside), "{ \"runs\": [");
    queue.change([](RunList& list) { list.add({runOfSeed(1)}); });
    EXPECT_THAT(SharedQueue(file()).read().runs(), SizeIs(1));
}

TEST_F(SharedQueueTest, CopiesAFileOfWhichItReadsAPart) {
    std::filesystem::create_directories(file().parent_path());
    const std::string text = R"({"runs": [{"project": "version: 3\nprompt: a ball\n"}, 5]})";
    writeFileAtomically(file(), text);
    SharedQueue queue(file());
    EXPECT_THAT(queue.open().runs(), SizeIs(1));
    ASSERT_TRUE(queue.damage());
    ASSERT_THAT(queue.damage()->unread, SizeIs(1));
    EXPECT_EQ(queue.damage()->unread.front().number, 2);
    EXPECT_EQ(readFile(queue.damage()->aside), text);
    SharedQueue later(file());
    EXPECT_TRUE(later.open() == queue.read()) << "the ids are kept";
    EXPECT_FALSE(later.damage());
}

TEST_F(SharedQueueTest, WithoutALockNothingIsChanged) {
    add(1);
    const std::filesystem::path lock = file().string() + ".lock-2";
    std::filesystem::remove(lock);
    std::filesystem::create_directory(lock);
    SharedQueue queue(file());
    EXPECT_THROW(queue.change([](RunList& list) { list.clearDone(); }), Error);
    EXPECT_THAT(readQueue(file()).runs, SizeIs(1));
}

}  // namespace
}  // namespace meshreel
