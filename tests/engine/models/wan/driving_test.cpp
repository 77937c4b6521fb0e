// SPDX-License-Identifier: GPL-3.0-or-later
// Passes that see a driving video, frame by frame (Animate-2). The golden case animate2_attention holds the
// attention to upstream's; here is what a whole transformer makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/attention/attention_mode.h"
#include "engine/base/error.h"
#include "engine/models/wan/driving_keys.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/random_tensor.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::randomTensor;
using testing::relativeError;
using testing::WanCall;
using testing::WanOnMesh;

constexpr std::size_t drivenFrameAxis = 2;
constexpr double drivenRounding = 1e-5;

WanTransformerConfig drivenConfig(std::int64_t layers = 2) {
    WanTransformerConfig config{.heads = 4,
                                .headDim = 12,
                                .inChannels = 9,
                                .outChannels = 4,
                                .textDim = 20,
                                .freqDim = 16,
                                .ffnDim = 64,
                                .layers = layers};
    config.imageDim = 10;
    config.addedKvDim = config.innerDim();
    return config;
}

/// One video of five latent frames with a driving video of four.
struct DrivenCall {
    WanCall call;
    Tensor driving;
    WanConditions told;
    DrivingOptions options;
    std::optional<std::int64_t> skippedBlock;

    explicit DrivenCall(const WanTransformerConfig& config)
        : call(WanCall::random(config, {1, 5, 4, 6}, 7, 2)),
          driving(randomTensor({1, config.inChannels, 4, 4, 6}, 30)),
          told{.text = randomTensor({1, 4, config.textDim}, 31),
               .image = randomTensor({1, 5, config.imageDim}, 32)} {}
};

Tensor predictDriven(WanOnMesh& wan, const DrivenCall& driven) {
    Tensor found;
    wan.mesh().run({}, nullptr, [&](Device& device) {
        const WanTransformer& part = wan.of(device);
        const DrivingStream stream = part.prepareDriving(
            device, {.latents = driven.driving, .context = part.prepare(device, driven.told)},
            driven.call.inputs.latents.shape(), driven.options);
        WanCall own = driven.call.slice(ownVideos(device, driven.call.videos()));
        if (own.videos() > 0)
            own.inputs.driving = &stream;
        CrossAttentionCache context = part.prepare(device, own.conditions);
        context.skippedBlock = driven.skippedBlock;
        const Tensor all = gatherVideos(device, part.forward(device, own.inputs, context), 1);
        if (device.isFirst())
            found = all;
    });
    return found;
}

Tensor predictDriven(const testing::RandomWan& model, const DrivenCall& driven,
                     const AttentionSettings& attention = {.mode = findAttentionMode("flash")},
                     const MeshShape& shape = {}, const WanPrecision& precision = {}) {
    WanOnMesh wan(model, attention, shape, precision);
    return predictDriven(wan, driven);
}

Tensor frameOf(const Tensor& video, std::int64_t frame) {
    return sliced(video, drivenFrameAxis, frame, frame + 1);
}

bool sameBits(const Tensor& one, const Tensor& other) {
    return std::ranges::equal(one.data<float>(), other.data<float>());
}

TEST(DrivingVideo, IsSeenByTheFrameBehindItsOwn) {
    const testing::RandomWan model(drivenConfig(1), 1);  // through more blocks all frames see each other
    DrivenCall driven(model.config());
    const Tensor before = predictDriven(model, driven);
    Tensor other = driven.driving.clone();
    other = joined({sliced(other, drivenFrameAxis, 0, 2), randomTensor({1, 9, 1, 4, 6}, 40),
                    sliced(other, drivenFrameAxis, 3, 4)},
                   drivenFrameAxis);
    driven.driving = other;
    const Tensor after = predictDriven(model, driven);
    for (const std::int64_t frame : {0, 1, 2, 4})
        EXPECT_TRUE(sameBits(frameOf(after, frame), frameOf(before, frame))) << frame;
    EXPECT_FALSE(sameBits(frameOf(after, 3), frameOf(before, 3)));
    DrivenCall told(model.config());
    told.told.text = randomTensor({1, 4, 20}, 41);
    EXPECT_TRUE(sameBits(predictDriven(model, told), before)) << "the first block's keys know no text";
}

TEST(DrivingVideo, HearsItsOwnTextAndSeesItsOwnImage) {
    const testing::RandomWan model(drivenConfig(), 1);
    const DrivenCall driven(model.config());
    const Tensor before = predictDriven(model, driven);
    DrivenCall text = driven;
    text.told.text = randomTensor({1, 4, 20}, 41);
    EXPECT_FALSE(sameBits(predictDriven(model, text), before));
    DrivenCall image = driven;
    image.told.image = randomTensor({1, 5, 10}, 42);
    EXPECT_FALSE(sameBits(predictDriven(model, image), before));
    DrivenCall biased = driven;
    biased.options.firstFrameBias = -1.3F;
    EXPECT_GT(relativeError(predictDriven(model, biased), before), 1e-4);
}

