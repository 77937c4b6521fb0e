// SPDX-License-Identifier: GPL-3.0-or-later
// A project from someone else is data, not a command: what it names is listed, and nothing of it is touched
// unasked.
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::ProjectKeys;

class Trust : public testing::RunnerTest {
  protected:
    Trust() {
        fs::create_directory(file("shared"));
        fs::create_directory(file("elsewhere"));
        fs::create_directory(file("private"));
        fs::copy_file(testing::sourceFolder() / "configs" / "first-frame.png", picture());
    }

    [[nodiscard]] fs::path picture() const { return file("private") / "me.png"; }

    /// A stranger's project, which takes its first frame from the user's own pictures.
    [[nodiscard]] ProjectKeys strange() const {
        ProjectKeys keys = testing::smallRun();
        keys["pretrained_model_name_or_path"] = "tiny-wan-i2v";
        keys["image"] = picture().string();
        return keys;
    }

    /// Everything in a folder that holds the picture.
    [[nodiscard]] std::vector<fs::path> copiesOfPicture(const fs::path& folder) const {
        std::vector<fs::path> copies;
        if (fs::exists(folder))
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
                if (entry.is_regular_file() && readFile(entry.path()) == readFile(picture()))
                    copies.push_back(entry.path());
        return copies;
    }
};

TEST_F(Trust, WhatLeavesTheFolderIsListedAndNothingIsTouched) {
    const std::string yaml = project(strange(), "shared/project.yaml");
    const fs::path run = file("run");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", yaml, "--out", run.string()}, {"plan", yaml}, {"validate", yaml}}) {
        SCOPED_TRACE(words.front());
        const ProcessResult asked = meshreel(words);
        EXPECT_EQ(asked.exitCode, BadProject);
        EXPECT_THAT(asked.err, AllOf(HasSubstr("me.png"), HasSubstr("--trust")));
        EXPECT_FALSE(fs::exists(run));
    }
}

TEST_F(Trust, OneAnswerIsEnoughForTheFolder) {
    const std::string yaml = project(strange(), "shared/project.yaml");
    const ProcessResult agreed = meshreel({"run", yaml, "--trust", "--out", file("run").string()});
    ASSERT_EQ(agreed.exitCode, Done) << agreed.err;
    EXPECT_EQ(copiesOfPicture(file("run")).size(), 1U);
    EXPECT_EQ(meshreel({"plan", yaml}).exitCode, Done);
    EXPECT_EQ(meshreel({"plan", project(strange(), "shared/other.yaml")}).exitCode, Done);
    EXPECT_EQ(meshreel({"plan", project(strange(), "elsewhere/project.yaml")}).exitCode, BadProject);
}

TEST_F(Trust, TheCommandLineIsTheUsersOwn) {
    ProjectKeys keys = strange();
    keys.erase("image");
    const ProcessResult result =
        meshreel({"plan", project(keys, "shared/project.yaml"), "--set", "image=" + picture().string()});
    EXPECT_EQ(result.exitCode, Done) << result.err;
}

TEST_F(Trust, NoHostIsCalledUnasked) {
    const fs::path bin = file("bin");
    fs::create_directory(bin);
    const fs::path mark = file("called");
    std::ofstream(bin / "ssh") << "#!/bin/sh\ntouch " << mark.string() << "\nexit 255\n";
    fs::permissions(bin / "ssh", fs::perms::owner_all);
    std::ofstream(file("shared") / "hosts") << "SECRET of the user: not a host\nother.invalid\n";
    ProjectKeys keys = testing::smallRun();
    keys["hosts"] = (file("shared") / "hosts").string();
    testing::ProcessOptions surroundings = options();
    surroundings.environment["PATH"] = bin.string() + ":" + std::getenv("PATH");
    const ProcessResult asked = meshreel({"run", project(keys, "shared/project.yaml")}, surroundings);
    EXPECT_EQ(asked.exitCode, BadProject);
    EXPECT_THAT(asked.err, AllOf(HasSubstr("--trust"), HasSubstr("ssh"), Not(HasSubstr("SECRET"))));
    EXPECT_FALSE(fs::exists(mark));
}

