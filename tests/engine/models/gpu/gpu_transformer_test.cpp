// SPDX-License-Identifier: GPL-3.0-or-later
// The transformer with its blocks on a GPU.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

#include "engine/attention/context_split.h"
#include "engine/gpu/gpu_work.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/wan/wan_transformer.h"
#include "tests/support/golden_folder.h"
#include "tests/support/golden_wan.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

class GpuTransformer : public testing::GpuTest {
  protected:
    void SetUp() override {
        testing::GpuTest::SetUp();
        if (!gpu)
            return;
        work.emplace(std::make_shared<const Gpu>(library, id));
        onGpu.emplace(Execution{pool, {}, nullptr, &*work});
    }

    [[nodiscard]] WanTransformer model(const AttentionSettings& attention, Memory* memory,
                                       const WanPrecision& precision = {},
                                       std::optional<std::int64_t> residentLayers = {}) const {
        return {config,
                Checkpoint::open(golden.file("weights.safetensors")),
                planAttentions(attention, config),
                {},
                precision,
                nullptr,
                residentLayers,
                memory};
    }

    [[nodiscard]] Tensor run(LoneDevice& lone, const WanTransformer& transformer, const std::string& variant,
                             const Probe& probe = {}) const {
        return transformer.forward(lone.device(), testing::goldenInputs(golden, variant),
                                   testing::goldenConditions(golden, variant), probe);
    }

    /// Relative to the largest value.
    static double difference(const Tensor& one, const Tensor& other) {
        double largest = 0.0;
        double apart = 0.0;
        for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
            const auto value = static_cast<double>(other.data<float>()[i]);
            largest = std::max(largest, std::abs(value));
            apart = std::max(apart, std::abs(static_cast<double>(one.data<float>()[i]) - value));
        }
        return apart / largest;
    }

    const AttentionSettings flash{.mode = findAttentionMode("flash")};
    GoldenFolder golden{"dit_t2v"};
    WanTransformerConfig config =
        WanTransformerConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
    WorkerPool pool{{.workers = 2}};
    LoneDevice onCpu{{pool, {}}};
    std::optional<GpuWork> work;
    std::optional<LoneDevice> onGpu;
};

TEST_F(GpuTransformer, EveryIntermediateOfTheGoldenCase) {
    const WanTransformer transformer = model(flash, &work->memory());
    for (const std::string variant : {"a", "b", "c"})
        golden.expectNear(variant + ".out", run(*onGpu, transformer, variant, golden.probe(variant)));
    EXPECT_THAT(golden.unchecked(), ::testing::IsEmpty());
}

TEST_F(GpuTransformer, EveryModeOfOneDevice) {
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode, .ulyssesShards = mode.hybrid() ? 1 : -1};
        if (mode.kernel == AttentionKernel::CustomFixedM ||
            !attentionProblems(settings, {}, {}, 1, 1).empty())
            continue;
        SCOPED_TRACE(mode.name);
        golden.expectNear("b.out", run(*onGpu, model(settings, &work->memory()), "b"));
    }
}

TEST_F(GpuTransformer, BFloat16IsAsNearAsTheCpus) {
    const WanPrecision narrow{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const Tensor exact = run(onCpu, model(flash, nullptr), "b");
    const double cpu = difference(run(onCpu, model(flash, nullptr, narrow), "b"), exact);
    const double gpuError = difference(run(*onGpu, model(flash, &work->memory(), narrow), "b"), exact);
    EXPECT_LT(gpuError, 1.5 * cpu);
    EXPECT_GT(gpuError, 0.0);
}

TEST_F(GpuTransformer, StreamedLayersMakeTheSameBitsInLessMemory) {
    const auto peakWith = [&](std::optional<std::int64_t> resident, Tensor& out) {
        GpuWork own(std::make_shared<const Gpu>(library, id));
        LoneDevice lone(Execution{pool, {}, nullptr, &own});
        {
            const WanTransformer transformer = model(flash, &own.memory(), {}, resident);
            out = run(lone, transformer, "b");
        }
        EXPECT_EQ(own.memory().used(), 0U);
        return own.memory().peak();
    };
    Tensor kept;
    Tensor streamed;
    const std::size_t whole = peakWith({}, kept);
    const std::size_t part = peakWith(0, streamed);
    EXPECT_EQ(std::memcmp(kept.raw(), streamed.raw(), kept.bytes()), 0);
    EXPECT_LT(part, whole);
}

TEST_F(GpuTransformer, CancelledBehindABlock) {
    StopSource source;
    LoneDevice lone(Execution{pool, source.get_token(), nullptr, &*work});
    const WanTransformer transformer = model(flash, &work->memory());
    const WanContext context = transformer.prepare(lone.device(), testing::goldenConditions(golden, "b"));
    source.request_stop();
    EXPECT_THROW(
        static_cast<void>(transformer.forward(lone.device(), testing::goldenInputs(golden, "b"), context)),
        Error);
}

}  // namespace
}  // namespace meshreel
