// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/wan/wan_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "engine/attention/context_split.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/layers/layer_memory.h"
#include "engine/models/wan/wan_inputs.h"
#include "tests/support/golden_folder.h"
#include "tests/support/golden_wan.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::meshesUpTo;
using testing::RandomWan;
using testing::relativeError;
using testing::WanCall;
using testing::WanOnMesh;

constexpr WanPrecision halfPrecision{.weights = Arithmetic::BF16, .activations = DType::BF16};

// Upstream's own bf16 run of such models differs from its f32 by rms 0.65 % and 0.027 at most, for outputs of
// about unit size.
constexpr double upstreamRms = 0.0065;
constexpr double upstreamMaximum = 0.027;
constexpr double allowedTimes = 3;

/// √(Σ difference² / Σ expected²).
double rmsError(const Tensor& found, const Tensor& expected) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(expected.elements()); ++i) {
        const auto wanted = static_cast<double>(expected.data<float>()[i]);
        difference += std::pow(static_cast<double>(found.data<float>()[i]) - wanted, 2);
        size += wanted * wanted;
    }
    return std::sqrt(difference / size);
}

class WanPrecisionTest : public ::testing::Test {
  protected:
    [[nodiscard]] WanTransformer model(const WanPrecision& precision, std::string_view mode) const {
        const WanTransformerConfig config =
            WanTransformerConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
        return {config,
                Checkpoint::open(golden.file("weights.safetensors")),
                planAttentions({.mode = findAttentionMode(mode)}, config),
                {},
                precision};
    }
    [[nodiscard]] Tensor run(const WanTransformer& transformer, const std::string& variant,
                             const Probe& probe = {}) {
        return transformer.forward(lone.device(), testing::goldenInputs(golden, variant),
                                   testing::goldenConditions(golden, variant), probe);
    }

    GoldenFolder golden{"dit_t2v"};
    WorkerPool pool{{.workers = 2}};
    LoneDevice lone{{pool, {}}};
};

TEST_F(WanPrecisionTest, Bf16IsWithinThriceUpstreamsOwnErrorOfTheGoldens) {
    for (const AttentionMode& mode : attentionModes()) {
        if (!mode.runs() || !attentionProblems({.mode = &mode}, {}, {}, 1, 1).empty())
            continue;
        const WanTransformer transformer = model(halfPrecision, mode.name);
        for (const std::string variant : {"a", "b", "c"}) {
            SCOPED_TRACE(std::string(mode.name) + " " + variant);
            const Tensor out = run(transformer, variant);
            const Tensor expected = golden.tensor(variant + ".out");
            RecordProperty(std::string(mode.name) + "." + variant, std::to_string(rmsError(out, expected)));
            EXPECT_LE(rmsError(out, expected), allowedTimes * upstreamRms);
            EXPECT_LE(relativeError(out, expected), allowedTimes * upstreamMaximum);
        }
    }
}

TEST_F(WanPrecisionTest, Bf16WeightsWithF32ActivationsAreRoundedAndNoMore) {
    const WanTransformer transformer = model({.weights = Arithmetic::BF16}, "flash");
    EXPECT_EQ(transformer.precision().linears(), Arithmetic::F32);
    const double error = rmsError(run(transformer, "a"), golden.tensor("a.out"));
    EXPECT_GT(error, 1e-5) << "the golden weights are f32";
    EXPECT_LE(error, upstreamRms);
}

TEST_F(WanPrecisionTest, Int8IsWithinItsRounding) {
    const WanTransformer transformer =
        model({.weights = Arithmetic::Int8, .activations = DType::BF16}, "flash");
    for (const std::string variant : {"a", "b", "c"}) {
        const double error = rmsError(run(transformer, variant), golden.tensor(variant + ".out"));
        RecordProperty(variant, std::to_string(error));
        EXPECT_GT(error, upstreamRms / allowedTimes) << variant << ": not rounded to 8 bits";
        EXPECT_LE(error, 0.05) << variant;
    }
}

