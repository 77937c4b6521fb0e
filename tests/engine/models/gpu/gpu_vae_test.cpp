// SPDX-License-Identifier: GPL-3.0-or-later
// VAEs in a GPU's memory.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "engine/gpu/gpu_work.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/vae/wan_vae.h"
#include "tests/support/golden_folder.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuVae : public testing::GpuWorkTest {
  protected:
    /// On the GPU.
    [[nodiscard]] LoneDevice& onGpu() {
        if (!m_onGpu)
            m_onGpu.emplace(Execution{pool, {}, nullptr, work.get()});
        return *m_onGpu;
    }

    [[nodiscard]] static WanVae open(const GoldenFolder& golden, Memory* memory,
                                     const VaePrecision& precision = {}, const VaeChunks& chunks = {}) {
        return {WanVaeConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json"),
                Checkpoint::open(golden.file("weights.safetensors")), precision, chunks, memory};
    }

    [[nodiscard]] static WanVae embedded(Memory* memory) {
        const std::filesystem::path folder = testing::sourceFolder() / "resources/models/tiny-wan-t2v/vae";
        return {WanVaeConfig::fromJson(readJsonObject(folder / "config.json"), "config.json"),
                Checkpoint::open(folder),
                {},
                {},
                memory};
    }

    /// Of few features: for what depends on no weights.
    [[nodiscard]] static WanVae small(Memory* memory) { return open(GoldenFolder("vae_21"), memory); }

    static double rms(const Tensor& one, const Tensor& other) {
        double sum = 0.0;
        for (std::size_t i = 0; i < one.data<float>().size(); ++i)
            sum += std::pow(
                static_cast<double>(one.data<float>()[i]) - static_cast<double>(other.data<float>()[i]), 2);
        return std::sqrt(sum);
    }

    WorkerPool pool{{.workers = 2}};
    LoneDevice onCpu{{pool, {}}};

  private:
    std::optional<LoneDevice> m_onGpu;
};

TEST_F(GpuVae, EveryIntermediateOfTheGoldenCases) {
    for (const std::string name : {"vae_21", "vae_22"}) {
        SCOPED_TRACE(name);
        GoldenFolder golden(name);
        const WanVae vae = open(golden, &work->memory());
        const Execution& execution = onGpu().device().execution();
        const Probe probe = golden.probe("a");
        static_cast<void>(vae.encode(execution, golden.tensor("a.in.video"), nullptr, probe));
        static_cast<void>(vae.decode(execution, golden.tensor("a.in.z"), nullptr, probe));
    }
    EXPECT_GT(work->memory().peak(), 0U);
}

TEST_F(GpuVae, ChunksOfAnySizeHaveTheSameBits) {
    for (const std::string name : {"vae_21", "vae_22"}) {
        SCOPED_TRACE(name);
        const GoldenFolder golden(name);
        const auto decoded = [&](std::int64_t chunk) {
            return open(golden, &work->memory(), {}, {.decode = chunk})
                .decode(onGpu().device().execution(), golden.tensor("a.in.z"));
        };
        const Tensor one = decoded(1);
        const Tensor all = decoded(-1);
        EXPECT_EQ(std::memcmp(one.raw(), all.raw(), one.bytes()), 0);
    }
}

TEST_F(GpuVae, BFloat16IsAsNearAsTheCpus) {
    constexpr VaePrecision narrow{.activations = DType::BF16, .weights = DType::BF16};
    const GoldenFolder golden("vae_21");
    const Tensor latents = golden.tensor("a.in.z");
    const Tensor exact = open(golden, nullptr).decode(onCpu.device().execution(), latents);
    const Tensor cpu = open(golden, nullptr, narrow).decode(onCpu.device().execution(), latents);
    const Tensor found = open(golden, &work->memory(), narrow).decode(onGpu().device().execution(), latents);
    EXPECT_LT(rms(found, exact), 1.5 * rms(cpu, exact));
    EXPECT_GT(rms(found, exact), 0.0);
}

TEST_F(GpuVae, FramesAreBytesThatTheGpuMakes) {
    const Tensor latents = testing::randomTensor({2, 16, 2, 2, 3}, 1);
    const Tensor cpu = embedded(nullptr).decodeFrames(onCpu.device(), 1, latents);
    std::vector<std::int64_t> told;
    const Tensor found =
        embedded(&work->memory())
            .decodeFrames(onGpu().device(), 1, latents,
                          {.chunk = [&](const VaeChunk& chunk) { told.push_back(chunk.first); }});
    ASSERT_EQ(found.shape(), cpu.shape());
    EXPECT_EQ(told.size(), 4U);
    int largest = 0;
    for (std::size_t i = 0; i < cpu.data<std::uint8_t>().size(); ++i)
        largest = std::max(largest,
                           std::abs(int{found.data<std::uint8_t>()[i]} - int{cpu.data<std::uint8_t>()[i]}));
    EXPECT_LE(largest, 1);
    EXPECT_GT(std::ranges::max(cpu.data<std::uint8_t>()), 32);
}

