// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/vae/wan_vae.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/families/inferred_config.h"
#include "engine/tensor/tensor_memory.h"
#include "tests/support/golden_folder.h"
#include "tests/support/locations.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using testing::randomTensor;

constexpr VaePrecision vaeInBf16{.activations = DType::BF16, .weights = DType::BF16};

WanVae loadVae(const GoldenFolder& golden, const VaePrecision& precision = {}, const VaeChunks& chunks = {}) {
    return {WanVaeConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json"),
            Checkpoint::open(golden.file("weights.safetensors")), precision, chunks};
}

WanVae embeddedVae(const VaePrecision& precision = {}, VaeParts parts = VaeParts::Whole) {
    const std::filesystem::path folder = testing::sourceFolder() / "resources/models/tiny-wan-t2v/vae";
    return {WanVaeConfig::fromJson(readJsonObject(folder / "config.json"), "config.json"),
            Checkpoint::open(folder),
            precision,
            {},
            nullptr,
            parts};
}

void expectSameBits(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.shape(), expected.shape());
    EXPECT_TRUE(std::ranges::equal(found.data<float>(), expected.data<float>()));
}

double meanSquare(const Tensor& values) {
    double sum = 0.0;
    for (const float value : values.data<float>())
        sum += static_cast<double>(value) * static_cast<double>(value);
    return sum / static_cast<double>(values.elements());
}

Tensor difference(const Tensor& a, const Tensor& b) {
    Tensor result = a.clone();
    for (std::size_t i = 0; i < result.data<float>().size(); ++i)
        result.data<float>()[i] -= b.data<float>()[i];
    return result;
}

