// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/attention/context_split.h"
#include "engine/kernels/linear/matmul.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/probe.h"
#include "engine/project/attention_check.h"
#include "engine/tensor/tensor_operations.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

using testing::meshesUpTo;
using testing::RandomWan;
using testing::relativeError;
using testing::WanCall;
using testing::WanOnMesh;

constexpr double rounding = 1e-5;

AttentionSettings attentionNamed(std::string_view mode) {
    return {.mode = findAttentionMode(mode),
            .blocks = {.blockQ = 16, .blockKv = 16, .blockKvCompute = 8, .blockKvComputeIn = 8}};
}

bool legal(const AttentionSettings& attention, const WanTransformerConfig& config, const MeshShape& shape) {
    return std::gcd(config.heads, config.ffnDim) % shape.tensor == 0 &&
           attentionProblems(attention, config.heads, config.headDim, shape.context, shape.tensor).empty();
}

/// Every way to run a mode over a context axis: with the ulysses_shards that are legal, in chunks or not.
std::vector<AttentionSettings> settingsFor(const WanTransformerConfig& config, const MeshShape& shape) {
    std::vector<AttentionSettings> all;
    for (const AttentionMode& mode : attentionModes())
        for (int ulysses = mode.hybrid() ? 1 : -1; ulysses <= (mode.hybrid() ? shape.context : -1); ++ulysses)
            for (const int chunks : {1, mode.chunked() ? 2 : 1}) {
                AttentionSettings settings = attentionNamed(mode.name);
                settings.ulyssesShards = ulysses;
                settings.chunks = chunks;
                if (mode.runs() && legal(settings, config, shape))
                    all.push_back(settings);
            }
    return all;
}

WanTransformerConfig tinyConfig() {
    return {.heads = 4,
            .headDim = 12,
            .inChannels = 4,
            .outChannels = 4,
            .textDim = 20,
            .freqDim = 16,
            .ffnDim = 64,
            .layers = 2};
}

struct Case {
    const char* name;
    WanTransformerConfig config;
    Shape size;  // [videos, frames, rows, columns]
    std::int64_t textTokens;
    bool tokenTimes = false;  // every token has a time of its own
    bool guided = false;      // attention, by a negative text
    bool timed = false;       // parts of the text hold for some of the frames
    bool grouped = false;     // with tokens beside the video's

    [[nodiscard]] WanCall call(std::uint32_t seed) const {
        WanCall call = WanCall::random(config, size, textTokens, seed);
        if (tokenTimes)
            call.giveEveryTokenATime(config);
        if (guided)
            call.guideAttention(config, seed + 6);
        if (timed)
            call.timeText();
        if (grouped)
            call.addGroups(config, seed + 7);
        if (config.referenceChannels > 0)
            call.addReference(config, seed + 8);
        return call;
    }
};

WanTransformerConfig imageConfig() {
    WanTransformerConfig config = tinyConfig();
    config.imageDim = 10;
    config.addedKvDim = config.innerDim();
    return config;
}

WanTransformerConfig vaceConfig() {
    WanTransformerConfig config = tinyConfig();
    config.layers = 3;
    config.vaceLayers = {0, 2};
    config.vaceChannels = 6;
    return config;
}

WanTransformerConfig animateConfig() {
    WanTransformerConfig config = imageConfig();
    config.inChannels = 12;
    config.animate = AnimateConfig{.poseChannels = 4,
                                   .faceSide = 16,
                                   .channels = {6, 5, 4},
                                   .styleDim = 7,
                                   .directions = 3,
                                   .motionDim = 9,
                                   .hiddenDim = 8,
                                   .heads = 2,
                                   .blocksPerAdapter = 1};
    return config;
}

WanTransformerConfig soundConfig() {
    WanTransformerConfig config = tinyConfig();
    config.sound =
        SoundConfig{.width = 9, .states = 3, .localTokens = 2, .poseChannels = 4, .layers = {0, 1}};
    return config;
}

