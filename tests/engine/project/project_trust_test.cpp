// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/project_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/project/input_files.h"
#include "tests/support/locations.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Folders of a user who has agreed to nothing yet.
class ProjectTrust : public ::testing::Test {
  protected:
    ProjectTrust() : m_shared(m_home / "shared") {
        ::setenv("XDG_STATE_HOME", (m_home / "state").c_str(), 1);
        fs::create_directories(m_shared);
    }
    ~ProjectTrust() override { ::unsetenv("XDG_STATE_HOME"); }
    ProjectTrust(const ProjectTrust&) = delete;
    ProjectTrust& operator=(const ProjectTrust&) = delete;

    [[nodiscard]] const fs::path& shared() const { return m_shared; }
    [[nodiscard]] fs::path home(const std::string& name) const { return m_home / name; }

    /// Keys of what the project file asks.
    [[nodiscard]] std::vector<std::string> asked(const std::string& lines,
                                                 const std::vector<std::string>& overrides = {}) const {
        const fs::path file = m_shared / "project.yaml";
        std::ofstream(file) << "version: 3\nprompt: a cat\n" << lines;
        return keysOf(askTrust(loadProject(file, overrides), m_shared));
    }

    /// Whether the record has an entry of the folder.
    [[nodiscard]] bool remembers(const std::string& folder) const {
        return nlohmann::json::parse(readFile(trustFile())).at("folders").contains(home(folder).string());
    }

    [[nodiscard]] static std::vector<std::string> keysOf(const TrustQuestion& question) {
        std::vector<std::string> keys;
        for (const AskedPath& path : question.paths)
            keys.emplace_back(path.key->name);
        return keys;
    }

  private:
    testing::TemporaryFolder m_home;
    fs::path m_shared;
};

TEST_F(ProjectTrust, EveryKeyThatNamesAFileSaysWhatItDoes) {
    for (const ProjectKey& key : projectKeys()) {
        const bool isInput = findInputKey(key.name) != nullptr;
        const bool namesFile = key.form == TextForm::File || key.form == TextForm::Model || isInput;
        EXPECT_TRUE(!namesFile || findAccess(key) != KeyAccess::Nothing) << key.name;
        EXPECT_EQ(isInput, findAccess(key) == KeyAccess::Media) << key.name;
    }
    EXPECT_EQ(findAccess(*findProjectKey("hosts")), KeyAccess::Hosts);
}

TEST_F(ProjectTrust, WhatLeavesTheFolderAsks) {
    EXPECT_THAT(asked("image: cat.png\nvideo: clips/a.mp4\nreference_images: a.png, b.png\n"), IsEmpty());
    EXPECT_THAT(asked("image: /etc/passwd\n"), ElementsAre("image"));
    EXPECT_THAT(asked("video: ../secret\n"), ElementsAre("video"));
    EXPECT_THAT(asked("mask: ~/x.png\n"), ElementsAre("mask"));
    EXPECT_THAT(asked("reference_images: a.png, ../b.png\n"), ElementsAre("reference_images"));
    EXPECT_THAT(asked("image: sub/../../x.png\n"), ElementsAre("image"));
    EXPECT_THAT(asked("tracks: paths/tracks.json\n"), IsEmpty());
    EXPECT_THAT(asked("tracks: ../tracks.json\n"), ElementsAre("tracks"));
    EXPECT_THAT(asked("audio: keep\n"), IsEmpty());
    EXPECT_THAT(asked("audio: /home/ann/voice.wav\n"), ElementsAre("audio"));
    EXPECT_THAT(asked("mag_ratios_file: /etc/shadow\ncompare_with: ../run\n"),
                ElementsAre("mag_ratios_file", "compare_with"));
    EXPECT_THAT(asked("wildcards: words\n"), IsEmpty());
    EXPECT_THAT(asked("wildcards: ../words\n"), ElementsAre("wildcards"));
}

TEST_F(ProjectTrust, ALinkInTheFolderLeadsOutOfIt) {
    fs::create_directory(home("private"));
    fs::create_directory_symlink(home("private"), shared() / "pictures");
    EXPECT_THAT(asked("image: pictures/me.png\n"), ElementsAre("image"));
}

TEST_F(ProjectTrust, HostsAskWhereverTheyLie) {
    EXPECT_THAT(asked("hosts: hosts.txt\n"), ElementsAre("hosts"));
    EXPECT_THAT(asked("hosts: " + (shared() / "hosts.txt").string() + "\n"), ElementsAre("hosts"));
}

