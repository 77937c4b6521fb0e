// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/packed_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "engine/base/error.h"
#include "engine/weights/cache/fingerprint.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::vector<std::byte> randomBytes(std::size_t count, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<std::byte> bytes(count);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(generator() & 0xFFU); });
    return bytes;
}

class PackedWeightStoreTest : public ::testing::Test {
  protected:
    PackedWeightStore open(const std::string& key = "model A") {
        return {cache, key, [this](const std::string& text) { warnings.push_back(text); }};
    }

    void fill(const std::string& key = "model A") {
        PackedWeightStore store = open(key);
        EXPECT_FALSE(store.hit());
        for (std::uint32_t i = 0; i < sizes.size(); ++i) {
            EXPECT_FALSE(store.find(nameOfTensor(i)));
            store.put(nameOfTensor(i), "blocked 16x64", randomBytes(sizes[i], i));
        }
        store.finish();
    }

    /// Tensors that come back as they were put.
    std::size_t intact(PackedWeightStore& store) {
        std::size_t count = 0;
        for (std::uint32_t i = 0; i < sizes.size(); ++i) {
            const std::optional<StoredTensor> form = store.find(nameOfTensor(i));
            if (!form)
                continue;
            EXPECT_EQ(form->format, "blocked 16x64");
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(form->bytes.raw()) % 64, 0U);
            const std::vector<std::byte> expected = randomBytes(sizes[i], i);
            EXPECT_TRUE(std::ranges::equal(std::span(form->bytes.raw(), form->bytes.bytes()), expected));
            ++count;
        }
        return count;
    }

    void overwrite(std::uint64_t offset, char value) {
        std::fstream file(cache.fileOf("model A"), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(offset));
        file.put(value);
    }

    static std::string nameOfTensor(std::uint32_t index) { return "blocks." + std::to_string(index) + ".q"; }

    std::vector<std::size_t> sizes = {1, 4096, 70'000, 0, 12'345};
    testing::TemporaryFolder temporary;
    CacheFolder cache{temporary / "weights", ".packed", 1 << 20};
    std::vector<std::string> warnings;
};

TEST_F(PackedWeightStoreTest, GivesBackWhatWasPut) {
    fill();
    PackedWeightStore store = open();
    EXPECT_TRUE(store.hit());
    EXPECT_EQ(intact(store), sizes.size());
    EXPECT_FALSE(store.find("another"));
    EXPECT_TRUE(warnings.empty());
    EXPECT_NO_THROW(PackedWeightsFile::open(cache.fileOf("model A"))->verify());
}

TEST_F(PackedWeightStoreTest, AnotherKeyIsAnotherModel) {
    fill();
    EXPECT_FALSE(open("model B").hit());
    // Even under the same name, should two keys ever share one.
    fs::copy_file(cache.fileOf("model A"), cache.fileOf("model C"));
    EXPECT_FALSE(open("model C").hit());
    EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr(cache.fileOf("model C").string())));
}

TEST_F(PackedWeightStoreTest, UnfinishedLeavesNothing) {
    {
        PackedWeightStore store = open();
        store.put("a", "f", randomBytes(100, 1));
    }
    EXPECT_TRUE(cache.entries().empty());
    EXPECT_FALSE(open().hit());
    for (const auto& entry : fs::directory_iterator(cache.path()))
        EXPECT_EQ(entry.path().filename(), ".lock");
}

TEST_F(PackedWeightStoreTest, ADamagedTensorIsFoundAndTheFileMadeAgain) {
    fill();
    overwrite(2 * 4096 + 7, 'x');  // in the second tensor: the first data begin at one page
    {
        PackedWeightStore store = open();
        EXPECT_TRUE(store.hit());
        EXPECT_TRUE(store.find(nameOfTensor(0)));
        EXPECT_FALSE(store.find(nameOfTensor(1)));
        EXPECT_FALSE(store.find(nameOfTensor(2))) << "nothing more is taken from a damaged file";
        store.finish();
    }
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], HasSubstr("'blocks.1.q'"));
    fill();
    PackedWeightStore store = open();
    EXPECT_EQ(intact(store), sizes.size());
}

