// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/kept_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/project/project.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"
#include "engine/runs/run_folder.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = QueuedRun::State;

constexpr std::int64_t day = 86400;

class KeptResults : public ::testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path runs() const { return m_folder / "runs"; }
    [[nodiscard]] std::filesystem::path file() const { return m_folder / "queue.json"; }

    /// A run of a client with a folder of so many bytes, which ended then.
    std::string add(const std::filesystem::path& folder, std::int64_t ended, std::size_t bytes = 10,
                    State state = State::Done, bool isOfClient = true) {
        std::filesystem::create_directories(folder);
        writeFileAtomically(folder / run_file::status, "{}");
        writeFileAtomically(folder / "video.mp4", std::string(bytes, 'x'));
        QueuedRun run = queuedRun();
        run.state = state;
        run.folder = folder.string();
        run.ended = ended;
        run.isOfClient = isOfClient;
        SharedQueue(file()).change([&](RunList& list) { list.add({run}); });
        return run.id;
    }

    static QueuedRun queuedRun() {
        Project project;
        project.prompt = "a red ball";  // the file holds legal projects
        return queuedNow(project);
    }

    std::vector<std::string> forget(const KeepLimit& limit, std::int64_t now = 100 * day) {
        SharedQueue queue(file());
        return forgetResults(queue, limit, runs(), now);
    }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(KeptResults, OldOnesGo) {
    const std::string old = add(runs() / "old", 92 * day);
    add(runs() / "new", 94 * day);
    EXPECT_THAT(forget(readKeepLimit("7d")), ElementsAre(old));
    EXPECT_FALSE(std::filesystem::exists(runs() / "old"));
    EXPECT_TRUE(std::filesystem::exists(runs() / "new"));
    EXPECT_EQ(SharedQueue(file()).read().find(old), nullptr);
    EXPECT_THAT(forget(readKeepLimit("7d")), IsEmpty());
}

TEST_F(KeptResults, TheOldestOfTooManyBytesGo) {
    const std::string first = add(runs() / "1", 1 * day, 600);
    add(runs() / "2", 2 * day, 600);
    add(runs() / "3", 3 * day, 600);
    EXPECT_THAT(forget({.bytes = 1500}), ElementsAre(first));
}

TEST_F(KeptResults, OnlyEndedRunsOfClientsInTheRunsFolderGo) {
    add(runs() / "of-a-person", day, 10, State::Done, false);
    add(runs() / "waiting", day, 10, State::Waiting);
    add(runs() / ".." / "elsewhere", day);
    add(runs() / "deep" / "run", day);
    add(runs() / "target", day, 10, State::Done, false);
    std::filesystem::create_directory_symlink(runs() / "target", runs() / "link");
    QueuedRun linked = queuedRun();
    linked.state = State::Done;
    linked.isOfClient = true;
    linked.folder = (runs() / "link").string();
    SharedQueue(file()).change([&](RunList& list) { list.add({linked}); });
    EXPECT_THAT(forget(readKeepLimit("1d")), IsEmpty());
    EXPECT_TRUE(std::filesystem::exists(runs() / "target" / "video.mp4"));
}

TEST(KeepLimits, AreDaysOrGigabytes) {
    EXPECT_EQ(readKeepLimit("7d"), (KeepLimit{.seconds = 7 * day}));
    EXPECT_EQ(readKeepLimit("50GB"), (KeepLimit{.bytes = 50'000'000'000}));
    for (const char* text :
         {"", "7", "d", "0d", "-1d", "7 d", "7days", "50gb", "99999999999999999999d", "200000d"})
        EXPECT_THROW(readKeepLimit(text), Error) << text;
}

}  // namespace
}  // namespace meshreel
