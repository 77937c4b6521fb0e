// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json_file.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/vae/video_frames.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/models/vae/wan_vae_strips.h"
#include "engine/tensor/tensor_memory.h"
#include "engine/tensor/tensor_operations.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/locations.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_vae.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using testing::randomTensor;
using testing::randomVae;

// Sums over other blocks of pixels may end in other last bits.
constexpr double tolerance = 1e-5;

WanVae wholeVae() {
    const std::filesystem::path folder = testing::sourceFolder() / "resources/models/tiny-wan-t2v/vae";
    return {WanVaeConfig::fromJson(readJsonObject(folder / "config.json"), "config.json"),
            Checkpoint::open(folder)};
}

/// Two levels, so that frames of a few pixels have several latents.
WanVaeConfig smallVae() {
    return {.baseDim = 4,
            .decoderBaseDim = 4,
            .zDim = 2,
            .dimMult = {1, 2},
            .numResBlocks = 1,
            .temporalDownsample = {true},
            .latentsMean = {0.0F, 0.0F},
            .latentsStd = {1.0F, 1.0F}};
}

void expectNear(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.shape(), expected.shape());
    double error = 0.0;
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i) {
        ASSERT_TRUE(std::isfinite(found.data<float>()[i])) << "at " << i;
        error = std::max(error, std::abs(static_cast<double>(found.data<float>()[i]) -
                                         static_cast<double>(expected.data<float>()[i])));
    }
    EXPECT_LE(error, tolerance);
}

void onMesh(int devices, const std::function<void(Device&)>& program, const StopToken& stop = {}) {
    DeviceMesh mesh({.layout = MeshLayout({.context = devices}), .workersPerDevice = 1});
    mesh.run(stop, nullptr, program);
}

/// What each device gets.
std::vector<Tensor> decodeOnMesh(const WanVae& vae, int devices, int vaeSpatial, const Tensor& latents) {
    std::vector<Tensor> videos(static_cast<std::size_t>(devices));
    onMesh(devices, [&](Device& device) {
        videos[static_cast<std::size_t>(device.index())] = vae.decode(device, vaeSpatial, latents);
    });
    return videos;
}

std::vector<WanVae::Posterior> encodeOnMesh(const WanVae& vae, int devices, int vaeSpatial,
                                            const Tensor& video) {
    std::vector<WanVae::Posterior> posteriors(static_cast<std::size_t>(devices));
    onMesh(devices, [&](Device& device) {
        posteriors[static_cast<std::size_t>(device.index())] = vae.encode(device, vaeSpatial, video);
    });
    return posteriors;
}

class WanVaeMeshTest : public ::testing::Test {
  protected:
    void expectDecodesAsOneDevice(const WanVae& vae, int devices, int vaeSpatial, const Tensor& latents) {
        const std::vector<Tensor> videos = decodeOnMesh(vae, devices, vaeSpatial, latents);
        expectNear(videos.front(), vae.decode(execution, latents));
        for (std::size_t other = 1; other < videos.size(); ++other)
            EXPECT_EQ(videos[other].elements(), 0);
    }