TEST(DrivingVideo, MayBeKeptOrComputedBesideEachPass) {
    for (const DType type : {DType::F32, DType::BF16}) {
        const testing::RandomWan model(drivenConfig(3), 3);
        const WanPrecision precision{.weights = type == DType::F32 ? Arithmetic::F32 : Arithmetic::BF16,
                                     .activations = type};
        DrivenCall driven(model.config());
        const Tensor kept = predictDriven(model, driven, {.mode = findAttentionMode("flash")}, {}, precision);
        driven.options.use = DrivingKeysUse::Recomputed;
        EXPECT_TRUE(sameBits(
            predictDriven(model, driven, {.mode = findAttentionMode("flash")}, {}, precision), kept));
        driven.options.use = DrivingKeysUse::Int8;
        const Tensor rounded =
            predictDriven(model, driven, {.mode = findAttentionMode("flash")}, {}, precision);
        EXPECT_FALSE(sameBits(rounded, kept));
        EXPECT_LT(relativeError(rounded, kept), 0.03);
    }
}

TEST(DrivingVideo, OfSeveralContextsIsTheSameForEach) {
    const testing::RandomWan model(drivenConfig(3), 3);
    const DrivenCall driven(model.config());
    for (const DrivingKeysRow& row : drivingKeysRows()) {
        SCOPED_TRACE(row.name);
        WanOnMesh wan(model, {.mode = findAttentionMode("ulysses")}, {.context = 2});
        wan.mesh().run({}, nullptr, [&](Device& device) {
            const WanTransformer& part = wan.of(device);
            const DrivingStream stream = part.prepareDriving(
                device, {.latents = driven.driving, .context = part.prepare(device, driven.told)},
                driven.call.inputs.latents.shape(), {.use = row.use});
            WanInputs inputs = driven.call.inputs;
            inputs.driving = &stream;
            const CrossAttentionCache one = part.prepare(device, driven.call.conditions);
            WanConditions conditions = driven.call.conditions;
            conditions.text = randomTensor({1, 6, 20}, 50);
            CrossAttentionCache two = part.prepare(device, conditions);
            two.skippedBlock = 1;
            const std::array<const CrossAttentionCache*, 2> contexts{&one, &two};
            const RotaryTable rotary = part.rotary(device, inputs.latents.shape());
            const std::vector<Tensor> both = part.forward(device, inputs, contexts, rotary);
            EXPECT_TRUE(sameBits(both[0], part.forward(device, inputs, one)));
            EXPECT_TRUE(sameBits(both[1], part.forward(device, inputs, two)));
        });
    }
}

TEST(DrivingVideo, EveryMeshPredictsAsOneDevice) {
    const testing::RandomWan model(drivenConfig(), 5);
    DrivenCall driven(model.config());
    driven.options.firstFrameBias = -1.3F;
    driven.skippedBlock = 1;
    const Tensor expected = predictDriven(model, driven, {.mode = findAttentionMode("dot_product")});
    for (const MeshShape& shape :
         {MeshShape{.context = 2}, MeshShape{.context = 3}, MeshShape{.tensor = 2},
          MeshShape{.context = 2, .tensor = 2}, MeshShape{.fsdp = 2, .context = 2}, MeshShape{.data = 2}})
        for (const char* mode : {"flash", "tokamax_ring", "ulysses", "ulysses_custom"})
            for (const DrivingKeysUse use : {DrivingKeysUse::Cached, DrivingKeysUse::Recomputed}) {
                // The tensor axis leaves two heads to a device.
                SCOPED_TRACE(shape.text() + ", " + mode + ", " + std::string(rowOf(use).name));
                driven.options.use = use;
                EXPECT_LE(
                    relativeError(predictDriven(model, driven, {.mode = findAttentionMode(mode)}, shape),
                                  expected),
                    drivenRounding);
            }
}

TEST(DrivingVideo, ALeftOutBlockChangesNothing) {
    const testing::RandomWan two(drivenConfig(2), 5);
    DrivenCall driven(two.config());
    const Tensor whole = predictDriven(two, driven);
    driven.skippedBlock = 1;
    const Tensor shorter = predictDriven(two, driven);
    EXPECT_FALSE(sameBits(shorter, whole));
    driven.skippedBlock = 9;  // there is none
    EXPECT_TRUE(sameBits(predictDriven(two, driven), whole));
}

TEST(DrivingVideo, OfAnotherSizeIsRefused) {
    const testing::RandomWan model(drivenConfig(), 5);
    for (const Shape& size : {Shape{1, 9, 5, 4, 6}, Shape{1, 9, 4, 4, 4}, Shape{2, 9, 4, 4, 6}}) {
        DrivenCall driven(model.config());
        driven.driving = randomTensor(size, 3);
        EXPECT_THROW(static_cast<void>(predictDriven(model, driven)), Error) << size.text();
    }
}

}  // namespace
}  // namespace meshreel
