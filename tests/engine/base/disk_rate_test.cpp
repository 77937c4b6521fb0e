// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/disk_rate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

TEST(DiskRate, IsThatOfAFileOrNotKnown) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder / "weights";
    std::ofstream(file) << std::string(std::size_t{17} << 20, 'w');
    // Some file systems do not read past the cache.
    if (const std::optional<double> rate = measureDiskRate(file)) {
        EXPECT_GT(*rate, 1e5);
        EXPECT_LT(*rate, 1e12);
    }
    std::filesystem::resize_file(file, 1000);
    EXPECT_FALSE(measureDiskRate(file)) << "too small";
}

TEST(DiskRate, IsNotTakenFromHolesOrFolders) {
    const testing::TemporaryFolder folder;
    const std::filesystem::path file = folder / "sparse";
    std::ofstream(file).close();
    std::filesystem::resize_file(file, std::uintmax_t{64} << 20);
    EXPECT_FALSE(measureDiskRate(file));
    EXPECT_FALSE(measureDiskRate(folder.path()));
    EXPECT_FALSE(measureDiskRate(folder / "nothing"));
}

}  // namespace
}  // namespace meshreel