    /// The bytes of what the same mesh decodes as numbers.
    void expectFramesOfItsPixels(const WanVae& vae, int devices, int vaeSpatial, const Tensor& latents) {
        const Tensor expected = toFrames(execution, decodeOnMesh(vae, devices, vaeSpatial, latents).front());
        std::vector<Tensor> frames(static_cast<std::size_t>(devices));
        std::map<std::int64_t, std::int64_t> told;
        std::vector<VaeChunk> chunks;
        onMesh(devices, [&](Device& device) {
            VaeEvents events;
            if (device.isFirst())
                events.chunk = [&](const VaeChunk& chunk) {
                    std::int64_t& toldOfSample = told[chunk.sample];
                    EXPECT_EQ(chunk.first, toldOfSample);
                    toldOfSample += chunk.result.extent(0);
                    chunks.push_back(chunk);
                };
            frames[static_cast<std::size_t>(device.index())] =
                vae.decodeFrames(device, vaeSpatial, latents, events);
        });
        ASSERT_EQ(frames.front().shape(), expected.shape());
        ASSERT_EQ(std::ssize(told), expected.extent(0)) << "of every sample";
        for (const VaeChunk& chunk : chunks) {
            EXPECT_EQ(told[chunk.sample], expected.extent(1));
            const Tensor sample =
                expected.slice(chunk.sample, chunk.sample + 1)
                    .reshaped({expected.extent(1), expected.extent(2), expected.extent(3), 3});
            const Tensor same = sample.slice(chunk.first, chunk.first + chunk.result.extent(0));
            EXPECT_TRUE(std::ranges::equal(chunk.result.data<std::uint8_t>(), same.data<std::uint8_t>()));
        }
        EXPECT_TRUE(std::ranges::equal(frames.front().data<std::uint8_t>(), expected.data<std::uint8_t>()));
        for (std::size_t other = 1; other < frames.size(); ++other)
            EXPECT_EQ(frames[other].elements(), 0);
    }

    void expectEncodesAsOneDevice(const WanVae& vae, int devices, int vaeSpatial, const Tensor& video) {
        const WanVae::Posterior expected = vae.encode(execution, video);
        for (const WanVae::Posterior& found : encodeOnMesh(vae, devices, vaeSpatial, video)) {
            expectNear(found.mean, expected.mean);
            expectNear(found.logvar, expected.logvar);
        }
    }

    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
};

class StripCounts : public WanVaeMeshTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(OfAFrame, StripCounts, ::testing::Values(1, 2, 3, 4, 8), testing::PrintedName());

TEST_P(StripCounts, DecodeAsOneDevice) {
    // Five latent columns: no strip count above one divides them, and eight strips are more than there are.
    expectDecodesAsOneDevice(wholeVae(), GetParam(), -1, randomTensor({1, 16, 4, 3, 5}, 1));
}

TEST_P(StripCounts, EncodeAsOneDevice) {
    // 5 latents and 4 pixel columns that are too few for another.
    expectEncodesAsOneDevice(wholeVae(), GetParam(), -1, randomTensor({1, 3, 10, 17, 44}, 2));
}

TEST_P(StripCounts, GroupsShareABatch) {
    const WanVae vae = randomVae(smallVae(), 3);
    const int strips = GetParam();
    for (const int groups : {2, 3}) {
        expectDecodesAsOneDevice(vae, strips * groups, strips, randomTensor({5, 2, 3, 3, 7}, 4));
        expectEncodesAsOneDevice(vae, strips * groups, strips, randomTensor({2, 3, 5, 7, 15}, 5));
    }
}

TEST_F(WanVaeMeshTest, RandomModelsOfRandomSizes) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 generator(seed);
        const auto choose = [&](int from, int to) {
            return std::uniform_int_distribution(from, to)(generator);
        };
        WanVaeConfig config = smallVae();
        config.dimMult.assign(static_cast<std::size_t>(choose(1, 3)), 1);
        config.temporalDownsample.assign(config.dimMult.size() - 1, false);
        config.isResidual = choose(0, 1) == 1;
        config.patchSize = choose(1, 2);
        config.inChannels = config.outChannels = 3 * config.patchSize * config.patchSize;
        for (std::int64_t& multiple : config.dimMult)
            multiple = choose(1, config.isResidual ? 2 : 3);
        for (std::size_t level = 0; level < config.temporalDownsample.size(); ++level)
            config.temporalDownsample[level] = choose(0, 1) == 1;
        config.numResBlocks = choose(1, 2);
        config.baseDim = config.decoderBaseDim = 2 * choose(1, 4);
        const WanVae vae = randomVae(config, seed);
        const int strips = choose(1, 5);
        const int devices = strips * choose(1, 2);
        const int batch = choose(1, 3);
        const Tensor latents = randomTensor({batch, 2, choose(1, 4), choose(1, 5), choose(1, 9)}, seed);
        expectDecodesAsOneDevice(vae, devices, strips, latents);
        expectFramesOfItsPixels(vae, devices, strips, latents);
        const int smallest = static_cast<int>(config.spatialFactor());
        const auto step = static_cast<int>(config.isResidual ? smallest : config.patchSize);
        expectEncodesAsOneDevice(
            vae, devices, strips,
            randomTensor({batch, 3, choose(1, 10), choose(smallest, 4 * smallest) / step * step,
                          choose(smallest, 9 * smallest + 3) / step * step},
                         seed));
    }
}

