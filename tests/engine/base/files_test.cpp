// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "engine/base/disk_calls.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/held_file.h"
#include "engine/base/log.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {
namespace fs = std::filesystem;

using ::testing::HasSubstr;

long filesIn(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AtomicFile, ReplacesTheWholeFile) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "a.txt", "a longer first text");
    writeFileAtomically(folder / "a.txt", "short");
    EXPECT_EQ(readFile(folder / "a.txt"), "short");
    EXPECT_EQ(filesIn(folder.path()), 1);
}

TEST(AtomicFile, FailedWriterLeavesTheOldFileAndNothingElse) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "a.txt", "old");
    const auto failing = [](const fs::path& temporary) {
        std::ofstream(temporary) << "half";
        throw std::runtime_error("encoder failed");
    };
    EXPECT_THROW(writeFileAtomically(folder / "a.txt", failing), std::runtime_error);
    EXPECT_EQ(readFile(folder / "a.txt"), "old");
    EXPECT_EQ(filesIn(folder.path()), 1);
}

TEST(AtomicFile, TemporaryKeepsTheExtension) {
    const testing::TemporaryFolder folder;
    fs::path seen;
    writeFileAtomically(folder / "clip.mp4", [&seen](const fs::path& temporary) {
        seen = temporary;
        std::ofstream(temporary) << "x";
    });
    EXPECT_EQ(seen.extension(), ".mp4");
    EXPECT_NE(seen.filename(), "clip.mp4");
}

TEST(AtomicFile, MissingFolderIsAnInputErrorThatNamesThePath) {
    const testing::TemporaryFolder folder;
    try {
        writeFileAtomically(folder / "missing/a.txt", "x");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        EXPECT_NE(error.where().find("missing"), std::string::npos);
        EXPECT_FALSE(error.hint().empty());
    }
}

TEST(AtomicFile, FullDiskIsAResourcesErrorAndLeavesNothing) {
    const testing::TemporaryFolder folder;
    ErrorKind kind = ErrorKind::Internal;
    try {
        const testing::FileSizeLimit fullDisk(1000);
        writeFileAtomically(folder / "a.bin", std::string(5000, 'x'));
    } catch (const Error& error) {
        kind = error.kind();
    }
    EXPECT_EQ(kind, ErrorKind::Resources);
    EXPECT_EQ(filesIn(folder.path()), 0);
}

/// The name that this thread would write `name` under.
std::string temporaryNameOf(const std::string& stem, const std::string& extension, pid_t thread) {
    return "." + stem + "." + std::to_string(thread) + ".part" + extension;
}

TEST(AppendedFile, GrowsAndIsMadeWhereItIsMissing) {
    const testing::TemporaryFolder folder;
    appendToFile(folder / "a.csv", "one\n");
    appendToFile(folder / "a.csv", "two\n");
    EXPECT_EQ(readFile(folder / "a.csv"), "one\ntwo\n");
    EXPECT_THROW(appendToFile(folder / "missing" / "a.csv", "one\n"), Error);
}

TEST(AppendedFile, IsAsItWasWhereTheDiskIsFull) {
    const testing::TemporaryFolder folder;
    appendToFile(folder / "a.csv", "one\n");
    const testing::FileSizeLimit limit(10);
    try {
        appendToFile(folder / "a.csv", "a row that is too long\n");
        ADD_FAILURE() << "a full disk went unnoticed";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
    }
    EXPECT_EQ(readFile(folder / "a.csv"), "one\n");
}

TEST(AppendedFile, ALinkIsNotFollowed) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "mine.txt", "mine");
    fs::create_symlink(folder / "mine.txt", folder / "a.csv");
    EXPECT_THROW(appendToFile(folder / "a.csv", "one\n"), Error);
    EXPECT_EQ(readFile(folder / "mine.txt"), "mine");
}