TEST_F(WanPrecisionTest, LookingAtIntermediatesDoesNotChangeThem) {
    for (const WanPrecision& precision : {WanPrecision{}, halfPrecision}) {
        const WanTransformer transformer = model(precision, "flash");
        int seen = 0;
        const Tensor watched = run(transformer, "a", [&seen](std::string_view, const Tensor&) { ++seen; });
        EXPECT_GT(seen, 10);
        // Sums come in another order where OpenBLAS's rows depend on their place.
        EXPECT_LE(relativeError(run(transformer, "a"), watched), 1e-5);
    }
}

TEST_F(WanPrecisionTest, TextsThatShareTheirStartGetTheSameBitsAsAlone) {
    const WanInputs inputs = testing::goldenInputs(golden, "a");
    for (const WanPrecision& precision : {WanPrecision{}, halfPrecision}) {
        const WanTransformer transformer = model(precision, "flash");
        const Tensor prompt = golden.tensor("a.in.encoder_hidden_states");
        const CrossAttentionCache first = transformer.prepare(lone.device(), {.text = prompt});
        const CrossAttentionCache second =
            transformer.prepare(lone.device(), {.text = testing::randomTensor(prompt.shape(), 5)});
        const std::array<const CrossAttentionCache*, 2> texts{&first, &second};
        const std::vector<Tensor> together = transformer.forward(
            lone.device(), inputs, texts, transformer.rotary(lone.device(), inputs.latents.shape()));
        for (std::size_t text = 0; text < texts.size(); ++text) {
            const Tensor alone = transformer.forward(lone.device(), inputs, *texts[text]);
            EXPECT_EQ(std::memcmp(alone.raw(), together[text].raw(), alone.bytes()), 0);
        }
        EXPECT_NE(std::memcmp(together[0].raw(), together[1].raw(), together[0].bytes()), 0);
    }
}

TEST_F(WanPrecisionTest, Bf16HalvesWeightsAndActivations) {
    const WanTransformerConfig config{
        .heads = 4, .headDim = 32, .textDim = 64, .freqDim = 32, .ffnDim = 512, .layers = 2};
    const RandomWan random(config, 3);
    const auto residentBytes = [&](const WanPrecision& precision) {
        return WanTransformer(config, random.checkpoint(), {}, {}, precision).residentBytes();
    };
    EXPECT_EQ(residentBytes({}), wanWeightBytes(config, 1, 1).resident);
    const auto planned = static_cast<double>(wanWeightBytes(config, 1, 1, halfPrecision).resident);
    EXPECT_NEAR(static_cast<double>(residentBytes(halfPrecision)), planned, 0.02 * planned);
}

/// Widths that fill no vector, and tokens that no device count divides.
WanTransformerConfig smallConfig() {
    return {.heads = 4, .headDim = 12, .textDim = 24, .freqDim = 16, .ffnDim = 160, .layers = 2};
}

TEST(WanPrecisionOnMeshes, EveryMeshAgreesWithOneDeviceInBf16) {
    const RandomWan model(smallConfig(), 11);
    const WanCall call = WanCall::random(model.config(), {2, 3, 6, 10}, 9, 12);
    const AttentionSettings one{.mode = findAttentionMode("flash")};
    const Tensor expected = WanOnMesh(model, one, {}).predict(call);
    const Tensor alone = WanOnMesh(model, one, {}, halfPrecision).predict(call);
    EXPECT_LE(rmsError(alone, expected), allowedTimes * upstreamRms);
    for (const MeshShape& shape : meshesUpTo(4))
        for (const char* name : {"flash", "ulysses", "tokamax_ring", "tokamax_ring_custom"}) {
            const AttentionSettings attention{.mode = findAttentionMode(name)};
            if (std::gcd(smallConfig().heads, smallConfig().ffnDim) % shape.tensor != 0 ||
                !attentionProblems(attention, smallConfig().heads, smallConfig().headDim, shape.context,
                                   shape.tensor)
                     .empty())
                continue;
            const Tensor found = WanOnMesh(model, attention, shape, halfPrecision).predict(call);
            // Other places of rounding to bf16, of the size of bf16's own error.
            EXPECT_LE(rmsError(found, alone), upstreamRms)
                << name << " data " << shape.data << " fsdp " << shape.fsdp << " context " << shape.context
                << " tensor " << shape.tensor;
        }
}