TEST_F(WanVaeMeshTest, ASmallDecoderInChunksStripsAndBFloat16) {
    const std::filesystem::path folder = testing::testData() / "golden" / "taehv_22";
    const WanVaeConfig config = WanVaeConfig::fromJson(readJsonObject(folder / "config.json"), "config.json");
    const Checkpoint checkpoint = Checkpoint::open(folder / "weights.safetensors");
    const Tensor latents = randomTensor({2, 12, 4, 3, 5}, 1);
    const WanVae vae(config, checkpoint);
    const Tensor whole = vae.decode(execution, latents);
    EXPECT_EQ(whole.shape(), (Shape{2, 3, 13, 48, 80}));
    for (const std::int64_t chunk : {2, -1}) {
        const WanVae chunked(config, checkpoint, {}, {.decode = chunk});
        EXPECT_TRUE(std::ranges::equal(chunked.decode(execution, latents).data<float>(), whole.data<float>()))
            << "the same bits";
    }
    for (const int devices : {2, 3, 8})
        expectDecodesAsOneDevice(vae, devices, -1, latents);
    expectFramesOfItsPixels(vae, 6, 3, latents);

    const WanVae rounded(config, checkpoint, {.activations = DType::BF16});
    double error = 0;
    const Tensor rough = rounded.decode(execution, latents);
    for (std::size_t i = 0; i < whole.data<float>().size(); ++i)
        error += std::abs(static_cast<double>(rough.data<float>()[i]) -
                          static_cast<double>(whole.data<float>()[i]));
    EXPECT_LE(error / static_cast<double>(whole.elements()), 0.02);
    EXPECT_THROW(static_cast<void>(vae.encode(execution, randomTensor({1, 3, 1, 32, 32}, 2))), Error);
}

TEST_F(WanVaeMeshTest, ChunksOfAnySizeAndBFloat16) {
    const WanVaeConfig config = smallVae();
    const testing::TemporaryFolder folder;
    writeSafetensors(folder / "vae.safetensors", testing::RandomVaeWeights(config, 7).tensors());
    const Checkpoint checkpoint = Checkpoint::open(folder / "vae.safetensors");
    const Tensor latents = randomTensor({1, 2, 6, 3, 7}, 8);
    const WanVae chunked(config, checkpoint, {}, {.decode = 2, .encode = 8});
    expectDecodesAsOneDevice(chunked, 3, 3, latents);
    expectEncodesAsOneDevice(chunked, 3, 3, randomTensor({1, 3, 22, 6, 15}, 9));

    const WanVae rounded(config, checkpoint, {.activations = DType::BF16}, {.decode = -1});
    const Tensor expected = rounded.decode(execution, latents);
    const Tensor found = decodeOnMesh(rounded, 3, 3, latents).front();
    ASSERT_EQ(found.shape(), expected.shape());
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
        ASSERT_NEAR(found.data<float>()[i], expected.data<float>()[i], 2e-2) << "at " << i;
}

