// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/prompt_helper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/stop_token.h"
#include "tests/support/http_server.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using Request = testing::HttpRequest;
using Reply = testing::HttpAnswer;

Reply replyWith(const std::string& content) {
    Reply reply;
    reply.headers = {{"Content-Type", "application/json"}};
    reply.body = R"({"choices": [{"message": {"role": "assistant", "content": )" +
                 nlohmann::json(content).dump() + "}}]}";
    return reply;
}

Reply statusReply(int status, const std::string& body) {
    Reply reply;
    reply.status = status;
    reply.body = body;
    return reply;
}

/// No proxy, and settings of its own.
class PromptHelpers : public ::testing::Test {
  protected:
    PromptHelpers() {
        for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"})
            unsetenv(name);
        setenv("XDG_CONFIG_HOME", m_folder.path().c_str(), 1);
    }
    ~PromptHelpers() override { unsetenv("XDG_CONFIG_HOME"); }

    static PromptHelper helperAt(const testing::HttpServer& server) {
        return {
            .endpoint = server.address(), .model = "small", .key = "", .deadline = std::chrono::seconds(30)};
    }

    static std::string rewrittenBy(const std::string& content) {
        const testing::HttpServer server([&](const Request&) { return replyWith(content); });
        return rewritePrompt(helperAt(server), "a ball", PromptUse::Text, {});
    }