double relativeRms(const Tensor& found, const Tensor& expected) {
    return std::sqrt(meanSquare(difference(found, expected)) / meanSquare(expected));
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

TEST_F(WanVaeTest, EveryIntermediateOfTheGoldenCases) {
    for (const char* name : {"vae_21", "vae_22"}) {
        SCOPED_TRACE(name);
        GoldenFolder golden(name);
        const WanVae vae = loadVae(golden);
        for (const std::string variant : {"a", "b", "c"})
            verify(golden, vae, variant);
        EXPECT_THAT(golden.unchecked(), ::testing::IsEmpty());
    }
}

TEST_F(WanVaeTest, TilesOfWan22AreCountedInPatches) {
    GoldenFolder golden("vae_22_res2");
    const WanVae vae = loadVae(golden);
    verify(golden, vae, "a");
    const VaeTiling tiling{.tileHeight = 48, .tileWidth = 48, .strideHeight = 32, .strideWidth = 32};
    verify(golden, vae, "t", &tiling);
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

struct ChunkedCase {
    const char* golden;
    DType activations;
};

void PrintTo(const ChunkedCase& each, std::ostream* out) {
    *out << each.golden << " " << nameOf(each.activations);
}

class ChunkedVae : public WanVaeTest, public ::testing::WithParamInterface<ChunkedCase> {};

TEST_P(ChunkedVae, HasTheSameBitsWhateverTheChunk) {
    const GoldenFolder golden(GetParam().golden);
    const VaePrecision precision{.activations = GetParam().activations};
    const WanVaeConfig config = loadVae(golden).config();
    const Tensor latents = randomTensor({2, config.zDim, 7, 3, 2}, 1);
    const Tensor video = randomTensor({1, 3, 19, config.isResidual ? 16 : 17, 48}, 2);
    const WanVae single = loadVae(golden, precision);
    const Tensor decoded = single.decode(execution, latents);
    const WanVae::Posterior encoded = single.encode(execution, video);
    for (const std::int64_t chunk : {2, 3, 5, 6, 100, -1}) {
        SCOPED_TRACE(chunk);
        const WanVae vae =
            loadVae(golden, precision, {.decode = chunk, .encode = chunk == -1 ? -1 : 4 * chunk});
        expectSameBits(vae.decode(execution, latents), decoded);
        const WanVae::Posterior posterior = vae.encode(execution, video);
        expectSameBits(posterior.mean, encoded.mean);
        expectSameBits(posterior.logvar, encoded.logvar);
    }
}

INSTANTIATE_TEST_SUITE_P(All, ChunkedVae,
                         ::testing::Values(ChunkedCase{"vae_21_res2", DType::F32},
                                           ChunkedCase{"vae_21_res2", DType::BF16},
                                           ChunkedCase{"vae_22_res2", DType::F32},
                                           ChunkedCase{"vae_22", DType::BF16}),
                         testing::PrintedName());

TEST_F(WanVaeTest, ChunksOfTilesChangeNoBit) {
    const GoldenFolder golden("vae_21_res2");
    const VaeTiling tiling{.tileHeight = 32, .tileWidth = 32, .strideHeight = 24, .strideWidth = 24};
    const Tensor latents = randomTensor({1, 4, 6, 5, 6}, 3);
    const Tensor expected = loadVae(golden).decode(execution, latents, &tiling);
    expectSameBits(loadVae(golden, {}, {.decode = 3}).decode(execution, latents, &tiling), expected);
}

TEST_F(WanVaeTest, SingleFramesHaveOneChunk) {
    const GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden, {}, {.decode = -1, .encode = -1});
    EXPECT_EQ(vae.decode(execution, Tensor::zeros({1, 4, 1, 2, 2})).extent(2), 1);
    EXPECT_EQ(vae.encode(execution, Tensor::zeros({1, 3, 4, 16, 16})).mean.extent(2), 1);
}

TEST_F(WanVaeTest, BFloat16StaysNearTheGoldenCases) {
    constexpr double largestError = 2e-2;
    for (const char* name : {"vae_21", "vae_21_res2", "vae_22", "vae_22_res2"}) {
        const GoldenFolder golden(name);
        const WanVae vae = loadVae(golden, vaeInBf16);
        for (const std::string variant : {"a", "b"}) {
            if (!golden.has(variant + ".in.video"))
                continue;
            SCOPED_TRACE(std::string(name) + " " + variant);
            const Tensor mean = vae.encode(execution, golden.tensor(variant + ".in.video")).mean;
            EXPECT_LE(relativeRms(mean, golden.tensor(variant + ".enc.mean")), largestError);
            const Tensor video = vae.decode(execution, golden.tensor(variant + ".in.z"));
            const double error = relativeRms(video, golden.tensor(variant + ".dec.out"));
            EXPECT_LE(error, largestError);
            EXPECT_GT(error, 1e-4) << "it was not computed in bf16";
        }
    }
}

TEST_F(WanVaeTest, BFloat16FramesLookTheSame) {
    constexpr double smallestPsnr = 35.0;
    constexpr double peakSquared = 4.0;  // pixels lie in [-1, 1]
    const WanVae exact = embeddedVae();
    const Tensor latents = exact.denormalize(randomTensor({1, 16, 4, 6, 9}, 4));
    const Tensor error =
        difference(embeddedVae(vaeInBf16).decode(execution, latents), exact.decode(execution, latents));
    EXPECT_GE(10.0 * std::log10(peakSquared / meanSquare(error)), smallestPsnr);
}

TEST_F(WanVaeTest, BFloat16WeightsAloneRoundTheWeights) {
    const GoldenFolder golden("vae_21");
    const Tensor latents = golden.tensor("a.in.z");
    const Tensor video = loadVae(golden, {.weights = DType::BF16}).decode(execution, latents);
    const double error = relativeRms(video, golden.tensor("a.dec.out"));
    EXPECT_GT(error, 1e-4);
    EXPECT_LT(error,
              relativeRms(loadVae(golden, vaeInBf16).decode(execution, latents), golden.tensor("a.dec.out")));
}

/// Bytes at the most while decoding, the video left out.
double decodePeak(const Execution& execution, const WanVae& vae, const Tensor& latents) {
    const auto meter = std::make_shared<MemoryMeter>();
    const MeterScope scope(meter);
    const Tensor video = vae.decode(execution, latents);
    return static_cast<double>(meter->peak()) - static_cast<double>(video.bytes());
}

TEST_F(WanVaeTest, BFloat16HalvesTheFeatures) {
    const Tensor latents = randomTensor({1, 16, 3, 16, 16}, 5);
    EXPECT_LT(decodePeak(execution, embeddedVae(vaeInBf16), latents),
              0.6 * decodePeak(execution, embeddedVae(), latents));
}

TEST_F(WanVaeTest, DecodingHoldsNoMoreForALongerVideo) {
    const WanVae vae = embeddedVae();
    EXPECT_LT(decodePeak(execution, vae, randomTensor({1, 16, 9, 8, 8}, 6)),
              1.05 * decodePeak(execution, vae, randomTensor({1, 16, 4, 8, 8}, 6)));
}

TEST_F(WanVaeTest, NormalizeAndDenormalizeAreInverse) {
    GoldenFolder golden("vae_21");
    const WanVae vae = loadVae(golden);
    golden.expectNear("a.enc.mean", vae.denormalize(golden.tensor("a.enc.latents_norm")));
    golden.expectNear("a.enc.latents_norm", vae.normalize(golden.tensor("a.enc.mean")));
}

TEST_F(WanVaeTest, TheDecoderAloneTakesItsWeightsOnlyAndDecodesTheSameBits) {
    const WanVae whole = embeddedVae();
    const WanVae decoder = embeddedVae({}, VaeParts::DecoderOnly);
    EXPECT_TRUE(whole.holdsEncoder());
    EXPECT_FALSE(decoder.holdsEncoder());
    EXPECT_LT(decoder.bytes(), whole.bytes());
    const Tensor latents = randomTensor({1, 16, 2, 4, 4}, 7);
    expectSameBits(decoder.decode(execution, latents), whole.decode(execution, latents));
    EXPECT_THROW(static_cast<void>(decoder.encode(execution, Tensor::zeros({1, 3, 1, 16, 16}))), Error);
}

TEST_F(WanVaeTest, ProgressCountsFramesOfTheWholeBatch) {
    GoldenFolder golden("vae_21_res2");
    const WanVae vae = loadVae(golden);
    std::vector<std::pair<int, int>> seen;
    const VaeProgress progress = [&](int done, int total) { seen.emplace_back(done, total); };
    static_cast<void>(vae.decode(execution, golden.tensor("a.in.z"), nullptr, {}, progress));
    EXPECT_THAT(seen, ::testing::ElementsAre(std::pair(1, 10), std::pair(5, 10), std::pair(6, 10),
                                             std::pair(10, 10)));
    seen.clear();
    const WanVae chunked = loadVae(golden, {}, {.decode = 2});
    static_cast<void>(chunked.decode(execution, golden.tensor("b.in.z"), nullptr, {}, progress));
    EXPECT_THAT(seen, ::testing::ElementsAre(std::pair(1, 13), std::pair(9, 13), std::pair(13, 13)));
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

TEST_F(WanVaeTest, Wan22RefusesSizesThatItsShortcutsCannotHalve) {
    const GoldenFolder golden("vae_22");
    const WanVae vae = loadVae(golden);
    EXPECT_EQ(vae.encode(execution, Tensor::zeros({1, 3, 1, 32, 16})).mean.shape(), (Shape{1, 12, 1, 2, 1}));
    for (const Shape& shape :
         {Shape{1, 3, 1, 24, 32}, Shape{1, 3, 1, 32, 34}, Shape{1, 3, 1, 8, 8}, Shape{1, 12, 1, 32, 32}}) {
        try {
            static_cast<void>(vae.encode(execution, Tensor::zeros(shape)));
            ADD_FAILURE() << "encoded " << shape.text();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
        }
    }
    const VaeTiling odd{.tileHeight = 36, .tileWidth = 36, .strideHeight = 32, .strideWidth = 32};
    EXPECT_THROW(static_cast<void>(vae.encode(execution, Tensor::zeros({1, 3, 1, 96, 96}), &odd)), Error);
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

/// A LightVAE as it is downloaded: original names, fewer channels, no config.
TEST_F(WanVaeTest, OfFewerChannelsWithoutAConfigIsOpenedAndMakesUpstreamsNumbers) {
    const GoldenFolder golden("lightvae");
    const testing::TemporaryFolder folder;
    std::filesystem::copy_file(golden.file("weights.safetensors"), folder / "lightvaew2_1.safetensors");
    const Checkpoint checkpoint = Checkpoint::open(folder / "lightvaew2_1.safetensors");
    const WanVaeConfig config = WanVaeConfig::fromJson(configOf(checkpoint), "inferred");
    EXPECT_EQ(config.baseDim, 3);
    const WanVae vae(config, checkpoint);
    for (const std::string variant : {"a", "b"}) {
        const auto io = [&](const std::string& name) { return golden.tensor(variant + name); };
        EXPECT_LE(relativeRms(vae.encode(execution, io(".in.video")).mean, io(".enc.mean")), 1e-5) << variant;
        EXPECT_LE(relativeRms(vae.decode(execution, io(".in.z")), io(".dec.out")), 1e-5) << variant;
    }
}

}  // namespace
}  // namespace meshreel