TEST_F(WanVaeMeshTest, PixelsMoveByOneLevelAtMost) {
    const WanVae vae = wholeVae();
    const Tensor latents = vae.denormalize(randomTensor({1, 16, 2, 4, 9}, 6));
    const auto level = [](float value) {
        return static_cast<int>(std::clamp(value / 2.0F + 0.5F, 0.0F, 1.0F) * 255.0F);
    };
    const Tensor expected = vae.decode(execution, latents);
    const Tensor found = decodeOnMesh(vae, 4, 4, latents).front();
    for (std::size_t i = 0; i < expected.data<float>().size(); ++i)
        ASSERT_NEAR(level(found.data<float>()[i]), level(expected.data<float>()[i]), 1) << "at " << i;
}

/// Peaks of the devices' tensors, weights and the input left out.
std::vector<double> peaks(int devices, const std::function<Tensor(Device&)>& program) {
    std::vector<double> bytes(static_cast<std::size_t>(devices));
    onMesh(devices, [&](Device& device) {
        const auto meter = std::make_shared<MemoryMeter>();
        const MeterScope scope(meter);
        const Tensor result = program(device);
        bytes[static_cast<std::size_t>(device.index())] =
            static_cast<double>(meter->peak()) - static_cast<double>(result.bytes());
    });
    return bytes;
}

TEST_F(WanVaeMeshTest, ADeviceHoldsTheActivationsOfItsStrip) {
    const WanVae vae = wholeVae();
    const Tensor latents = randomTensor({1, 16, 3, 4, 48}, 7);
    const auto decode = [&](Device& device) { return vae.decode(device, -1, latents); };
    const double wholeDecode = peaks(1, decode).front();
    EXPECT_THAT(peaks(4, decode), ::testing::Each(::testing::Lt(0.3 * wholeDecode)));

    const Tensor video = randomTensor({1, 3, 9, 32, 384}, 8);
    const auto encode = [&](Device& device) { return vae.encode(device, -1, video).mean; };
    const double wholeEncode = peaks(1, encode).front();
    EXPECT_THAT(peaks(4, encode), ::testing::Each(::testing::Lt(0.3 * wholeEncode)));
}

TEST_F(WanVaeMeshTest, ProgressCountsTheFramesOfTheBusiestGroup) {
    const WanVae vae = randomVae(smallVae(), 9);
    const Tensor latents = randomTensor({3, 2, 2, 2, 1}, 10);
    std::vector<std::vector<std::pair<int, int>>> seen(4);
    onMesh(4, [&](Device& device) {
        auto& own = seen[static_cast<std::size_t>(device.index())];
        static_cast<void>(vae.decode(
            device, 2, latents, {.progress = [&](int done, int total) { own.emplace_back(done, total); }}));
    });
    EXPECT_THAT(seen, ::testing::Each(::testing::ElementsAre(std::pair(1, 6), std::pair(3, 6),
                                                             std::pair(4, 6), std::pair(6, 6))));
}

TEST_F(WanVaeMeshTest, ChunksOfTheFirstSampleAreToldAsTheyComeToBe) {
    const Tensor latents = randomTensor({2, 2, 6, 2, 3}, 13);
    for (const std::int64_t together : {1L, 2L, -1L})
        for (const int vaeSpatial : {-1, 1, 2}) {
            SCOPED_TRACE(::testing::Message() << together << " together, " << vaeSpatial << " strips");
            const WanVae vae = randomVae(smallVae(), 9, {.decode = together});
            std::vector<Tensor> chunks;
            std::int64_t frames = 0;
            std::vector<std::int64_t> framesAtProgress;
            Tensor video;
            onMesh(2, [&](Device& device) {
                VaeEvents events;
                if (device.isFirst()) {
                    events.progress = [&](int, int) { framesAtProgress.push_back(frames); };
                    events.chunk = [&](const VaeChunk& chunk) {
                        if (chunk.sample != 0)
                            return;
                        EXPECT_EQ(chunk.first, frames);
                        frames += chunk.result.extent(2);
                        chunks.push_back(chunk.result);
                    };
                }
                Tensor own = vae.decode(device, vaeSpatial, latents, events);
                if (device.isFirst())
                    video = own;
            });
            ASSERT_EQ(std::ssize(chunks), together == 1 ? 6 : together == 2 ? 4 : 2);
            EXPECT_EQ(framesAtProgress.front(), 1) << "the chunk is told before it counts as done";
            const Tensor told = joined(chunks, 2);
            const Tensor first = video.slice(0, 1);
            ASSERT_EQ(told.shape(), first.shape());
            EXPECT_TRUE(std::ranges::equal(told.data<float>(), first.data<float>()));
        }
}

