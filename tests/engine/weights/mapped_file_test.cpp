// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// Resident pages of files mapped by this process, in bytes.
std::size_t residentFileBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "RssFile:") {
            std::size_t kibibytes = 0;
            status >> kibibytes;
            return kibibytes * 1024;
        }
    return 0;
}

std::uint64_t sumOf(std::span<const std::byte> bytes) {
    return std::accumulate(
        bytes.begin(), bytes.end(), std::uint64_t{0},
        [](std::uint64_t sum, std::byte value) { return sum + std::to_integer<std::uint64_t>(value); });
}

TEST(MappedFile, ReleasedPagesLeaveTheProcessAndReadTheSameAgain) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "data";
    std::vector<char> content(16 * mebibyte);
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i % 251);
    std::ofstream(file, std::ios::binary).write(content.data(), 16 * mebibyte);

    const auto map = MappedFile::open(file);
    map->prefetch(map->bytes());
    const std::uint64_t sum = sumOf(map->bytes());
    const std::size_t read = residentFileBytes();
    // Not at page boundaries, as tensors lie.
    const std::span<const std::byte> middle = map->bytes().subspan(100, 14 * mebibyte);
    map->release(middle);
    EXPECT_LT(residentFileBytes() + 13 * mebibyte, read);
    EXPECT_EQ(sumOf(map->bytes()), sum);
    EXPECT_GT(residentFileBytes() + mebibyte, read);
}

TEST(MappedFile, CutShortItReadsAsZerosAndIsTold) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "data";
    const std::string content(2 * mebibyte, 'x');
    std::ofstream(file, std::ios::binary) << content;
    {
        const auto map = MappedFile::open(file);
        EXPECT_NO_THROW(throwIfPagesWereLost());
        EXPECT_EQ(map->bytes().back(), std::byte{'x'});
        std::filesystem::resize_file(file, mebibyte);
        EXPECT_EQ(map->bytes().back(), std::byte{0});
        EXPECT_EQ(map->bytes().front(), std::byte{'x'});
        try {
            throwIfPagesWereLost();
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_EQ(error.where(), file.string());
        }
        // Grown again, it is told all the same: zeros were read.
        std::filesystem::resize_file(file, 2 * mebibyte);
        EXPECT_THROW(throwIfPagesWereLost(), Error);
    }
    EXPECT_NO_THROW(throwIfPagesWereLost()) << "nobody uses it any more";
}

using MappedFileDeathTest = ::testing::Test;

TEST(MappedFileDeathTest, OtherBusErrorsEndTheProcess) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "data", std::ios::binary) << "x";
    const auto map = MappedFile::open(folder / "data");
    EXPECT_EXIT(::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

TEST(MappedFile, APipeIsRefusedWithoutWaitingForItsOtherEnd) {
    const testing::TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(MappedFile::open(folder / "pipe"), Error);
}

TEST(MappedFile, AdviceOnLessThanAPageIsHarmless) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "data") << "few bytes";
    const auto map = MappedFile::open(folder / "data");
    map->prefetch(map->bytes());
    map->release(map->bytes());
    map->release({});
    EXPECT_EQ(map->bytes()[0], std::byte{'f'});
}

}  // namespace
}  // namespace meshreel