TEST(AtomicFile, ALinkUnderTheTemporaryNameIsNotFollowed) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "outside", "mine");
    const fs::path planted = folder / temporaryNameOf("a", ".txt", ::gettid());
    for (const bool byPath : {false, true}) {
        fs::create_symlink(folder / "outside", planted);
        if (byPath)
            writeFileAtomically(folder / "a.txt",
                                [](const fs::path& temporary) { std::ofstream(temporary) << "secret"; });
        else
            writeFileAtomically(folder / "a.txt", "secret");
        EXPECT_EQ(readFile(folder / "outside"), "mine");
        EXPECT_EQ(readFile(folder / "a.txt"), "secret");
        EXPECT_FALSE(fs::is_symlink(folder / "a.txt"));
        EXPECT_FALSE(fs::exists(fs::symlink_status(planted)));
    }
}

pid_t processThatEnded() {
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
}

TEST(AtomicFile, WhatAKilledWriterOfTheFileLeftIsRemoved) {
    const testing::TemporaryFolder folder;
    const pid_t dead = processThatEnded();
    const fs::path left = folder / temporaryNameOf("w", ".safetensors", dead);
    const fs::path ofAnotherFile = folder / temporaryNameOf("v", ".safetensors", dead);
    const fs::path mine = folder / ".w.backup.part.safetensors";
    for (const fs::path& file : {left, ofAnotherFile, mine})
        std::ofstream(file) << "half";
    writeFileAtomically(folder / "w.safetensors",
                        [](const fs::path& temporary) { std::ofstream(temporary) << "whole"; });
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(ofAnotherFile));
    EXPECT_TRUE(fs::exists(mine));
}

TEST(AtomicFile, WhatSomebodyIsWritingStays) {
    const testing::TemporaryFolder folder;
    const fs::path target = folder / "w.safetensors";
    const TemporaryBeside slow(target, TemporaryBeside::Kind::File);
    // As if a process of another container wrote it, whose number means nothing here, a while ago.
    const fs::path elsewhere = folder / temporaryNameOf("w", ".safetensors", processThatEnded());
    fs::rename(slow.path(), elsewhere);
    fs::last_write_time(elsewhere, fs::file_time_type::clock::now() - std::chrono::hours(1));
    removeAbandonedBeside(target);
    EXPECT_TRUE(fs::exists(elsewhere));
}

TEST(AtomicFile, ALeftoverOfANumberThatIsInUseAgainGoesAfterAWhile) {
    const testing::TemporaryFolder folder;
    const fs::path left = folder / temporaryNameOf("w", ".gguf", ::getppid());
    std::ofstream(left) << "half";
    removeAbandonedBeside(folder / "w.gguf");
    EXPECT_TRUE(fs::exists(left)) << "it may be about to be locked";
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(1));
    removeAbandonedBeside(folder / "w.gguf");
    EXPECT_FALSE(fs::exists(left));
}

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

TEST_F(PlainFile, APipeIsNotWaitedForByWhoAppends) {
    const fs::path pipe = m_folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    expectRefused(pipe, "neither a file nor a folder", [&] { appendToFile(pipe, "row"); });
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    expectRefused(pipe, "neither a file nor a folder", [&] { appendToFile(pipe, "row"); });
    ::close(reader);
}

TEST_F(PlainFile, AHeldOneIsReadWhateverTakesItsPlace) {
    writeFileAtomically(m_folder / "file", "looked at");
    const HeldFile held(m_folder / "file", Links::Refuse);
    fs::remove(m_folder / "file");
    fs::create_symlink(m_folder / "outside", m_folder / "file");
    EXPECT_EQ(held.readWith([](const fs::path& same) { return readFile(same); }), "looked at");
    EXPECT_EQ(held.realPath(), fs::canonical(m_folder.path()) / "file") << "where it lay";
    expectRefused(m_folder / "file", "link", [&] { HeldFile(m_folder / "file", Links::Refuse); });
    EXPECT_EQ(HeldFile(m_folder / "file", Links::Follow).realPath(), fs::canonical(m_folder / "outside"));
}