TEST(WanPrecisionOnMeshes, FsdpGathersWeightsOfHalfTheSize) {
    const WanTransformerConfig config = smallConfig();
    const RandomWan model(config, 5);
    const WanWeightBytes single = wanWeightBytes(config, 2, 1);
    const WanWeightBytes half = wanWeightBytes(config, 2, 1, halfPrecision);
    EXPECT_LT(half.gathered, single.gathered);
    const WanCall call = WanCall::random(config, {2, 1, 4, 4}, 5, 6);
    DeviceMesh mesh({.layout = MeshLayout({.fsdp = 2}), .workersPerDevice = 1});
    mesh.run({}, nullptr, [&](Device& device) {
        const WanTransformer part(config, model.checkpoint(),
                                  planAttentions({}, config, device.layout().shape()),
                                  WeightShard::of(device), halfPrecision);
        EXPECT_EQ(part.residentBytes(), half.resident);
        const WanCall own = call.slice(ownVideos(device, call.videos()));
        static_cast<void>(part.forward(device, own.inputs, own.conditions));
        EXPECT_EQ(part.gatherMeter().peak(), half.gathered);
    });
}

TEST(PaddedText, RowsOfZerosAreGivenOnce) {
    Tensor text = testing::randomTensor({2, 9, 3}, 1);
    std::ranges::fill(text.slice(0, 1).data<float>().subspan(4 * 3), 0.0F);
    std::ranges::fill(text.slice(1, 2).data<float>().subspan(6 * 3), 0.0F);
    const PaddedText padded = PaddedText::of(text);
    EXPECT_EQ(padded.rows.shape(), (Shape{2, 7, 3}));
    EXPECT_EQ(padded.lastRowCount, 3);
    const Tensor again = padded.repeated(padded.rows);
    ASSERT_EQ(again.shape(), text.shape());
    EXPECT_EQ(std::memcmp(again.raw(), text.raw(), text.bytes()), 0);

    EXPECT_EQ(PaddedText::of(Tensor::zeros({1, 4, 3})).rows.extent(1), 1);
    EXPECT_EQ(PaddedText::of(Tensor::zeros({1, 4, 3})).lastRowCount, 4);
    const Tensor full = testing::randomTensor({1, 4, 3}, 2);
    EXPECT_EQ(PaddedText::of(full).rows.extent(1), 4);
    EXPECT_EQ(PaddedText::of(full).lastRowCount, 1);
}

/// Padding too small to matter to any sum is computed row by row: what it must agree with.
TEST(PaddedText, AttendingToOneWeighedRowIsAttendingToAll) {
    const RandomWan model(smallConfig(), 21);
    for (const char* name : {"dot_product", "flash", "ulysses"}) {
        WanCall call = WanCall::random(model.config(), {1, 2, 4, 6}, 37, 22);
        const auto padding = call.conditions.text.data<float>().subspan(
            static_cast<std::size_t>(5 * call.conditions.text.extent(2)));
        std::ranges::fill(padding, 1e-30F);
        const AttentionSettings attention{.mode = findAttentionMode(name)};
        const Tensor plain = WanOnMesh(model, attention, {}).predict(call);
        std::ranges::fill(padding, 0.0F);
        for (const MeshShape& shape :
             {MeshShape{}, MeshShape{.context = 4}, MeshShape{.context = 2, .tensor = 2}}) {
            if (!attentionProblems(attention, smallConfig().heads, smallConfig().headDim, shape.context,
                                   shape.tensor)
                     .empty())
                continue;
            EXPECT_LE(relativeError(WanOnMesh(model, attention, shape).predict(call), plain), 1e-5)
                << name << " context " << shape.context;
        }
        EXPECT_LE(relativeError(WanOnMesh(model, attention, {}).predict(call), plain), 2e-6) << name;
    }
}

}  // namespace
}  // namespace meshreel
