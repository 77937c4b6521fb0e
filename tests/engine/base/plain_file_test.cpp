// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/plain_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PlainFile : public ::testing::Test {
  protected:
    PlainFile() { writeFileAtomically(m_folder / "outside", "mine"); }

    ~PlainFile() override { EXPECT_EQ(readFile(m_folder / "outside"), "mine"); }

    template <typename Action>
    static void expectRefused(const fs::path& file, const std::string& fragment, const Action& action) {
        try {
            action();
            ADD_FAILURE() << file << " was accepted";
        } catch (const Error& refusal) {
            EXPECT_EQ(refusal.kind(), ErrorKind::Input);
            EXPECT_EQ(refusal.where(), file.string());
            EXPECT_THAT(refusal.what(), HasSubstr(fragment));
            EXPECT_FALSE(refusal.hint().empty());
        }
    }

    [[nodiscard]] fs::path linkNamed(const std::string& name) const {
        fs::create_symlink(m_folder / "outside", m_folder / name);
        return m_folder / name;
    }

    testing::TemporaryFolder m_folder;
};

TEST_F(PlainFile, IsOpenedAndMade) {
    for (const int flags : {O_WRONLY | O_CREAT | O_APPEND, O_RDONLY}) {
        const int descriptor = openPlainFile(m_folder / "file", flags);
        EXPECT_GE(descriptor, 0);
        ::close(descriptor);
    }
}

TEST_F(PlainFile, ALinkIsNotFollowed) {
    const fs::path link = linkNamed("link");
    for (const int flags : {O_RDONLY, O_WRONLY | O_CREAT | O_APPEND, O_RDWR | O_CREAT})
        expectRefused(link, "link", [&] { openPlainFile(link, flags); });
    expectRefused(link, "link", [&] { requireNoLink(link); });
    EXPECT_NO_THROW(requireNoLink(m_folder / "missing"));
}

TEST_F(PlainFile, ALinkToNothingMakesNothing) {
    const fs::path link = m_folder / "link";
    fs::create_symlink(m_folder / "planted", link);
    expectRefused(link, "link", [&] { openPlainFile(link, O_WRONLY | O_CREAT); });
    EXPECT_FALSE(fs::exists(m_folder / "planted"));
}

TEST_F(PlainFile, APipeIsRefusedWithoutWaitingForItsOtherEnd) {
    const fs::path pipe = m_folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const int flags : {O_RDONLY, O_WRONLY})
        expectRefused(pipe, "neither a file nor a folder", [&] { openPlainFile(pipe, flags); });
    expectRefused(pipe, "neither a file nor a folder", [&] { requirePlainFiles(m_folder.path()); });
}

TEST_F(PlainFile, ALinkIsFoundAtAnyDepth) {
    fs::create_directories(m_folder / "run/inputs/frames");
    fs::create_symlink(m_folder / "run", m_folder / "way");
    EXPECT_NO_THROW(requirePlainFiles(m_folder / "way")) << "the folder itself may be reached through a link";
    const fs::path link = linkNamed("run/inputs/frames/1.png");
    expectRefused(link, "link", [&] { requirePlainFiles(m_folder / "run"); });
    fs::remove(link);
    fs::create_directory_symlink(m_folder.path(), m_folder / "run/video");
    expectRefused(m_folder / "run/video", "link", [&] { requirePlainFiles(m_folder / "run"); });
}

TEST_F(PlainFile, ALogIsAppendedToAndNotThroughALink) {
    fileLog(m_folder / "log.txt")->info("first");
    fileLog(m_folder / "log.txt")->warn("second");
    const std::string log = readFile(m_folder / "log.txt");
    EXPECT_THAT(log, HasSubstr("[info] first\n"));
    EXPECT_THAT(log, HasSubstr("[warning] second\n"));
    const fs::path link = linkNamed("linked.txt");
    expectRefused(link, "link", [&] { fileLog(link); });
}

}  // namespace
}  // namespace meshreel
