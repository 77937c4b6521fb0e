// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/run_notes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace meshreel {
namespace {

class RunNotesTest : public ::testing::Test {
  protected:
    RunNotesTest() { std::filesystem::create_directories(m_folder); }
    ~RunNotesTest() override { std::filesystem::remove_all(m_folder); }

    std::filesystem::path m_folder =
        std::filesystem::temp_directory_path() / ("meshreel-notes-" + std::to_string(getpid()));
};

TEST_F(RunNotesTest, AreKept) {
    EXPECT_EQ(readRunNotes(m_folder), RunNotes());
    const RunNotes notes{.tags = {"best", "for Ann"}, .note = "the ball \"bounces\"\n2nd line"};
    writeRunNotes(m_folder, notes);
    EXPECT_EQ(readRunNotes(m_folder), notes);
    writeRunNotes(m_folder, {});
    EXPECT_TRUE(std::filesystem::is_empty(m_folder));
}

TEST_F(RunNotesTest, DamagedOnesAreExplained) {
    writeFileAtomically(m_folder / "notes.json", "{\"tags\": 3}");
    try {
        readRunNotes(m_folder);
        FAIL() << "damaged notes were read";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(error.where().find("notes.json"), std::string::npos);
    }
}

TEST(RunTags, AreSplitAtCommas) {
    EXPECT_EQ(tagsOf(" demo,best one ,, demo"), (std::vector<std::string>{"demo", "best one"}));
    EXPECT_TRUE(tagsOf("  ").empty());
}

}  // namespace
}  // namespace meshreel
