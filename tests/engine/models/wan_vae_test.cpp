// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan_vae.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/golden_folder.h"

namespace meshreel {
namespace {

WanVae loadVae(const GoldenFolder& golden) {
    return {WanVaeConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json"),
            Checkpoint::open(golden.file("weights.safetensors"))};
}

class WanVaeTest : public ::testing::Test {
  protected:
    void verify(GoldenFolder& golden, const WanVae& vae, const std::string& variant,
                const VaeTiling* tiling = nullptr) {
        const Probe probe = golden.probe(variant);
        static_cast<void>(vae.encode(execution, golden.tensor(variant + ".in.video"), tiling, probe));
        static_cast<void>(vae.decode(execution, golden.tensor(variant + ".in.z"), tiling, probe));
    }

    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

TEST_F(WanVaeTest, EveryIntermediateOfTheGoldenCase) {
    GoldenFolder golden("vae_21");
    const WanVae vae = loadVae(golden);
    for (const std::string variant : {"a", "b", "c"})
        verify(golden, vae, variant);
    EXPECT_THAT(golden.unchecked(), ::testing::IsEmpty());
}

TEST_F(WanVaeTest, BatchesAndTilesOfTheGoldenCase) {
    GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden);
    verify(golden, vae, "a");
    verify(golden, vae, "b");
    const VaeTiling tiling{.tileHeight = 32, .tileWidth = 32, .strideHeight = 24, .strideWidth = 24};
    verify(golden, vae, "t", &tiling);
    EXPECT_THAT(golden.unchecked(), ::testing::IsEmpty());
}

TEST_F(WanVaeTest, ATileAsLargeAsTheFrameChangesNothing) {
    GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden);
    const VaeTiling tiling;
    verify(golden, vae, "a", &tiling);
    EXPECT_FALSE(golden.unchecked().contains("a.dec.out"));
}

TEST_F(WanVaeTest, FramesFollowTheTemporalFactor) {
    const GoldenFolder golden("vae_21_res2");
    const Checkpoint checkpoint = Checkpoint::open(golden.file("weights.safetensors"));
    nlohmann::json json = readJsonObject(golden.file("config.json"));
    using Levels = std::vector<bool>;
    for (const Levels& levels : {Levels{false, true, true}, Levels{false, false, true},
                                 Levels{false, true, false}, Levels{false, false, false}}) {
        json["temperal_downsample"] = levels;
        const WanVae vae(WanVaeConfig::fromJson(json, "config.json"), checkpoint);
        const std::int64_t factor = vae.config().temporalFactor();
        for (const std::int64_t groups : {0, 1, 3}) {
            const std::int64_t latentFrames = 1 + 4 / factor * groups;
            const Tensor video = vae.decode(execution, Tensor::zeros({1, 4, latentFrames, 2, 3}));
            EXPECT_EQ(video.shape(), (Shape{1, 3, 1 + 4 * groups, 16, 24}));
            EXPECT_EQ(vae.encode(execution, video).mean.shape(), (Shape{1, 4, latentFrames, 2, 3}));
        }
    }
}

TEST_F(WanVaeTest, EarlierFramesDoNotDependOnLaterOnes) {
    GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden);
    const Tensor latents = golden.tensor("b.in.z");
    Tensor changed = latents.clone();
    const std::int64_t framePixels = latents.extent(3) * latents.extent(4);
    for (std::int64_t channel = 0; channel < latents.extent(1); ++channel)
        changed
            .data<float>()[static_cast<std::size_t>((channel + 1) * latents.extent(2) * framePixels - 1)] +=
            1.0F;
    const Tensor before = vae.decode(execution, latents);
    const Tensor after = vae.decode(execution, changed);
    const std::int64_t videoPixels = before.extent(3) * before.extent(4);
    const auto firstFrames = static_cast<std::size_t>((before.extent(2) - 4) * videoPixels);
    EXPECT_TRUE(
        std::ranges::equal(before.data<float>().first(firstFrames), after.data<float>().first(firstFrames)));
    EXPECT_FALSE(std::ranges::equal(before.data<float>(), after.data<float>()));
}

TEST_F(WanVaeTest, NormalizeAndDenormalizeAreInverse) {
    GoldenFolder golden("vae_21");
    const WanVae vae = loadVae(golden);
    golden.expectNear("a.enc.mean", vae.denormalize(golden.tensor("a.enc.latents_norm")));
    golden.expectNear("a.enc.latents_norm", vae.normalize(golden.tensor("a.enc.mean")));
}

TEST_F(WanVaeTest, ProgressCountsChunksOfTheWholeBatch) {
    GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden);
    std::vector<std::pair<int, int>> seen;
    const VaeProgress progress = [&](int done, int total) { seen.emplace_back(done, total); };
    static_cast<void>(vae.decode(execution, golden.tensor("a.in.z"), nullptr, {}, progress));
    EXPECT_THAT(seen,
                ::testing::ElementsAre(std::pair(1, 4), std::pair(2, 4), std::pair(3, 4), std::pair(4, 4)));
}

TEST_F(WanVaeTest, StopsWithinAChunk) {
    GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden);
    StopSource stop;
    const Execution stoppable{pool, stop.get_token()};
    const VaeProgress progress = [&](int, int) { stop.request_stop(); };
    try {
        static_cast<void>(vae.decode(stoppable, golden.tensor("b.in.z"), nullptr, {}, progress));
        FAIL() << "the decode ran to its end";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

TEST_F(WanVaeTest, RefusesShapesThatItCannotRun) {
    GoldenFolder golden("vae_21");
    const WanVae vae = loadVae(golden);
    EXPECT_THROW(static_cast<void>(vae.decode(execution, Tensor::zeros({1, 12, 1, 2, 2}))), Error);
    EXPECT_THROW(static_cast<void>(vae.decode(execution, Tensor::zeros({16, 1, 2, 2}))), Error);
    EXPECT_THROW(static_cast<void>(vae.encode(execution, Tensor::zeros({1, 4, 1, 16, 16}))), Error);
    EXPECT_THROW(static_cast<void>(vae.encode(execution, Tensor::zeros({1, 3, 1, 4, 16}))), Error);
    const VaeTiling gaps{.tileHeight = 32, .tileWidth = 32, .strideHeight = 40, .strideWidth = 24};
    EXPECT_THROW(static_cast<void>(vae.decode(execution, Tensor::zeros({1, 16, 1, 8, 8}), &gaps)), Error);
}

TEST_F(WanVaeTest, AConfigThatDisagreesWithTheWeightsNamesTheTensor) {
    const GoldenFolder golden("vae_21");
    const Checkpoint checkpoint = Checkpoint::open(golden.file("weights.safetensors"));
    const std::vector<std::pair<const char*, const char*>> disagreements = {
        {R"({"base_dim": 8})", "encoder.conv_in.weight"},
        {R"({"in_channels": 4})", "encoder.conv_in.weight"},
        {R"({"z_dim": 2, "latents_mean": [0, 0], "latents_std": [1, 1]})", "encoder.conv_out.weight"},
        {R"({"num_res_blocks": 2})", "encoder.down_blocks.1"}};
    for (const auto& [change, tensor] : disagreements) {
        nlohmann::json json = readJsonObject(golden.file("config.json"));
        json.update(nlohmann::json::parse(change));
        const WanVaeConfig config = WanVaeConfig::fromJson(json, "config.json");
        try {
            const WanVae vae(config, checkpoint);
            FAIL() << "loaded with " << change;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_THAT(error.what(), ::testing::HasSubstr(tensor));
        }
    }
}

}  // namespace
}  // namespace meshreel