std::vector<Case> cases() {
    Case eightHeads{"eight_heads", tinyConfig(), {2, 2, 6, 4}, 7};
    eightHeads.config.heads = 8;
    eightHeads.config.headDim = 6;
    Case sixHeads{"six_heads_three_videos_odd_tokens", tinyConfig(), {3, 3, 6, 10}, 16};
    sixHeads.config.heads = 6;
    sixHeads.config.ffnDim = 66;
    sixHeads.config.qkNorm = false;
    Case fewTokens{"fewer_tokens_than_devices", tinyConfig(), {1, 1, 2, 10}, 3};
    fewTokens.config.crossAttentionNorm = false;
    Case neither{"no_norms_at_all", tinyConfig(), {2, 5, 2, 6}, 5};
    neither.config.qkNorm = false;
    neither.config.crossAttentionNorm = false;
    neither.config.layers = 3;
    const Case tokenTimes{"a_time_for_each_token", tinyConfig(), {2, 3, 6, 10}, 7, true};
    const Case image{"image", imageConfig(), {2, 2, 6, 10}, 7};
    Case twoImages{"first_and_last_image", imageConfig(), {3, 2, 6, 4}, 4};
    twoImages.config.imagePositions = 6;
    twoImages.config.qkNorm = false;
    const Case vace{"vace", vaceConfig(), {2, 3, 4, 6}, 7};
    Case vaceTimes{"vace_with_a_time_for_each_token", vaceConfig(), {1, 3, 6, 4}, 5, true};
    vaceTimes.config.vaceLayers = {0, 1, 2};
    const Case animate{"animate", animateConfig(), {2, 4, 4, 6}, 7};
    Case guidedImage{"image_and_guided_attention", imageConfig(), {2, 2, 6, 4}, 7};
    guidedImage.guided = true;
    Case timedText{"text_with_times", tinyConfig(), {2, 5, 2, 6}, 7};
    timedText.timed = true;
    Case timedVace{"vace_with_guided_attention_and_a_text_with_times", vaceConfig(), {1, 3, 4, 6}, 7};
    timedVace.guided = true;
    timedVace.timed = true;
    Case groups{"token_groups", tinyConfig(), {2, 2, 6, 4}, 7};
    groups.grouped = true;
    Case timedGroups{"token_groups_and_a_text_with_times", tinyConfig(), {1, 5, 2, 6}, 7};
    timedGroups.grouped = true;
    timedGroups.timed = true;
    Case groupedVace{"vace_with_token_groups", vaceConfig(), {1, 3, 4, 6}, 7};
    groupedVace.grouped = true;
    const Case sound{"sound", soundConfig(), {2, 2, 8, 12}, 7};
    Case reference{"a_reference_with_an_embedding_of_its_own", imageConfig(), {2, 2, 6, 10}, 7};
    reference.config.referenceChannels = 3;
    Case references{"a_reference_among_other_groups_and_a_text_with_times", tinyConfig(), {1, 3, 2, 6}, 7};
    references.config.referenceChannels = 5;
    references.grouped = true;
    references.timed = true;
    return {eightHeads,  sixHeads,    fewTokens, neither,     tokenTimes, image,     twoImages,
            vace,        vaceTimes,   animate,   guidedImage, timedText,  timedVace, groups,
            timedGroups, groupedVace, reference, references,  sound};
}

class WanMesh : public ::testing::TestWithParam<Case> {};

// Each mesh with a few of the ways to attend on it, drawn by chance but always the same.
TEST_P(WanMesh, EveryMeshOfUpToEightDevicesPredictsAsOneDevice) {
    constexpr std::size_t drawn = 3;
    std::mt19937 generator(17);
    const RandomWan model(GetParam().config, 1);
    const WanCall call = GetParam().call(2);
    const Tensor expected = WanOnMesh(model, attentionNamed("dot_product"), {}).predict(call);
    std::set<std::string_view> modes;
    for (const MeshShape& shape : meshesUpTo(8)) {
        std::vector<AttentionSettings> settings = settingsFor(model.config(), shape);
        std::ranges::shuffle(settings, generator);
        settings.resize(std::min(settings.size(), drawn));
        for (const AttentionSettings& attention : settings) {
            SCOPED_TRACE(shape.text() + ", " + std::string(attention.mode->name) + ", ulysses_shards " +
                         std::to_string(attention.ulyssesShards) + ", chunks " +
                         std::to_string(attention.chunks));
            modes.insert(attention.mode->name);
            const Tensor found = WanOnMesh(model, attention, shape).predict(call);
            EXPECT_LE(relativeError(found, expected), rounding);
        }
    }
    EXPECT_EQ(modes.size(), 15U) << "a mode was never drawn";
}

