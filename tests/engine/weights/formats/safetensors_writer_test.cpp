// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/formats/safetensors_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <numeric>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

TEST(SafetensorsStream, WritesTheBytesOfTheWriterThatHoldsAll) {
    const testing::TemporaryFolder folder;
    Tensor values = Tensor::empty({3, 5});
    std::iota(values.data<float>().begin(), values.data<float>().end(), -7.0F);
    Tensor brains = Tensor::empty({15}, DType::BF16);
    std::ranges::transform(values.data<float>(), brains.data<BFloat16>().begin(), toBFloat16);
    writeSafetensors(folder / "whole", std::vector<NamedTensor>{{"b", brains}, {"a", values}, {"c", values}},
                     {{"format", "pt"}});
    const std::vector<TensorSpec> specs{
        {"b", DType::BF16, {15}}, {"a", DType::F32, {3, 5}}, {"c", DType::F32, {3, 5}}};
    streamSafetensors(folder / "streamed", specs,
                      [](std::size_t, std::int64_t first, std::span<float> piece) {
                          std::iota(piece.begin(), piece.end(), static_cast<float>(first) - 7.0F);
                      },
                      {{"format", "pt"}});
    EXPECT_EQ(readFile(folder / "streamed"), readFile(folder / "whole"));
}

TEST(SafetensorsStream, TensorsLargerThanAPieceAreWhole) {
    const testing::TemporaryFolder folder;
    const std::vector<TensorSpec> specs{{"large", DType::F16, {5000, 1000}}};
    streamSafetensors(folder / "file", specs, [](std::size_t, std::int64_t first, std::span<float> piece) {
        for (std::size_t i = 0; i < piece.size(); ++i)
            piece[i] = static_cast<float>((first + static_cast<std::int64_t>(i)) % 2048);
    });
    const Tensor large = SafetensorsFile::open(folder / "file").get("large").toF32();
    const auto values = large.data<float>();
    for (std::size_t i = 0; i < values.size(); i += 997)
        ASSERT_EQ(values[i], static_cast<float>(i % 2048)) << i;
    EXPECT_EQ(values.back(), static_cast<float>((values.size() - 1) % 2048));
}

TEST(SafetensorsStream, HolesTakeNoDisk) {
    const testing::TemporaryFolder folder;
    const std::vector<TensorSpec> specs{{"huge", DType::F32, {1 << 15, 1 << 15}}};
    streamSafetensors(folder / "file", specs, {});
    struct stat status {};
    ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
    EXPECT_GT(status.st_size, std::int64_t{1} << 32);
    EXPECT_LT(status.st_blocks * 512, 1 << 20);
    const Tensor huge = SafetensorsFile::open(folder / "file").get("huge");
    EXPECT_EQ(huge.data<float>().back(), 0.0F);
}

TEST(SafetensorsStream, AFailingFillerLeavesNothing) {
    const testing::TemporaryFolder folder;
    const std::vector<TensorSpec> specs{{"a", DType::F32, {3}}};
    EXPECT_THROW(streamSafetensors(folder / "file", specs,
                                   [](std::size_t, std::int64_t, std::span<float>) {
                                       throw Error(ErrorKind::Cancelled, "stopped");
                                   }),
                 Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace meshreel