    static Error refusalOf(const PromptHelper& helper, const StopToken& stop = {}) {
        try {
            rewritePrompt(helper, "a ball", PromptUse::Text, stop);
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << "nothing was refused";
        return {ErrorKind::Internal, "nothing was refused"};
    }

    static Error refusalOf(const Reply& reply) {
        const testing::HttpServer server([&](const Request&) { return reply; });
        return refusalOf(helperAt(server));
    }

    [[nodiscard]] const fs::path& folder() const { return m_folder.path(); }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(PromptHelpers, AreAskedOnceWithRulesAndPrompt) {
    const testing::HttpServer server([](const Request&) { return replyWith("a red ball rolls"); });
    PromptHelper helper = helperAt(server);
    helper.key = "secret";
    EXPECT_EQ(rewritePrompt(helper, "ball \"x\"", PromptUse::Picture, {}), "a red ball rolls");
    ASSERT_THAT(server.requests(), SizeIs(1));
    const Request request = server.requests().front();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/v1/chat/completions");
    EXPECT_EQ(request.header("authorization"), "Bearer secret");
    EXPECT_EQ(request.header("content-type"), "application/json");
    const nlohmann::json said = nlohmann::json::parse(request.body);
    EXPECT_EQ(said.at("model"), "small");
    EXPECT_EQ(said.at("stream"), false);
    ASSERT_THAT(said.at("messages"), SizeIs(2));
    EXPECT_EQ(said.at("messages").at(0).at("role"), "system");
    EXPECT_EQ(said.at("messages").at(0).at("content"), helperInstructions(PromptUse::Picture));
    EXPECT_EQ(said.at("messages").at(1).at("content"), "ball \"x\"");
}

TEST_F(PromptHelpers, AnAddressMayBeWrittenShort) {
    for (const char* written :
         {"http://localhost:11434", "http://localhost:11434/", "http://localhost:11434/v1",
          "http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"})
        EXPECT_EQ(chatAddress({.endpoint = written}), "http://localhost:11434/v1/chat/completions")
            << written;
    EXPECT_EQ(chatAddress({.endpoint = "https://example.org/api/openai"}),
              "https://example.org/api/openai/chat/completions");
}

TEST_F(PromptHelpers, AddressesThatCannotBeAskedAreRefused) {
    for (const char* written : {"localhost:1", "ftp://localhost", "http://", "http://localhost/v1?key=1"})
        EXPECT_EQ(refusalOf(PromptHelper{.endpoint = written}).kind(), ErrorKind::Project) << written;
    const Error open = refusalOf(PromptHelper{.endpoint = "http://192.168.0.7:11434", .key = "secret"});
    EXPECT_EQ(open.kind(), ErrorKind::Project);
    EXPECT_THAT(open.what(), AllOf(HasSubstr("http"), Not(HasSubstr("secret"))));
    const Error named = refusalOf(PromptHelper{.endpoint = "https://ann:secret@127.0.0.1:11434/v1"});
    EXPECT_EQ(named.kind(), ErrorKind::Project) << "it would stand there to be read";
    EXPECT_THAT(named.what(), Not(HasSubstr("secret")));
}

TEST_F(PromptHelpers, AnswersAreOneLineWithoutThoughtsAndQuotes) {
    EXPECT_EQ(rewrittenBy("<think>what\nis it</think>\n\n\"A ball\nrolls.\"\n"), "A ball rolls.");
    EXPECT_EQ(rewrittenBy("“A ball rolls.”"), "A ball rolls.");
    EXPECT_EQ(rewrittenBy("\"A\" and \"b\""), "\"A\" and \"b\"");
    EXPECT_EQ(rewrittenBy("a \x1b[31mball\t"), "a [31mball");
}

TEST_F(PromptHelpers, AnswersWithoutAPromptAreRefused) {
    for (const char* body :
         {"", "no json", "[]", "{}", R"({"choices": []})", R"({"choices": [5]})",
          R"({"choices": [{"message": {"content": null}}]})", R"({"choices": [{"text": "a"}]})"}) {
        const Error refused = refusalOf(statusReply(200, body));
        EXPECT_EQ(refused.kind(), ErrorKind::Input) << body;
        EXPECT_FALSE(refused.hint().empty()) << body;
    }
    EXPECT_EQ(refusalOf(replyWith(" \n ")).kind(), ErrorKind::Input);
    EXPECT_EQ(refusalOf(replyWith("<think>only thoughts</think>")).kind(), ErrorKind::Input);
    EXPECT_EQ(refusalOf(replyWith("<think>A ball? Or a box")).kind(), ErrorKind::Input) << "cut off";
    EXPECT_EQ(refusalOf(replyWith(std::string(100'000, 'a'))).kind(), ErrorKind::Input) << "too long";
}

TEST_F(PromptHelpers, RefusalsSayWhatToDo) {
    const Error key = refusalOf(statusReply(401, "{}"));
    EXPECT_THAT(key.what(), HasSubstr("key"));
    const Error model = refusalOf(statusReply(404, R"({"error": {"message": "model 'small' not found"}})"));
    EXPECT_THAT(model.what(), HasSubstr("model 'small' not found"));
    const Error text = refusalOf(statusReply(500, R"({"error": "no memory"})"));
    EXPECT_THAT(text.what(), AllOf(HasSubstr("500"), HasSubstr("no memory")));
    Reply moved = statusReply(307, "");
    moved.headers["Location"] = "http://127.0.0.1:1/v1/chat/completions";
    EXPECT_THAT(refusalOf(moved).what(), HasSubstr("elsewhere"));
    for (const Error& error : {key, model, text})
        EXPECT_FALSE(error.hint().empty());
    const Error nobody = refusalOf(PromptHelper{.endpoint = "http://127.0.0.1:1"});
    EXPECT_EQ(nobody.kind(), ErrorKind::Input);
    EXPECT_THAT(nobody.what(), HasSubstr("nobody answers"));
}

TEST_F(PromptHelpers, WhatIsSentIsForOneServer) {
    std::atomic<int> elsewhere = 0;
    const testing::HttpServer other([&](const Request&) {
        ++elsewhere;
        return replyWith("stolen");
    });
    Reply moved = statusReply(308, "");
    moved.headers["Location"] = other.address() + "/v1/chat/completions";
    refusalOf(moved);
    EXPECT_EQ(elsewhere, 0);
}

TEST_F(PromptHelpers, AnAnswerWithoutEndIsGivenUp) {
    Reply endless = replyWith("a");
    endless.body = std::string(64 * 1024, ' ');
    endless.tellsLength = false;
    endless.repeats = true;
    EXPECT_THAT(refusalOf(endless).what(), HasSubstr("no end"));
    Reply stalled = replyWith("a ball rolls");
    stalled.stallAfter = 5;
    const testing::HttpServer server([&](const Request&) { return stalled; });
    PromptHelper helper = helperAt(server);
    helper.deadline = std::chrono::seconds(1);
    EXPECT_THAT(refusalOf(helper).what(), HasSubstr("within 1 seconds"));
}

TEST_F(PromptHelpers, AStopEndsTheWait) {
    StopSource source;
    std::atomic<bool> asked = false;
    Reply stalled = replyWith("a ball rolls");
    stalled.stallAfter = 0;
    const testing::HttpServer server([&](const Request&) {
        asked = true;
        return stalled;
    });
    std::jthread stopper([&] {
        while (!asked)
            std::this_thread::yield();
        source.request_stop();
    });
    EXPECT_EQ(refusalOf(helperAt(server), source.get_token()).kind(), ErrorKind::Cancelled);
}

TEST_F(PromptHelpers, SettingsAreTheOwnersAlone) {
    EXPECT_FALSE(readPromptHelper().isOn());
    const PromptHelper helper{.endpoint = "https://example.org/v1", .model = "m", .key = "secret"};
    keepPromptHelper(helper);
    EXPECT_EQ(readPromptHelper(), helper);
    struct stat status {};
    ASSERT_EQ(::stat(promptHelperFile().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    keepPromptHelper({});
    EXPECT_FALSE(fs::exists(promptHelperFile()));
    EXPECT_THROW(keepPromptHelper({.endpoint = "nowhere"}), Error);
    EXPECT_FALSE(fs::exists(promptHelperFile()));
}

TEST_F(PromptHelpers, SettingsThatAreDamagedOrALinkAreRefused) {
    fs::create_directories(promptHelperFile().parent_path());
    for (const char* text : {"", "{", "[]", "{}", R"({"endpoint": 5})", R"({"endpoint": "a", "key": 5})"}) {
        writeFileAtomically(promptHelperFile(), text);
        EXPECT_THROW(readPromptHelper(), Error) << text;
    }
    fs::remove(promptHelperFile());
    writeFileAtomically(folder() / "other.json", R"({"endpoint": "http://127.0.0.1:1"})");
    fs::create_symlink(folder() / "other.json", promptHelperFile());
    EXPECT_THROW(readPromptHelper(), Error);
}

}  // namespace
}  // namespace meshreel
