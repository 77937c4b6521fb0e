// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/run_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

std::string wholeOf(const WebStream& stream) {
    std::string all;
    while (const std::optional<std::string> piece = stream())
        all += *piece;
    return all;
}

TEST(RunArchive, IsUnpackedByTar) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path run = folder / "20261130-run";
    const std::filesystem::path deep = run / "inputs" / std::string(90, 'd') / std::string(90, 'n');
    std::filesystem::create_directories(deep.parent_path());
    const std::string large(200001, 'x');
    writeFileAtomically(run / "empty", "");
    writeFileAtomically(run / "video.mp4", large);
    writeFileAtomically(deep, std::string(512, 'y'));
    writeFileAtomically(run / ".lock", "hidden");
    std::filesystem::create_symlink("/etc/passwd", run / "link");
    const std::string archive = wholeOf(archiveOf(run));
    EXPECT_EQ(archive.size() % 512, 0U);
    writeFileAtomically(folder / "run.tar", archive);
    const std::filesystem::path out = folder / "out";
    std::filesystem::create_directory(out);
    const std::string command = "tar -xf '" + (folder / "run.tar").string() + "' -C '" + out.string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(readFile(out / "20261130-run" / "video.mp4"), large);
    EXPECT_EQ(readFile(out / "20261130-run" / "empty"), "");
    EXPECT_EQ(readFile(out / deep.lexically_relative(folder.path())), std::string(512, 'y'));
    EXPECT_FALSE(std::filesystem::exists(out / "20261130-run" / ".lock"));
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(out / "20261130-run" / "link")));
}

TEST(RunArchive, AFileThatGetsShorterCutsIt) {
    const testing::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "run");
    writeFileAtomically(folder / "run" / "video", std::string(200000, 'x'));
    const WebStream stream = archiveOf(folder / "run");
    ASSERT_TRUE(stream());  // its header
    std::filesystem::resize_file(folder / "run" / "video", 10);
    ASSERT_TRUE(stream());
    EXPECT_THROW(stream(), Error);
}

TEST(RunArchive, NamesHaveTheRoomThatTarHas) {
    EXPECT_EQ(tarHeader("run/video.mp4", 5, 0).size(), 512U);
    EXPECT_EQ(tarHeader(std::string(150, 'a') + '/' + std::string(100, 'b'), 5, 0).substr(345, 150),
              std::string(150, 'a'));
    EXPECT_THROW(tarHeader(std::string(101, 'a'), 5, 0), Error);
    EXPECT_THROW(tarHeader(std::string(160, 'a') + '/' + std::string(100, 'b'), 5, 0), Error);
    EXPECT_THROW(tarHeader("a", std::uint64_t{1} << 33, 0), Error);
    EXPECT_THROW(archiveOf("/no/such/folder"), Error);
}

}  // namespace
}  // namespace meshreel