INSTANTIATE_TEST_SUITE_P(Cases, WanMesh, ::testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(WanMeshBits, AreThoseOfOneDeviceWhereNoSumIsTakenInAnotherOrder) {
    struct Layout {
        MeshShape shape;
        const char* mode;
    };
    constexpr std::array layouts{
        Layout{{.data = 2}, "flash"},      Layout{{.data = 4}, "dot_product"},
        Layout{{.fsdp = 2}, "flash"},      Layout{{.data = 2, .fsdp = 3}, "flash"},
        Layout{{.context = 2}, "flash"},   Layout{{.context = 3}, "dot_product"},
        Layout{{.context = 4}, "ulysses"}, Layout{{.data = 2, .fsdp = 2, .context = 2}, "ulysses"},
        Layout{{.context = 3}, "ulysses"},  // 2, 1 and 1 heads
    };
    const RandomWan model(tinyConfig(), 3);
    const WanCall call = WanCall::random(model.config(), {2, 3, 6, 10}, 9, 4);
    for (const auto& [shape, mode] : layouts) {
        const Tensor expected = WanOnMesh(model, attentionNamed(mode), {}).predict(call);
        const Tensor found = WanOnMesh(model, attentionNamed(mode), shape).predict(call);
        EXPECT_LE(relativeError(found, expected), rowsOfProductsAreIndependent() ? 0.0 : rounding)
            << shape.text() << ", " << mode;
    }
}

TEST(WanMeshText, PreparedOnceServesEveryStep) {
    const RandomWan model(tinyConfig(), 5);
    constexpr std::int64_t text = 5;
    const WanCall call = WanCall::random(model.config(), {2, 1, 6, 6}, text, 6);
    WanOnMesh wan(model, attentionNamed("ulysses"), {.fsdp = 2, .context = 2});
    wan.mesh().run({}, nullptr, [&](Device& device) {
        const WanCall own = call.slice(ownVideos(device, call.videos()));
        const WanTransformer& part = wan.of(device);
        const CrossAttentionCache context = part.prepare(device, own.conditions);
        EXPECT_EQ(context.blocks[0].text.key.extent(1), text) << "every device keeps the whole text";
        const Tensor once = part.forward(device, own.inputs, own.conditions);
        for (int step = 0; step < 2; ++step)
            EXPECT_TRUE(std::ranges::equal(part.forward(device, own.inputs, context).data<float>(),
                                           once.data<float>()));
    });
}

/// Each motion is a face's own; what tokens attend to is cut out of it.
TEST(WanMeshFaces, OfPartsOfAClipAreMadeOfItsMotion) {
    const RandomWan model(animateConfig(), 7);
    const WanCall call = WanCall::random(model.config(), {1, 4, 4, 6}, 5, 8);
    for (const MeshShape& shape : {MeshShape{}, MeshShape{.fsdp = 2, .context = 2}}) {
        SCOPED_TRACE(shape.text());
        WanOnMesh wan(model, attentionNamed("ulysses"), shape);
        wan.mesh().run({}, nullptr, [&](Device& device) {
            const WanTransformer& part = wan.of(device);
            const Tensor motion = part.encodeMotion(device, *call.conditions.faces);
            const Tensor half = tokensOfEach(motion, {4, 9});
            const std::vector<FaceContext> made = part.prepareFaces(device, std::array{motion, half});
            ASSERT_EQ(made.size(), 2U);
            WanConditions textAlone = call.conditions;
            textAlone.faces.reset();
            textAlone.facesVary = true;
            CrossAttentionCache context = part.prepare(device, textAlone);
            EXPECT_EQ(context.faces.frames, 0);
            context.faces = made.front();
            EXPECT_LE(relativeError(part.forward(device, call.inputs, context),
                                    part.forward(device, call.inputs, call.conditions)),
                      rounding);

            WanConditions faces = call.conditions;
            faces.faces = sliced(*call.conditions.faces, 2, 4, 9);
            const CrossAttentionCache expected = part.prepare(device, faces);
            EXPECT_EQ(made.back().frames, expected.faces.frames);
            for (std::size_t adapter = 0; adapter < expected.faces.adapters.size(); ++adapter)
                EXPECT_LE(relativeError(made.back().adapters[adapter].value,
                                        expected.faces.adapters[adapter].value),
                          rounding);
        });
    }
}

TEST(WanMeshFailure, ANonFiniteValueOfOneDeviceEndsAllAndNamesTheBlock) {
    const RandomWan model(tinyConfig(), 7);
    WanCall call = WanCall::random(model.config(), {2, 1, 6, 6}, 5, 8);
    call.conditions.text.slice(1, 2).data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
    WanOnMesh wan(model, attentionNamed("flash"), {.data = 2, .context = 2, .tensor = 2});
    std::atomic<int> ended = 0;
    try {
        wan.mesh().run({}, nullptr, [&](Device& device) {
            const WanCall own = call.slice(ownVideos(device, call.videos()));
            try {
                const Tensor prediction = wan.of(device).forward(device, own.inputs, own.conditions);
                static_cast<void>(gatherVideos(device, prediction, call.videos()));
            } catch (...) {
                ++ended;
                throw;
            }
        });
        FAIL() << "NaN was not seen";
    } catch (const NonFiniteError& error) {
        EXPECT_EQ(error.place(), "block 0");
    }
    EXPECT_EQ(ended, 8);
}

TEST(WanMeshFailure, WeightsOfAnotherPlaceAreRefused) {
    const RandomWan model(tinyConfig(), 9);
    const WanCall call = WanCall::random(model.config(), {1, 1, 6, 6}, 5, 10);
    const AttentionPlans attention = planAttentions(attentionNamed("flash"), model.config());
    const WanTransformer part(model.config(), model.checkpoint(), attention,
                              {.fsdpIndex = 1, .fsdpDevices = 2});
    WorkerPool pool({.workers = 1});
    LoneDevice lone({pool, {}});
    EXPECT_THROW(static_cast<void>(part.forward(lone.device(), call.inputs, call.conditions)), Error);
    EXPECT_THROW(
        WanTransformer(model.config(), model.checkpoint(), attention, {.tensorIndex = 0, .tensorDevices = 3}),
        Error);
}

}  // namespace
}  // namespace meshreel