TEST_F(PackedWeightStoreTest, EveryDamagedByteOfPrefixAndDirectoryIsFound) {
    fill();
    const fs::path file = cache.fileOf("model A");
    std::string original(fs::file_size(file), '\0');
    std::ifstream(file, std::ios::binary)
        .read(original.data(), static_cast<std::streamsize>(original.size()));
    const std::size_t directory = original.find("{\"key\"");
    ASSERT_NE(directory, std::string::npos);
    std::vector<std::size_t> offsets;
    for (std::size_t offset = 0; offset < 40; ++offset)
        offsets.push_back(offset);
    for (std::size_t offset = directory; offset < original.size(); offset += 13)
        offsets.push_back(offset);
    for (const std::size_t offset : offsets) {
        std::string damaged = original;
        damaged[offset] = static_cast<char>(damaged[offset] ^ 0x20);
        std::ofstream(file, std::ios::binary)
            .write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
        EXPECT_THROW(static_cast<void>(PackedWeightsFile::open(file)), Error) << "byte " << offset;
    }
}

TEST_F(PackedWeightStoreTest, ATruncatedFileIsFound) {
    fill();
    const fs::path file = cache.fileOf("model A");
    const std::uintmax_t size = fs::file_size(file);
    for (const std::uintmax_t length : {size - 1, size / 2, std::uintmax_t{39}, std::uintmax_t{0}}) {
        fs::resize_file(file, length);
        EXPECT_THROW(static_cast<void>(PackedWeightsFile::open(file)), Error) << length << " bytes";
    }
    EXPECT_FALSE(open().hit());
    EXPECT_FALSE(warnings.empty());
    fs::remove(file);
    fill();
}

TEST_F(PackedWeightStoreTest, OnlyOneOfManyWritersWrites) {
    std::vector<std::thread> writers;
    std::vector<std::unique_ptr<PackedWeightStore>> stores;
    for (int i = 0; i < 4; ++i)
        stores.push_back(std::make_unique<PackedWeightStore>(cache, "model A", [](const std::string&) {}));
    for (auto& store : stores)
        writers.emplace_back([&] {
            for (std::uint32_t i = 0; i < sizes.size(); ++i)
                store->put(nameOfTensor(i), "blocked 16x64", randomBytes(sizes[i], i));
            store->finish();
        });
    for (std::thread& writer : writers)
        writer.join();
    EXPECT_EQ(cache.entries().size(), 1U);
    PackedWeightStore store = open();
    EXPECT_EQ(intact(store), sizes.size());
}

TEST_F(PackedWeightStoreTest, MoreThanTheLimitIsNotKept) {
    PackedWeightStore store = open();
    store.put("a", "f", randomBytes(600'000, 1));
    store.put("b", "f", randomBytes(600'000, 2));
    store.put("c", "f", randomBytes(10, 3));
    store.finish();
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(cache.entries().empty());
}

TEST_F(PackedWeightStoreTest, AFullDiskStopsNothing) {
    {
        const testing::FileSizeLimit full(50'000);
        fill();
    }
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], HasSubstr(std::strerror(EFBIG)));
    EXPECT_TRUE(cache.entries().empty());
    EXPECT_FALSE(open().hit());
}

TEST(CheckpointIdentity, ChangesWithTheFile) {
    const testing::TemporaryFolder folder;
    const fs::path file = folder / "model.safetensors";
    const auto write = [&](float value, const char* name) {
        writeSafetensors(file, std::vector<NamedTensor>{{name, Tensor::from<float>({1}, {value})}});
    };
    const auto identity = [&] { return checkpointIdentity(Checkpoint::open(file)).dump(); };
    write(1, "a");
    const std::string first = identity();
    EXPECT_EQ(identity(), first);
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
    const std::string touched = identity();
    EXPECT_NE(touched, first);
    const auto time = fs::last_write_time(file);
    write(1, "b");  // the same size and time: only the header differs
    fs::last_write_time(file, time);
    EXPECT_NE(identity(), touched);
}

}  // namespace
}  // namespace meshreel
