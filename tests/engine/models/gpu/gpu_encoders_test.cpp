// SPDX-License-Identifier: GPL-3.0-or-later
// The text and image encoders on a GPU.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/attention/attention_plan.h"
#include "engine/kernels/attention/local_attention.h"
#include "engine/kernels/prepare_kernels.h"
#include "engine/models/encoders/clip_vision.h"
#include "engine/models/encoders/umt5.h"
#include "engine/models/probe.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/golden_folder.h"
#include "tests/support/random_tensor.h"
#include "tests/support/random_umt5.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuEncoders : public testing::GpuWorkTest {
  protected:
    [[nodiscard]] Execution onGpu(StopToken stop = {}) {
        return {pool, std::move(stop), nullptr, work.get()};
    }

    /// Relative to the largest value.
    static double difference(const Tensor& one, const Tensor& other) {
        EXPECT_EQ(one.shape(), other.shape());
        double largest = 0.0;
        double apart = 0.0;
        for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
            const auto value = static_cast<double>(other.data<float>()[i]);
            largest = std::max(largest, std::abs(value));
            const double distance = std::abs(static_cast<double>(one.data<float>()[i]) - value);
            if (distance > apart || std::isnan(distance))
                apart = distance;
        }
        return apart / largest;
    }

    /// Bytes that `compute` holds of the GPU's memory at most.
    template <typename Compute>
    [[nodiscard]] double held(Compute compute) const {
        work->memory().beginStage();
        EXPECT_EQ(work->memory().used(), 0U);
        compute();
        EXPECT_EQ(work->memory().used(), 0U) << "an encoder keeps something";
        return static_cast<double>(work->memory().peak());
    }

    static void expectAsPlanned(double held, std::size_t planned) {
        EXPECT_LE(held, 1.02 * static_cast<double>(planned));  // tensors begin at multiples of 256 bytes
        EXPECT_GE(held, 0.9 * static_cast<double>(planned));
    }

    WorkerPool pool{{.workers = 2}};
    Execution onCpu{pool, {}};
};

constexpr double f32Error = 1e-4;  // of results of several layers, relative to the largest value

TEST_F(GpuEncoders, AttentionWithABiasOfDistancesAndAMaskIsTheCpus) {
    const auto heads = [](std::int64_t tokens, std::uint32_t seed) {
        return HeadTensor{testing::randomTensor({2, tokens, 3, 8}, seed)};
    };
    const HeadTensor query = heads(21, 1);
    const HeadTensor key = heads(40, 2);
    const HeadTensor value = heads(40, 3);
    const Tensor bias = testing::randomTensor({3, 60}, 4);
    std::vector<std::uint8_t> keyMask(80, 1);
    for (std::size_t i = 0; i < keyMask.size(); i += 3)
        keyMask[i] = 0;
    std::fill(keyMask.begin() + 40, keyMask.end(), std::uint8_t{0});  // the second element keeps no key
    const auto attended = [&](const Execution& execution, Memory* memory) {
        const auto there = [&](const HeadTensor& tensor) { return HeadTensor{tensor.data.in(memory)}; };
        HeadTensor out{Tensor::empty({2, 21, 3, 8}, DType::F32, memory)};
        attend(execution, densePlan(),
               {.query = there(query),
                .key = there(key),
                .value = there(value),
                .keyMask = keyMask.data(),
                .keyMaskStride = 40,
                .bias = bias.data<float>(),
                .scale = 0.7},
               out);
        return out.data.host();
    };
    const Tensor expected = attended(onCpu, nullptr);
    prepareKernels(&work->memory(), {.heads = {{.headDim = 8}}});
    const Tensor found = attended(onGpu(), &work->memory());
    EXPECT_LT(difference(found, expected), 1e-5);
    EXPECT_EQ(found.data<float>().back(), 0.0F);
}

