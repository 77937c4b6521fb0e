// SPDX-License-Identifier: GPL-3.0-or-later
// `meshreel queue`: what it adds is there for the Studio and `meshreel serve`.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "runner.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Process;
using testing::ProcessResult;
using ::testing::SizeIs;

class QueueCommand : public testing::RunnerTest {
  protected:
    [[nodiscard]] nlohmann::json runs() const {
        return nlohmann::json::parse(meshreel({"queue", "list", "--json"}).out);
    }
    /// The id of a project that is added.
    [[nodiscard]] std::string add(const testing::ProjectKeys& keys,
                                  const std::string& name = "a.yaml") const {
        const ProcessResult added = meshreel({"queue", "add", project(keys, name), "--json"});
        EXPECT_EQ(added.exitCode, Done) << added.err;
        return nlohmann::json::parse(added.out).at(0).value("id", "");
    }
};

TEST_F(QueueCommand, ListsWhatItAdded) {
    EXPECT_THAT(meshreel({"queue", "list"}).out, HasSubstr("empty"));
    EXPECT_THAT(runs(), SizeIs(0));
    const std::string id = add(testing::smallRun());
    ASSERT_THAT(runs(), SizeIs(1));
    EXPECT_EQ(runs()[0].at("id"), id);
    EXPECT_EQ(runs()[0].at("state"), "waiting");
    EXPECT_THAT(meshreel({"queue", "list"}).out, AllOf(HasSubstr(id), HasSubstr("waiting")));
}

TEST_F(QueueCommand, RefusesAProjectThatCannotRun) {
    testing::ProjectKeys keys = testing::smallRun();
    keys["width"] = "33";
    EXPECT_EQ(meshreel({"queue", "add", project(keys)}).exitCode, BadProject);
    keys["width"] = "32";
    keys["image"] = "/etc/hostname";
    EXPECT_EQ(meshreel({"queue", "add", project(keys)}).exitCode, BadProject) << "nobody has agreed to it";
    EXPECT_THAT(runs(), SizeIs(0));
}

TEST_F(QueueCommand, RemovesAndRetriesByTheBeginningOfAnId) {
    const std::string first = add(testing::smallRun());
    const std::string second = add(testing::smallRun());
    EXPECT_EQ(meshreel({"queue", "remove", "x"}).exitCode, BadProject);
    EXPECT_EQ(meshreel({"queue", "remove", ""}).exitCode, BadProject);
    EXPECT_EQ(meshreel({"queue", "remove", first, "none"}).exitCode, BadProject);
    EXPECT_THAT(runs(), SizeIs(2)) << "all or nothing";
    EXPECT_EQ(meshreel({"queue", "remove", first.substr(0, 12)}).exitCode, Done);
    ASSERT_THAT(runs(), SizeIs(1));
    EXPECT_EQ(runs()[0].at("id"), second);
    EXPECT_EQ(meshreel({"queue", "retry", second}).exitCode, Done);
    EXPECT_EQ(runs()[0].at("state"), "waiting");
}

TEST_F(QueueCommand, WhatItAddsIsRunByTheServer) {
    const std::string id = add(testing::smallRun());
    Process server(commandLine({"serve", "--port", "0"}), options());
    const auto isDone = [this] { return runs()[0].at("state") == "done"; };
    EXPECT_TRUE(testing::waitUntil(server, isDone)) << server.errSoFar();
    server.send(SIGTERM);
    EXPECT_EQ(server.wait().exitCode, Done);
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(runs()[0].value("folder", "")) / "video.mp4"));
    EXPECT_EQ(meshreel({"queue", "remove", id}).exitCode, Done);
    EXPECT_THAT(runs(), SizeIs(0));
}

}  // namespace
}  // namespace meshreel
