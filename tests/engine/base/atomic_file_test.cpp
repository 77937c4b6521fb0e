// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "engine/base/error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {
namespace fs = std::filesystem;

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

}  // namespace
}  // namespace meshreel