TEST_F(GpuVae, SmallDecodersOfBothVaes) {
    for (const std::string name : {"taehv", "taehv_22"}) {
        SCOPED_TRACE(name);
        GoldenFolder golden(name);
        const Tensor latents = golden.tensor("a.in.z");
        const Probe probe = golden.probe("a");
        static_cast<void>(
            open(golden, &work->memory()).decode(onGpu().device().execution(), latents, nullptr, probe));
    }
}

TEST_F(GpuVae, ANaNIsToldWithItsChunk) {
    Tensor latents = testing::randomTensor({1, 16, 3, 2, 2}, 1);
    for (std::int64_t channel = 0; channel < 16; ++channel)
        latents.data<float>()[static_cast<std::size_t>(channel * 12 + 9)] =
            std::numeric_limits<float>::quiet_NaN();
    const WanVae vae = small(&work->memory());
    try {
        static_cast<void>(vae.decodeFrames(onGpu().device(), 1, latents));
        FAIL();
    } catch (const NonFiniteError& found) {
        EXPECT_THAT(found.what(), ::testing::HasSubstr("chunk 3 of 3"));
    }
}

TEST_F(GpuVae, TheGpuStandsStillOnceAChunk) {
    const WanVae vae = small(&work->memory());
    const auto decode = [&](std::int64_t frames) {
        const std::int64_t before = work->stream().standstills();
        static_cast<void>(
            vae.decodeFrames(onGpu().device(), 1, testing::randomTensor({1, 16, frames, 2, 2}, 1)));
        return work->stream().standstills() - before;
    };
    EXPECT_EQ(decode(1), 1);
    EXPECT_EQ(decode(3), 3);
}

TEST_F(GpuVae, DecodingHoldsNoMoreForALongerVideo) {
    const WanVae vae = small(&work->memory());
    const auto peakOf = [&](std::int64_t frames) {
        work->memory().beginStage();
        static_cast<void>(
            vae.decodeFrames(onGpu().device(), 1, testing::randomTensor({1, 16, frames, 2, 2}, 1)));
        return work->memory().peak();
    };
    const std::size_t three = peakOf(3);
    EXPECT_EQ(peakOf(4), three);
    EXPECT_LE(work->memory().used(), vae.bytes() + vae.bytes() / 8);
}

TEST_F(GpuVae, StripsInTurnHaveTheSameBits) {
    for (const std::string name : {"vae_21", "vae_22"}) {
        SCOPED_TRACE(name);
        const GoldenFolder golden(name);
        const WanVaeConfig config =
            WanVaeConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
        const std::int64_t frames = config.isResidual ? 1 : 2;
        const Tensor latents =
            testing::randomTensor({1, config.zDim, frames, 1, 2 * config.decodeReach() + 4}, 1);
        const auto decoded = [&](std::int64_t strips) {
            return open(golden, &work->memory(), {}, {.stripsInTurn = strips})
                .decodeFrames(onGpu().device(), 1, latents);
        };
        const Tensor whole = decoded(1);
        const Tensor cut = decoded(2);
        ASSERT_EQ(cut.shape(), whole.shape());
        EXPECT_EQ(std::memcmp(cut.raw(), whole.raw(), whole.bytes()), 0);
    }
}

TEST_F(GpuVae, ACancelledDecodeLeavesTheGpuUsable) {
    StopSource source;
    LoneDevice lone(Execution{pool, source.get_token(), nullptr, work.get()});
    const WanVae vae = small(&work->memory());
    const Tensor latents = testing::randomTensor({1, 16, 3, 2, 2}, 1);
    int chunks = 0;
    EXPECT_THROW(static_cast<void>(vae.decodeFrames(lone.device(), 1, latents,
                                                    {.chunk =
                                                         [&](const VaeChunk&) {
                                                             ++chunks;
                                                             source.request_stop();
                                                         }})),
                 Error);
    EXPECT_EQ(chunks, 1);
    EXPECT_NO_THROW(static_cast<void>(vae.decodeFrames(onGpu().device(), 1, latents)));
}

}  // namespace
}  // namespace meshreel