TEST_F(ProjectTrust, WeightsAndTheCommandLineAskNothing) {
    EXPECT_THAT(asked("pretrained_model_name_or_path: /models/wan\nlora: [{file: /loras/a.safetensors}]\n"
                      "parts:\n  vae: /models/vae.safetensors\n"),
                IsEmpty());
    EXPECT_THAT(asked("", {"image=/etc/passwd", "hosts=/etc/hosts"}), IsEmpty());
    EXPECT_THAT(asked("image: /etc/passwd\n", {"image=/home/ann/a.png"}), IsEmpty());
}

TEST_F(ProjectTrust, OutOfAVideoEveryPathAsks) {
    Project project;
    project.image = "cat.png";
    EXPECT_THAT(keysOf(askTrust(project, shared(), ProjectSource::Elsewhere)), ElementsAre("image"));
    EXPECT_THAT(keysOf(askTrust(project, shared(), ProjectSource::File)), IsEmpty());
    EXPECT_THAT(keysOf(askTrust(project, {}, ProjectSource::Elsewhere)), ElementsAre("image"));
}

TEST_F(ProjectTrust, AFolderIsAskedForOnce) {
    EXPECT_THAT(asked("image: /etc/passwd\n"), ElementsAre("image"));
    trustFolder(shared());
    EXPECT_THAT(asked("image: /etc/passwd\nhosts: /x\n"), IsEmpty());
    Project other;
    other.image = "/etc/passwd";
    EXPECT_THAT(keysOf(askTrust(other, shared() / "deeper", ProjectSource::File)), ElementsAre("image"));
    EXPECT_THAT(keysOf(askTrust(other, home("elsewhere"), ProjectSource::File)), ElementsAre("image"));
}

TEST_F(ProjectTrust, WhatWasWrittenHereAsksNothingAndNoMoreThanThat) {
    Project project;
    project.image = (home("private") / "me.png").string();
    noteWritten(project, shared());
    EXPECT_THAT(asked("image: " + project.image + "\n"), IsEmpty());
    EXPECT_THAT(asked("image: /etc/passwd\n"), ElementsAre("image"));
    EXPECT_THAT(asked("video: " + project.image + "\n"), ElementsAre("video")) << "of another key";
}