class GpuUmt5 : public GpuEncoders {
  protected:
    [[nodiscard]] Umt5Encoder encoder(Arithmetic arithmetic, Memory* memory) const {
        return {Umt5Config::fromJson(readJsonObject(golden.file("config.json")), "config.json"),
                Checkpoint::open(golden.file("weights.safetensors")), arithmetic, memory};
    }

    static Umt5Input promptOf(std::int64_t length, std::int64_t seed) {
        std::vector<std::int64_t> ids;
        for (std::int64_t i = 0; i < length; ++i)
            ids.push_back((seed + 7 * i) % 50);
        return {Tensor::from<std::int64_t>({1, length}, ids), Tensor()};
    }

    GoldenFolder golden{"umt5"};
    const Umt5Config small{.vocabSize = 50, .dModel = 96, .dKv = 16, .dFf = 256, .layers = 2, .heads = 6};
};

TEST_F(GpuUmt5, EveryIntermediateOfTheGoldenCase) {
    const Umt5Encoder onDevice = encoder(Arithmetic::F32, &work->memory());
    for (const std::string variant : {"a", "b", "c"}) {
        const std::string maskName = variant + ".in.attention_mask";
        const Tensor mask = golden.has(maskName) ? golden.tensor(maskName) : Tensor();
        const Tensor hidden =
            onDevice.encode(onGpu(), golden.tensor(variant + ".in.input_ids"), mask, golden.probe(variant));
        if (golden.has(variant + ".prompt_embeds"))
            golden.expectNear(variant + ".prompt_embeds", maskPadding(hidden, mask));
    }
    EXPECT_THAT(golden.unchecked(), ::testing::UnorderedElementsAre("bucket.rel_pos", "bucket.index"));
}

TEST_F(GpuUmt5, BFloat16IsAsNearAsTheCpus) {
    const Tensor ids = golden.tensor("a.in.input_ids");
    const Tensor exact = encoder(Arithmetic::F32, nullptr).encode(onCpu, ids, Tensor());
    const double cpu = difference(encoder(Arithmetic::BF16, nullptr).encode(onCpu, ids, Tensor()), exact);
    const double gpuError =
        difference(encoder(Arithmetic::BF16, &work->memory()).encode(onGpu(), ids, Tensor()), exact);
    EXPECT_LT(gpuError, 1.5 * cpu);
    EXPECT_GT(gpuError, f32Error) << "it was not computed in bf16";
}

TEST_F(GpuUmt5, PromptsTogetherHaveTheBitsOfEachAloneAndThePlannedMemory) {
    const std::vector<Umt5Input> prompts{promptOf(33, 1), promptOf(5, 4), promptOf(18, 9)};
    const std::vector<std::int64_t> lengths{33, 5, 18};
    for (const DType stored : {DType::F32, DType::BF16})
        for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16}) {
            SCOPED_TRACE(std::string(nameOf(stored)) + " multiplied as " + std::string(nameOf(arithmetic)));
            const testing::RandomUmt5 model(small, stored, 5);
            EXPECT_EQ(Umt5Encoder::storedType(small, model.checkpoint()), stored);
            const Umt5Encoder cpu(small, model.checkpoint(), arithmetic);
            const Umt5Encoder device(small, model.checkpoint(), arithmetic, &work->memory());
            std::vector<Tensor> together;
            const double most = held([&] { together = device.encode(onGpu(), prompts); });
            expectAsPlanned(most, Umt5Encoder::gpuBytes(small, stored, arithmetic, lengths));
            const std::vector<Tensor> expected = cpu.encode(onCpu, prompts);
            for (std::size_t i = 0; i < prompts.size(); ++i) {
                const Tensor alone = device.encode(onGpu(), prompts[i].ids, Tensor());
                EXPECT_EQ(std::memcmp(alone.raw(), together[i].raw(), alone.bytes()), 0);
                EXPECT_LT(difference(alone, expected[i]), arithmetic == Arithmetic::F32 ? f32Error : 0.03);
            }
        }
}