TEST_F(WanVaeMeshTest, StopsAndFailuresEndAllDevices) {
    const WanVae vae = randomVae(smallVae(), 11);
    const Tensor latents = randomTensor({1, 2, 64, 8, 8}, 12);
    StopSource source;
    std::atomic<int> finished = 0;
    try {
        onMesh(
            3,
            [&](Device& device) {
                static_cast<void>(
                    vae.decode(device, -1, latents, {.progress = [&](int, int) { source.request_stop(); }}));
                ++finished;
            },
            source.get_token());
        FAIL() << "the decode ran to its end";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(finished, 0);

    try {
        onMesh(3, [&](Device& device) {
            static_cast<void>(vae.decode(device, -1, latents, {.progress = [&](int done, int) {
                                             if (device.index() == 1 && done == 3)
                                                 throw Error(ErrorKind::Resources, "no memory left");
                                         }}));
            ++finished;
        });
        FAIL() << "the decode ran to its end";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resources);
    }
    EXPECT_EQ(finished, 0);
}

TEST(VaeMesh, CutsEveryFrameAndSharesEverySample) {
    for (int groups = 1; groups <= 3; ++groups)
        for (int strips = 1; strips <= 5; ++strips) {
            const VaeMesh mesh(groups * strips, strips);
            EXPECT_EQ(mesh.groups(), groups);
            for (std::int64_t latents = 1; latents <= 12; ++latents) {
                const std::int64_t widest = (latents + strips - 1) / strips;
                for (int group = 0; group < groups; ++group) {
                    std::int64_t end = 0;
                    for (int strip = 0; strip < strips; ++strip) {
                        const ShardRange columns = mesh.columns(group * strips + strip, latents);
                        EXPECT_EQ(columns.begin, end);
                        EXPECT_EQ(columns.size() > 0, strip < mesh.workingStrips(latents));
                        EXPECT_LE(columns.size(), widest);
                        end = columns.end;
                    }
                    EXPECT_EQ(end, latents);
                }
            }
            for (std::int64_t batch = 1; batch <= 7; ++batch) {
                std::vector<std::int64_t> samples;
                for (int group = 0; group < groups; ++group)
                    for (std::int64_t round = 0; round < mesh.rounds(batch); ++round)
                        if (const auto sample = mesh.sample(group * strips, batch, round))
                            samples.push_back(*sample);
                EXPECT_EQ(std::ssize(samples), batch);
                for (std::size_t i = 0; i < samples.size(); ++i)
                    EXPECT_EQ(samples[i], static_cast<std::int64_t>(i));
            }
        }
}

TEST(VaeMesh, AllDevicesAreStripsUnlessAskedOtherwise) {
    EXPECT_EQ(VaeMesh(6, -1).strips(), 6);
    EXPECT_EQ(VaeMesh(6, -1).groups(), 1);
    EXPECT_EQ(VaeMesh(6, 2).groups(), 3);
}

TEST(VaeMesh, RefusesStripsThatDoNotDivideTheDevices) {
    for (const int vaeSpatial : {4, 12, 0, -2}) {
        try {
            static_cast<void>(VaeMesh(6, vaeSpatial));
            FAIL() << vaeSpatial << " strips of 6 devices";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Project);
            EXPECT_EQ(error.where(), "vae_spatial");
        }
    }
}

}  // namespace
}  // namespace meshreel
