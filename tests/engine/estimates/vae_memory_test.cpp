// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/estimates/vae_memory.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "engine/tensor/tensor_memory.h"
#include "tests/support/printed_name.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_vae.h"

namespace meshreel {
namespace {

using testing::randomTensor;

constexpr std::int64_t side = 64;

WanVaeConfig configOf(bool isResidual) {
    WanVaeConfig config{.baseDim = 16,
                        .decoderBaseDim = 16,
                        .zDim = 4,
                        .dimMult = {1, 2, 4, 4},
                        .numResBlocks = 2,
                        .temporalDownsample = {false, true, true},
                        .latentsMean = {0.0F, 0.0F, 0.0F, 0.0F},
                        .latentsStd = {1.0F, 1.0F, 1.0F, 1.0F}};
    if (isResidual) {
        config.inChannels = config.outChannels = 12;
        config.decoderBaseDim = 24;
        config.patchSize = 2;
        config.isResidual = true;
    }
    return config;
}

class VaeMemory : public ::testing::TestWithParam<bool> {
  protected:
    /// Bytes of tensors at the most while `work` runs, its result left out.
    template <typename Work>
    static double peak(Work work) {
        const auto meter = std::make_shared<MemoryMeter>();
        const MeterScope scope(meter);
        const Tensor result = work();
        return static_cast<double>(meter->peak()) - static_cast<double>(result.bytes());
    }

    /// Never much below what is held, nor so far above that plans which fit would be refused.
    static void expectEstimate(double elements, double measured) {
        const double estimate = elements * sizeof(float);
        EXPECT_LE(measured, 1.1 * estimate);
        EXPECT_GE(measured, 0.6 * estimate);
    }

    WorkerPool pool{{.workers = 2}};
    Execution execution{pool, {}};
    WanVaeConfig config = configOf(GetParam());
};

INSTANTIATE_TEST_SUITE_P(OfBothVaes, VaeMemory, ::testing::Bool(), testing::PrintedName());

WanVae chunkedVae(const WanVaeConfig& config, const VaeChunks& chunks) {
    const testing::TemporaryFolder folder;
    writeSafetensors(folder / "vae.safetensors", testing::RandomVaeWeights(config, 1).tensors());
    return {config, Checkpoint::open(folder / "vae.safetensors"), {}, chunks};
}

TEST_P(VaeMemory, DecodingHoldsWhatIsPlanned) {
    const std::int64_t latents = side / config.spatialFactor();
    for (const std::int64_t chunk : {1, 3}) {
        SCOPED_TRACE(chunk);
        const WanVae vae = chunkedVae(config, {.decode = chunk});
        const Tensor source = randomTensor({1, config.zDim, 7, latents, latents}, 2);
        constexpr double copies = 2;  // of the chunk's pixels, which are no features
        const double pixels = copies * static_cast<double>(3 * chunk * config.temporalFactor() * side * side);
        expectEstimate(vaeDecodeElements(config, side * side, chunk) + pixels,
                       peak([&] { return vae.decode(execution, source); }));
    }
}

TEST_P(VaeMemory, EncodingHoldsWhatIsPlanned) {
    for (const std::int64_t chunk : {4, 12}) {
        SCOPED_TRACE(chunk);
        const WanVae vae = chunkedVae(config, {.encode = chunk});
        const Tensor video = randomTensor({1, 3, 25, side, side}, 3);
        const double copy = static_cast<double>(video.bytes());  // as features
        expectEstimate(vaeEncodeElements(config, side * side, chunk),
                       peak([&] { return vae.encode(execution, video).mean; }) - copy);
    }
}

}  // namespace
}  // namespace meshreel