TEST_F(ProjectTrust, TheRecordIsPrivateAndNoProjectReachesIt) {
    trustFolder(shared());
    const fs::path record = trustFile();
    struct stat status {};
    ASSERT_EQ(::stat(record.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    EXPECT_EQ(asked("image: /etc/passwd\n").size(), 0U);
    fs::remove(record);
    fs::copy_file(testing::sourceFolder() / "LICENSE", record);  // damaged
    EXPECT_THAT(asked("image: /etc/passwd\n"), ElementsAre("image"));
    trustFolder(shared());
    EXPECT_THAT(asked("image: /etc/passwd\n"), IsEmpty());
    // A link of somebody else's is no record.
    fs::rename(record, shared() / "forged.json");
    fs::create_symlink(shared() / "forged.json", record);
    EXPECT_THAT(asked("image: /etc/passwd\n"), ElementsAre("image"));
}

TEST_F(ProjectTrust, WhatIsRememberedOfFoldersThatAreGoneIsDropped) {
    for (const char* folder : {"runs/1", "runs/2", "drive/runs/1", "away/1"}) {
        fs::create_directories(home(folder));
        trustFolder(home(folder));
    }
    fs::remove_all(home("runs/1"));
    fs::remove_all(home("drive/runs"));  // not plugged in: nothing lies there
    fs::remove_all(home("away/1"));      // likewise
    trustFolder(shared());
    EXPECT_FALSE(remembers("runs/1"));
    EXPECT_TRUE(remembers("runs/2"));
    EXPECT_TRUE(remembers("drive/runs/1"));
    EXPECT_TRUE(remembers("away/1"));
    EXPECT_TRUE(remembers("shared"));
}

TEST_F(ProjectTrust, WhatIsRememberedHasABound) {
    constexpr std::size_t most = 4000;
    nlohmann::json folders;
    for (std::size_t i = 0; i < most + 500; ++i)
        folders[home("drive/" + std::to_string(i)).string()] = {
            {"all", true}, {"time", "2026-01-01T00:00:" + std::to_string(10'000 + i)}};
    fs::create_directories(trustFile().parent_path());
    writeFileAtomically(trustFile(), nlohmann::json{{"folders", folders}}.dump());
    trustFolder(shared());
    EXPECT_EQ(nlohmann::json::parse(readFile(trustFile())).at("folders").size(), most);
    EXPECT_TRUE(remembers("shared"));
    EXPECT_FALSE(remembers("drive/500")) << "of the first ones";
    EXPECT_TRUE(remembers("drive/501"));
}

TEST_F(ProjectTrust, AnInputIsAskedAboutAgainWhereItLiesOnceItIsOpen) {
    const ProjectKey& image = *findProjectKey("image");
    const fs::path file = shared() / "project.yaml";
    std::ofstream(file) << "version: 3\nprompt: a cat\nimage: me.png\n";
    std::ofstream(shared() / "me.png") << "mine";
    std::ofstream(home("private.png")) << "private";
    const LoadedProject loaded = loadProject(file);
    const TrustedInputs inputs(loaded, shared());
    EXPECT_NO_THROW(inputs.require(image, shared() / "me.png", shared() / "me.png"));
    EXPECT_THROW(inputs.require(image, shared() / "me.png", home("private.png")), ProjectError);
    EXPECT_NO_THROW(TrustedInputs().require(image, shared() / "me.png", home("private.png")));

    const std::vector<std::string> typed{"image=" + (shared() / "me.png").string()};
    EXPECT_NO_THROW(TrustedInputs(loadProject(file, typed), shared())
                        .require(image, shared() / "me.png", home("private.png")))
        << "the user's own";

    const TrustedInputs same = TrustedInputs::asTheyAre(loaded.project);
    EXPECT_NO_THROW(same.require(image, loaded.project.image, shared() / "me.png"));
    EXPECT_THROW(same.require(image, loaded.project.image, home("private.png")), ProjectError);

    TrustedInputs more = same;
    more.add(home("mine.png"));
    EXPECT_THROW(same.require(image, home("mine.png"), home("mine.png")), ProjectError);
    EXPECT_NO_THROW(more.require(image, home("mine.png"), home("mine.png")));

    const TrustedInputs stored = TrustedInputs::storedIn(shared(), loaded.project);
    EXPECT_NO_THROW(stored.require(image, loaded.project.image, shared() / "me.png"));
    EXPECT_THROW(stored.require(image, loaded.project.image, shared() / "other.png"), ProjectError);
    Project outside = loaded.project;
    outside.image = home("mine.png");
    EXPECT_THROW(TrustedInputs::storedIn(shared(), outside).require(image, outside.image, outside.image),
                 ProjectError)
        << "nobody agreed to it";

    trustFolder(shared());
    EXPECT_NO_THROW(inputs.require(image, shared() / "me.png", home("private.png")));
    EXPECT_THROW(stored.require(image, loaded.project.image, home("private.png")), ProjectError)
        << "it was asked when it lay in the folder";
    EXPECT_NO_THROW(TrustedInputs::storedIn(shared(), outside).require(image, outside.image, outside.image));
}

TEST_F(ProjectTrust, EveryPathIsAProblemAtItsLine) {
    const fs::path file = shared() / "project.yaml";
    std::ofstream(file) << "version: 3\nprompt: a cat\nimage: /etc/passwd\nhosts: /etc/hosts\n";
    try {
        requireTrust(askTrust(loadProject(file), shared()));
        FAIL() << "nothing was asked";
    } catch (const ProjectError& refused) {
        EXPECT_EQ(refused.kind(), ErrorKind::Project);
        EXPECT_THAT(refused.what(), HasSubstr("project.yaml:3"));
        EXPECT_THAT(refused.what(), HasSubstr("/etc/passwd"));
        EXPECT_THAT(refused.what(), HasSubstr("project.yaml:4"));
        EXPECT_THAT(refused.what(), HasSubstr("/etc/hosts"));
        EXPECT_THAT(refused.what(), HasSubstr("--trust"));
    }
}

TEST(SecurityPage, ItsTableIsThatOfTheKeys) {
    const fs::path page = testing::sourceFolder() / "docs" / "security.md";
    const std::string text = readFile(page);
    const std::string begin = "<!-- from accessRows() and projectKeys(); made again as project-keys.md -->\n";
    const std::size_t from = text.find(begin);
    ASSERT_NE(from, std::string::npos);
    const std::size_t start = from + begin.size();
    const std::size_t end = text.find("\n\n", start) + 1;
    if (std::getenv("MESHREEL_UPDATE_DOCS") != nullptr)
        writeFileAtomically(page,
                            std::string_view(text.substr(0, start) + accessMarkdown() + text.substr(end)));
    const std::string now = readFile(page);
    EXPECT_EQ(now.substr(start, now.find("\n\n", start) + 1 - start), accessMarkdown());
}

}  // namespace
}  // namespace meshreel
