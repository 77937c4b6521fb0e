// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/finish/upscaler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/models/finish/upscaler_tiles.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/locations.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

std::filesystem::path weightsOf(const std::string& goldenCase) {
    return testing::testData() / "golden" / goldenCase / "weights.safetensors";
}

Tensor randomBytes(std::int64_t height, std::int64_t width) {
    const Tensor values = testing::randomTensor({height, width, 3}, 1);
    Tensor bytes = Tensor::empty(values.shape(), DType::U8);
    std::ranges::transform(values.data<float>(), bytes.data<std::uint8_t>().begin(), [](float value) {
        return static_cast<std::uint8_t>(std::clamp(128.0F + 50.0F * value, 0.0F, 255.0F));
    });
    return bytes;
}

class Upscalers : public ::testing::Test {
  protected:
    [[nodiscard]] Execution execution() { return {m_pool, {}}; }

    WorkerPool m_pool{{.workers = 2}};
    testing::TemporaryFolder m_folder;
};

TEST_F(Upscalers, LayoutsAreToldByShapes) {
    const UpscalerLayout four = upscalerLayout(openUpscaler(weightsOf("esrgan_x4")));
    EXPECT_EQ(four.kind, UpscalerKind::Dense);
    EXPECT_EQ(four.scale, 4);
    EXPECT_EQ(four.folded, 1);
    EXPECT_EQ(four.blocks, 2);
    const UpscalerLayout two = upscalerLayout(openUpscaler(weightsOf("esrgan_x2")));
    EXPECT_EQ(two.scale, 2);
    EXPECT_EQ(two.folded, 2);
    const UpscalerLayout compact = upscalerLayout(openUpscaler(weightsOf("srvgg_x4")));
    EXPECT_EQ(compact.kind, UpscalerKind::Compact);
    EXPECT_EQ(compact.scale, 4);
    EXPECT_EQ(compact.blocks, 3);
}

/// The names that 4x-UltraSharp and other networks of the first ESRGAN have.
TEST_F(Upscalers, CountedNamesAreTheSameNetwork) {
    const std::map<std::string, std::string> layers{{"conv_first", "model.0"}, {"conv_body", "model.1.sub.2"},
                                                    {"conv_up1", "model.3"},   {"conv_up2", "model.6"},
                                                    {"conv_hr", "model.8"},    {"conv_last", "model.10"}};
    const SafetensorsFile golden = SafetensorsFile::open(weightsOf("esrgan_x4"));
    std::vector<NamedTensor> tensors;
    for (const std::string& name : golden.names()) {
        const std::size_t dot = name.rfind('.');
        const std::string layer = name.substr(0, dot);
        std::string counted;
        if (layers.contains(layer)) {
            counted = layers.at(layer);
        } else {  // body.I.rdbJ.convK
            counted = "model.1.sub" + layer.substr(4) + ".0";
            counted.replace(counted.find("rdb"), 3, "RDB");
        }
        tensors.emplace_back(counted + name.substr(dot), golden.get(name).clone());
    }
    const std::filesystem::path file = m_folder.path() / "counted.safetensors";
    writeSafetensors(file, tensors);
    const Upscaler later(openUpscaler(weightsOf("esrgan_x4")), {});
    const Upscaler first(openUpscaler(file), {});
    EXPECT_EQ(first.layout().scale, 4);
    const Tensor picture = testing::randomTensor({7, 9, 3}, 2);
    const Tensor one = later.enlarge(execution(), picture);
    const Tensor other = first.enlarge(execution(), picture);
    EXPECT_TRUE(std::ranges::equal(one.data<float>(), other.data<float>()));
}

TEST_F(Upscalers, LayersThatAreNotComputedAreRefused) {
    const SafetensorsFile golden = SafetensorsFile::open(weightsOf("esrgan_x4"));
    std::vector<NamedTensor> tensors;
    for (const std::string& name : golden.names())
        tensors.emplace_back(name, golden.get(name).clone());
    tensors.emplace_back("body.0.rdb1.conv1x1.weight", Tensor::zeros({8, 16, 1, 1}));
    const std::filesystem::path file = m_folder.path() / "plus.safetensors";
    writeSafetensors(file, tensors);
    EXPECT_THROW(static_cast<void>(upscalerLayout(openUpscaler(file))), Error);
    EXPECT_THROW(static_cast<void>(upscalerLayout(openUpscaler(weightsOf("rife_46")))), Error);
}

TEST_F(Upscalers, SharesOfTilesSumUpToOne) {
    for (const std::int64_t extent : {100, 129, 200, 480, 832, 1080}) {
        const TiledSide side(extent, 128);
        EXPECT_LE(side.length(), 128);
        std::vector<float> sums(static_cast<std::size_t>(2 * extent));
        for (std::int64_t tile = 0; tile < side.count(); ++tile) {
            ASSERT_GE(side.begin(tile), 0);
            ASSERT_LE(side.begin(tile) + side.length(), extent);
            const std::vector<float> shares = side.shares(tile, 2);
            for (std::size_t index = 0; index < shares.size(); ++index) {
                ASSERT_GE(shares[index], 0.0F);
                sums[static_cast<std::size_t>(2 * side.begin(tile)) + index] += shares[index];
            }
        }
        for (const float sum : sums)
            ASSERT_NEAR(sum, 1.0F, 1e-6F) << extent;
    }
}

/// The network sees five pixels around each, fewer than tiles have beside where they pass over.
TEST_F(Upscalers, TilesShowNoSeams) {
    const Upscaler upscaler(openUpscaler(weightsOf("srvgg_x4")), {});
    const Tensor picture = randomBytes(150, 210);
    const Tensor whole = enlargeInTiles(execution(), upscaler, picture, {.longest = 210});
    const Tensor tiled = enlargeInTiles(execution(), upscaler, picture, {.longest = 128});
    ASSERT_EQ(whole.shape(), tiled.shape());
    int largest = 0;
    for (std::int64_t index = 0; index < whole.elements(); ++index) {
        const auto place = static_cast<std::size_t>(index);
        largest = std::max(largest, std::abs(static_cast<int>(whole.data<std::uint8_t>()[place]) -
                                             static_cast<int>(tiled.data<std::uint8_t>()[place])));
    }
    EXPECT_LE(largest, 1);
}

TEST_F(Upscalers, LessMemoryMakesSmallerTiles) {
    const UpscalerLayout layout = upscalerLayout(openUpscaler(weightsOf("esrgan_x4")));
    const UpscalingTiles whole = planTiles(layout, 480, 832, std::int64_t{1} << 40);
    EXPECT_EQ(whole.tiles, 1);
    const UpscalingTiles tiled = planTiles(layout, 480, 832, whole.workBytes / 2);
    EXPECT_GT(tiled.tiles, 1);
    EXPECT_LE(tiled.workBytes, whole.workBytes / 2);
    EXPECT_GT(tiled.operations, whole.operations);
}

}  // namespace
}  // namespace meshreel