TEST_F(PlainFile, WhatIsSaidOfAHeldOneNamesIt) {
    fs::create_directory(m_folder / "frames");
    const HeldFile held(m_folder / "frames", Links::Refuse);
    expectRefused(m_folder / "frames" / "missing", "no such file",
                  [&] { held.readWith([](const fs::path& same) { readFile(same / "missing"); }); });
}

TEST_F(PlainFile, OfAFolderALinkOutOfItIsRefused) {
    fs::create_directory(m_folder / "frames");
    writeFileAtomically(m_folder / "frames" / "1.png", "one");
    fs::create_symlink("1.png", m_folder / "frames" / "2.png");
    fs::create_symlink(m_folder / "outside", m_folder / "frames" / "3.png");
    const HeldFile frames(m_folder / "frames", Links::Follow);
    EXPECT_TRUE(frames.isFolder());
    const auto read = [](const fs::path& same) { return readFile(same); };
    EXPECT_EQ(HeldFile(frames, "1.png").readWith(read), "one");
    EXPECT_EQ(HeldFile(frames, "2.png").readWith(read), "one");
    expectRefused(m_folder / "frames" / "3.png", "link out of the folder",
                  [&] { HeldFile(frames, "3.png"); });
}

TEST(RenameToFree, NeverReplaces) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "new", "new");
    writeFileAtomically(folder / "old", "old");
    EXPECT_EQ(renameToFree(folder / "new", folder / "old"), EEXIST);
    EXPECT_EQ(readFile(folder / "old"), "old");
    EXPECT_EQ(renameToFree(folder / "new", folder / "free"), 0);
    EXPECT_EQ(readFile(folder / "free"), "new");
    EXPECT_FALSE(fs::exists(folder / "new"));
}

TEST(CopiedContent, IsTheSameAndNoLinkIsWrittenThrough) {
    const testing::TemporaryFolder folder;
    const std::string content(3'000'000, 'x');
    writeFileAtomically(folder / "from", content);
    EXPECT_FALSE(copyContent(folder / "from", folder / "to"));
    EXPECT_TRUE(readFile(folder / "to") == content);
    fs::create_symlink(folder / "to", folder / "link");
    EXPECT_TRUE(copyContent(folder / "from", folder / "link"));
    EXPECT_TRUE(copyContent(folder / "missing", folder / "other"));
    EXPECT_TRUE(copyContent(folder.path(), folder / "other"));
}

TEST(AtomicFile, WhatIsPutInThePlaceOfTheTemporaryIsNotTaken) {
    const testing::TemporaryFolder folder;
    writeFileAtomically(folder / "clip.mp4", "old");
    for (const bool isLink : {false, true}) {
        const auto exchanged = [&](const fs::path& temporary) {
            fs::remove(temporary);
            if (isLink)
                fs::create_symlink(folder / "outside", temporary);
            else
                ASSERT_EQ(::mkfifo(temporary.c_str(), 0600), 0);
        };
        EXPECT_THROW(writeFileAtomically(folder / "clip.mp4", exchanged), Error);
        EXPECT_EQ(readFile(folder / "clip.mp4"), "old");
        EXPECT_EQ(filesIn(folder.path()), 1);
    }
}

TEST(AtomicFile, ANameAsLongAsTheDiskTakesIsWritten) {
    const testing::TemporaryFolder folder;
    for (const std::string& name : {std::string(251, 'n') + ".txt", std::string(255, 'n')}) {
        writeFileAtomically(folder / name, "content");
        EXPECT_EQ(readFile(folder / name), "content");
        fs::remove(folder / name);
    }
    EXPECT_EQ(filesIn(folder.path()), 0);
}

TEST(AtomicFile, ANameThatIsTooLongIsToldAsSuch) {
    const testing::TemporaryFolder folder;
    try {
        writeFileAtomically(folder / std::string(300, 'n'), "content");
        ADD_FAILURE() << "was written";
    } catch (const Error& refusal) {
        EXPECT_EQ(refusal.kind(), ErrorKind::Input);
        EXPECT_THAT(refusal.what(), HasSubstr("Choose a shorter name"));
    }
}

}  // namespace

}  // namespace meshreel