TEST_F(Trust, ARunOfAnotherMachineAsksAndOneOfThisDoesNot) {
    ProjectKeys keys = strange();
    fs::copy_file(picture(), file("shared") / "me.png");
    keys["image"] = "me.png";
    const fs::path run = file("run");
    ASSERT_EQ(meshreel({"run", project(keys, "shared/project.yaml"), "--out", run.string()}).exitCode, Done);
    EXPECT_EQ(meshreel({"decode", run.string()}).exitCode, Done) << "meshreel wrote it here";

    const fs::path strangers = file("received");
    fs::copy(run, strangers, fs::copy_options::recursive);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"decode", strangers.string()}, {"run", "--resume", strangers.string()}}) {
        SCOPED_TRACE(words.front());
        const ProcessResult asked = meshreel(words);
        EXPECT_EQ(asked.exitCode, BadProject);
        EXPECT_THAT(asked.err, AllOf(HasSubstr("image"), HasSubstr("--trust")));
    }
    EXPECT_EQ(meshreel({"decode", strangers.string(), "--trust"}).exitCode, Done);
    EXPECT_EQ(meshreel({"run", "--resume", strangers.string()}).exitCode, Done);

    // The project inside a run of this machine was exchanged for another one.
    std::ofstream(run / "project.yaml", std::ios::app) << "audio: /etc/passwd\n";
    EXPECT_EQ(meshreel({"decode", run.string()}).exitCode, BadProject);
}

TEST_F(Trust, WhatIsExchangedForALinkMeanwhileIsNotCopied) {
    ProjectKeys keys = strange();
    fs::copy_file(picture(), file("own.png"));
    std::ofstream(picture(), std::ios::app) << "private";  // as good a picture, and told apart
    keys["image"] = "me.png";
    keys["num_inference_steps"] = "1";
    const std::string yaml = project(keys, "shared/project.yaml");
    const fs::path place = file("shared") / "me.png";
    fs::copy_file(file("own.png"), place);
    std::atomic<bool> ends = false;
    std::thread stranger([&] {
        const fs::path next = file("shared") / "next";
        while (!ends) {
            fs::copy_file(file("own.png"), next);
            fs::rename(next, place);
            std::this_thread::sleep_for(std::chrono::microseconds(300));
            fs::create_symlink(picture(), next);
            fs::rename(next, place);
            std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
    });
    constexpr int tries = 30;
    int refused = 0;
    for (int i = 0; i < tries; ++i) {
        fs::remove_all(file("run"));
        const ProcessResult result = meshreel({"run", yaml, "--out", file("run").string()});
        refused += result.exitCode == BadProject ? 1 : 0;
        EXPECT_TRUE(copiesOfPicture(file("run")).empty()) << "in try " << i;
    }
    ends = true;
    stranger.join();
    EXPECT_GT(refused, 0) << "the link was never seen";
}

TEST_F(Trust, NoControlReachesTheTerminal) {
    const std::string name = "na\033[31mme\007.yaml";
    ProjectKeys keys = testing::smallRun();
    keys["prompt"] = R"("a \e]0;title\a ball")";
    keys["nonsense"] = "1";
    const std::string yaml = project(keys, name);
    keys.erase("nonsense");
    const fs::path run = file("run\033[1m");
    ASSERT_EQ(meshreel({"run", project(keys), "--out", run.string()}).exitCode, Done);
    std::string status = readFile(run / "status.json");
    status.replace(status.find("\"done\""), 6, "\"failed\",\"why\":\"x\\u001b[2J\\u009b\\u202e\"");
    writeFileAtomically(run / "status.json", std::string_view(status));
    for (const std::vector<std::string>& words : {std::vector<std::string>{"validate", yaml},
                                                  {"inspect", run.string()},
                                                  {"compare", run.string()},
                                                  {"inspect", (run / "video.mp4").string()},
                                                  {"keys", "x\033[31m"},
                                                  {"x\033[31m"},
                                                  {"inspect", "gone\033[31m"},
                                                  {"decode", run.string()}}) {
        const ProcessResult result = meshreel(words);
        for (const char c : result.out + result.err)
            EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= ' ')
                << words.front() << " printed " << static_cast<int>(c);
        EXPECT_THAT(result.out + result.err, Not(HasSubstr("\u202e")));
    }
    EXPECT_THAT(readFile(run / "log.txt"), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace meshreel