TEST_F(GpuUmt5, ANaNIsToldWithItsBlock) {
    const testing::RandomUmt5 model(small, DType::F32, 5);
    const testing::TemporaryFolder folder;
    std::vector<NamedTensor> tensors;
    const Checkpoint right = model.checkpoint();
    for (const std::string& name : right.names()) {
        Tensor values = right.get(name).clone();
        if (name == "encoder.block.1.layer.1.DenseReluDense.wo.weight")
            values.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
        tensors.emplace_back(name, std::move(values));
    }
    writeSafetensors(folder / "model.safetensors", tensors);
    const Umt5Encoder poisoned(small, Checkpoint::open(folder / "model.safetensors"), Arithmetic::F32,
                               &work->memory());
    try {
        static_cast<void>(poisoned.encode(onGpu(), promptOf(5, 1).ids, Tensor()));
        FAIL() << "NaN went on";
    } catch (const NonFiniteError& error) {
        EXPECT_EQ(error.place(), "text encoder block 1");
    }
    EXPECT_EQ(work->memory().used(), 0U);
}

TEST_F(GpuUmt5, StopsWhenAsked) {
    StopSource source;
    source.request_stop();
    try {
        static_cast<void>(encoder(Arithmetic::F32, &work->memory())
                              .encode(onGpu(source.get_token()), golden.tensor("a.in.input_ids"), Tensor()));
        FAIL() << "went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
}

class GpuClipVision : public GpuEncoders {
  protected:
    [[nodiscard]] ClipVisionEncoder encoder(Arithmetic arithmetic, Memory* memory) const {
        return {config, Checkpoint::open(golden.file("weights.safetensors")), arithmetic, memory};
    }

    GoldenFolder golden{"clip_vision"};
    ClipVisionConfig config =
        ClipVisionConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
};

TEST_F(GpuClipVision, EveryIntermediateOfTheGoldenCase) {
    const ClipVisionEncoder onDevice = encoder(Arithmetic::F32, &work->memory());
    for (const std::string variant : {"a", "b", "c"})
        golden.expectNear(
            variant + ".penultimate",
            onDevice.encode(onGpu(), golden.tensor(variant + ".hf_pixel_values"), golden.probe(variant)));
}

TEST_F(GpuClipVision, SeveralImagesAreAsTheCpusInThePlannedMemory) {
    const Tensor one = golden.tensor("a.hf_pixel_values");
    const Tensor two = golden.tensor("b.hf_pixel_values");
    Tensor both = Tensor::empty({2, 3, config.imageSize, config.imageSize});
    std::ranges::copy(two.data<float>(),
                      std::ranges::copy(one.data<float>(), both.data<float>().begin()).out);
    const Tensor exact = encoder(Arithmetic::F32, nullptr).encode(onCpu, both);
    const Tensor rounded = encoder(Arithmetic::BF16, nullptr).encode(onCpu, both);
    for (Activation* activation : {geluErf, geluQuick}) {
        config.activation = activation;
        const Tensor expected = encoder(Arithmetic::F32, nullptr).encode(onCpu, both);
        Tensor found;
        const double most =
            held([&] { found = encoder(Arithmetic::F32, &work->memory()).encode(onGpu(), both); });
        EXPECT_LT(difference(found, expected), f32Error);
        expectAsPlanned(most, ClipVisionEncoder::gpuBytes(config, DType::F32, Arithmetic::F32, 2));
    }
    config.activation = geluErf;
    Tensor found;
    const double most =
        held([&] { found = encoder(Arithmetic::BF16, &work->memory()).encode(onGpu(), both); });
    const double error = difference(found, exact);
    EXPECT_LT(error, 1.5 * difference(rounded, exact));
    EXPECT_GT(error, f32Error);
    expectAsPlanned(most, ClipVisionEncoder::gpuBytes(config, DType::F32, Arithmetic::BF16, 2));
}

}  // namespace
}  // namespace meshreel
