// SPDX-License-Identifier: GPL-3.0-or-later
// The transformer with its blocks on a GPU.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/attention/context_split.h"
#include "engine/gpu/gpu_work.h"
#include "engine/mesh/device_mesh.h"
#include "engine/models/probe.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/project/attention_check.h"
#include "engine/weights/formats/safetensors.h"
#include "tests/support/golden_folder.h"
#include "tests/support/golden_wan.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_gpu.h"
#include "tests/support/wan_on_mesh.h"

namespace meshreel {
namespace {

class GpuTransformer : public testing::GpuWorkTest {
  protected:
    /// On the GPU.
    [[nodiscard]] LoneDevice& onGpu() {
        if (!m_onGpu)
            m_onGpu.emplace(Execution{pool, {}, nullptr, work.get()});
        return *m_onGpu;
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

  private:
    std::optional<LoneDevice> m_onGpu;
};

TEST_F(GpuTransformer, EveryIntermediateOfTheGoldenCase) {
    const WanTransformer transformer = model(flash, &work->memory());
    for (const std::string variant : {"a", "b", "c"})
        golden.expectNear(variant + ".out", run(onGpu(), transformer, variant, golden.probe(variant)));
    EXPECT_THAT(golden.unchecked(), ::testing::IsEmpty());
}

TEST_F(GpuTransformer, ASoundIsHeardAsOnTheCpu) {
    WanTransformerConfig hearing{.heads = 2,
                                 .headDim = 16,
                                 .inChannels = 4,
                                 .outChannels = 4,
                                 .textDim = 12,
                                 .freqDim = 16,
                                 .ffnDim = 32,
                                 .layers = 2};
    hearing.sound =
        SoundConfig{.width = 6, .states = 3, .localTokens = 2, .poseChannels = 4, .layers = {0, 1}};
    const testing::RandomWan random(hearing, 5);
    const testing::WanCall call = testing::WanCall::random(hearing, {1, 2, 8, 12}, 5, 8);
    const AttentionPlans plans = planAttentions(flash, hearing);
    const WanTransformer cpu(hearing, random.checkpoint(), plans);
    const WanTransformer gpu(hearing, random.checkpoint(), plans, {}, {}, nullptr, {}, &work->memory());
    const Tensor expected = cpu.forward(onCpu.device(), call.inputs, call.conditions);
    const Tensor found = gpu.forward(onGpu().device(), call.inputs, call.conditions);
    EXPECT_LT(difference(found, expected), 1e-4);
}

TEST_F(GpuTransformer, EveryModeOfOneDevice) {
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode, .ulyssesShards = mode.hybrid() ? 1 : -1};
        if (!rowOf(mode.kernel).runsOn.gpu || !attentionProblems(settings, {}, {}, 1, 1).empty())
            continue;
        SCOPED_TRACE(mode.name);
        golden.expectNear("b.out", run(onGpu(), model(settings, &work->memory()), "b"));
    }
}

TEST_F(GpuTransformer, BFloat16IsAsNearAsTheCpus) {
    const WanPrecision narrow{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const Tensor exact = run(onCpu, model(flash, nullptr), "b");
    const double cpu = difference(run(onCpu, model(flash, nullptr, narrow), "b"), exact);
    const double gpuError = difference(run(onGpu(), model(flash, &work->memory(), narrow), "b"), exact);
    EXPECT_LT(gpuError, 1.5 * cpu);
    EXPECT_GT(gpuError, 0.0);
}

TEST_F(GpuTransformer, Int8IsAsNearAsTheCpus) {
    const WanPrecision int8{.weights = Arithmetic::Int8, .activations = DType::BF16};
    const Tensor exact = run(onCpu, model(flash, nullptr), "b");
    const double cpu = difference(run(onCpu, model(flash, nullptr, int8), "b"), exact);
    const double gpuError = difference(run(onGpu(), model(flash, &work->memory(), int8), "b"), exact);
    EXPECT_LT(gpuError, 1.5 * cpu);
    const WanPrecision narrow{.weights = Arithmetic::BF16, .activations = DType::BF16};
    EXPECT_GT(gpuError, difference(run(onGpu(), model(flash, &work->memory(), narrow), "b"), exact))
        << "weights of bf16 are nearer";
}

TEST_F(GpuTransformer, ControlsInBFloat16AndInt8AreAsNearAsTheCpus) {
    golden = GoldenFolder("dit_vace");
    config = WanTransformerConfig::fromJson(readJsonObject(golden.file("config.json")), "config.json");
    const Tensor exact = run(onCpu, model(flash, nullptr), "a");
    for (const Arithmetic weights : {Arithmetic::BF16, Arithmetic::Int8}) {
        const WanPrecision narrow{.weights = weights, .activations = DType::BF16};
        const double cpu = difference(run(onCpu, model(flash, nullptr, narrow), "a"), exact);
        const double gpuError = difference(run(onGpu(), model(flash, &work->memory(), narrow), "a"), exact);
        EXPECT_LT(gpuError, 1.5 * cpu) << nameOf(weights);
        EXPECT_GT(gpuError, 0.0);
    }
}

TEST_F(GpuTransformer, StreamedLayersMakeTheSameBitsInLessMemory) {
    const auto peakWith = [&](std::optional<std::int64_t> resident, Tensor& out) {
        work->beginStage();
        {
            const WanTransformer transformer = model(flash, &work->memory(), {}, resident);
            out = run(onGpu(), transformer, "b");
        }
        EXPECT_EQ(work->memory().used(), 0U);
        return work->memory().peak();
    };
    Tensor kept;
    Tensor streamed;
    const std::size_t whole = peakWith({}, kept);
    const std::size_t part = peakWith(0, streamed);
    EXPECT_EQ(std::memcmp(kept.raw(), streamed.raw(), kept.bytes()), 0);
    EXPECT_LT(part, whole);
}

/// What devices that are GPUs predict together, each with weights of its own.
Tensor predictOnGpus(const testing::RandomWan& model, const AttentionSettings& attention,
                     const MeshShape& shape, const std::vector<std::shared_ptr<GpuWork>>& gpus,
                     const testing::WanCall& call, const WanPrecision& precision = {}) {
    DeviceMesh mesh({.layout = MeshLayout(shape), .workersPerDevice = 1, .gpus = {gpus.begin(), gpus.end()}});
    std::vector<std::unique_ptr<WanTransformer>> parts;
    for (const std::shared_ptr<GpuWork>& gpu : gpus)
        parts.push_back(std::make_unique<WanTransformer>(
            model.config(), model.checkpoint(), planAttentions(attention, model.config(), shape),
            WeightShard{}, precision, nullptr, std::nullopt, &gpu->memory()));
    Tensor predicted;
    mesh.run({}, nullptr, [&](Device& device) {
        const testing::WanCall own = call.slice(ownVideos(device, call.videos()));
        const Tensor part =
            parts[static_cast<std::size_t>(device.index())]->forward(device, own.inputs, own.conditions);
        const Tensor all = gatherVideos(device, part, call.videos());
        if (device.isFirst())
            predicted = all;
    });
    return predicted;
}

class GpuMesh : public testing::GpuWorkTest {
  protected:
    /// The first of those that the suite opens, each when it is first asked for.
    [[nodiscard]] std::vector<std::shared_ptr<GpuWork>> devices(int count) const {
        while (std::ssize(opened) < count)
            opened.push_back(opened.empty() ? work : openWork());
        return {opened.begin(), opened.begin() + count};
    }
    static void TearDownTestSuite() { opened.clear(); }

    static WanTransformerConfig config() {
        WanTransformerConfig own = WanTransformerConfig::fromJson(
            readJsonObject(GoldenFolder("dit_t2v").file("config.json")), "config.json");
        own.heads = 4;
        own.headDim = 12;
        own.ffnDim = 64;
        return own;
    }
    const testing::RandomWan model{config(), 1};
    // Neither 2 nor 4 devices have equally many of the 18 tokens each.
    const testing::WanCall call = testing::WanCall::random(model.config(), {2, 3, 4, 6}, 7, 2);
    const AttentionSettings flash{.mode = findAttentionMode("flash")};

  private:
    inline static std::vector<std::shared_ptr<GpuWork>> opened;
};

TEST_F(GpuMesh, EveryModeOfSeveralDevicesMakesTheOutputOfOne) {
    const Tensor one = predictOnGpus(model, flash, {}, devices(1), call);
    const auto four = devices(4);
    const std::vector two(four.begin(), four.begin() + 2);
    int modes = 0;
    for (const AttentionMode& mode : attentionModes()) {
        const AttentionSettings settings{.mode = &mode, .ulyssesShards = mode.hybrid() ? 2 : -1};
        const auto& gpus = mode.hybrid() ? four : two;
        const auto context = static_cast<int>(gpus.size());
        if (!rowOf(mode.kernel).runsOn.gpu ||
            !attentionProblems(settings, config().heads, config().headDim, context, 1).empty())
            continue;
        SCOPED_TRACE(mode.name);
        ++modes;
        EXPECT_LT(
            testing::relativeError(predictOnGpus(model, settings, {.context = context}, gpus, call), one),
            1e-5);
    }
    EXPECT_GT(modes, 8);
}

TEST_F(GpuMesh, HeadsThatTheDevicesDoNotDivideMakeTheOutputOfOne) {
    const auto three = devices(3);
    const Tensor one = predictOnGpus(model, flash, {}, {three[0]}, call);
    for (const char* mode : {"ulysses", "ulysses_ring"}) {
        SCOPED_TRACE(mode);
        const AttentionSettings settings{.mode = findAttentionMode(mode),
                                         .ulyssesShards = findAttentionMode(mode)->hybrid() ? 3 : -1};
        EXPECT_LT(testing::relativeError(predictOnGpus(model, settings, {.context = 3}, three, call), one),
                  1e-5);
    }
}

TEST_F(GpuMesh, AttentionIsGuidedAsOnTheCpu) {
    testing::WanCall guided = call;
    guided.guideAttention(model.config(), 3);
    const Tensor expected = testing::WanOnMesh(model, flash, {}).predict(guided);
    const auto two = devices(2);
    EXPECT_LT(testing::relativeError(predictOnGpus(model, flash, {}, {two[0]}, guided), expected), 1e-5);
    EXPECT_LT(testing::relativeError(
                  predictOnGpus(model, {.mode = findAttentionMode("ulysses")}, {.context = 2}, two, guided),
                  expected),
              1e-5);
    EXPECT_GT(testing::relativeError(testing::WanOnMesh(model, flash, {}).predict(call), expected), 1e-3);
}

TEST_F(GpuMesh, ATextsTimesAreThoseOfTheCpu) {
    testing::WanCall timed = call;
    timed.timeText();
    const Tensor expected = testing::WanOnMesh(model, flash, {}).predict(timed);
    const auto two = devices(2);
    EXPECT_LT(testing::relativeError(predictOnGpus(model, flash, {}, {two[0]}, timed), expected), 1e-5);
    for (const char* mode : {"flash", "ring", "ulysses"}) {
        SCOPED_TRACE(mode);
        EXPECT_LT(testing::relativeError(
                      predictOnGpus(model, {.mode = findAttentionMode(mode)}, {.context = 2}, two, timed),
                      expected),
                  1e-5);
    }
    constexpr WanPrecision narrow{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const double cpu =
        testing::relativeError(testing::WanOnMesh(model, flash, {}, narrow).predict(timed), expected);
    EXPECT_LT(testing::relativeError(predictOnGpus(model, flash, {}, {two[0]}, timed, narrow), expected),
              1.5 * cpu);
    EXPECT_GT(testing::relativeError(testing::WanOnMesh(model, flash, {}).predict(call), expected), 1e-3);
}

TEST_F(GpuMesh, ADrivingVideoIsSeenAsOnTheCpu) {
    const WanTransformerConfig& wan = model.config();
    const testing::WanCall one = testing::WanCall::random(wan, {1, 4, 4, 6}, 7, 22);
    const Tensor latents = testing::randomTensor({1, wan.inChannels, 3, 4, 6}, 23);
    const WanConditions told{.text = testing::randomTensor({1, 5, wan.textDim}, 24)};
    const auto predict = [&](Device& device, const WanTransformer& part, DrivingKeysUse use) {
        const DrivingStream stream =
            part.prepareDriving(device, {.latents = latents, .context = part.prepare(device, told)},
                                one.inputs.latents.shape(), {.use = use, .firstFrameBias = -1.3F});
        WanInputs inputs = one.inputs;
        inputs.driving = &stream;
        return part.forward(device, inputs, part.prepare(device, one.conditions));
    };
    const auto predictOn = [&](const std::vector<std::shared_ptr<GpuWork>>& gpus, const char* mode,
                               DrivingKeysUse use) {
        const AttentionSettings settings{.mode = findAttentionMode(mode)};
        const MeshShape shape{.context = static_cast<int>(std::max<std::size_t>(1, gpus.size()))};
        DeviceMesh mesh(
            {.layout = MeshLayout(shape), .workersPerDevice = 1, .gpus = {gpus.begin(), gpus.end()}});
        std::vector<std::unique_ptr<WanTransformer>> parts;
        for (int index = 0; index < shape.context; ++index)
            parts.push_back(std::make_unique<WanTransformer>(
                wan, model.checkpoint(), planAttentions(settings, wan, shape), WeightShard{}, WanPrecision{},
                nullptr, std::nullopt,
                gpus.empty() ? nullptr : &gpus[static_cast<std::size_t>(index)]->memory()));
        Tensor found;
        mesh.run({}, nullptr, [&](Device& device) {
            const Tensor predicted = predict(device, *parts[static_cast<std::size_t>(device.index())], use);
            if (device.isFirst())
                found = predicted;
        });
        return found;
    };
    const auto two = devices(2);
    for (const DrivingKeysRow& row : drivingKeysRows()) {
        SCOPED_TRACE(row.name);
        const Tensor expected = predictOn({}, "flash", row.use);
        const double near = row.use == DrivingKeysUse::Int8 ? 1e-3 : 1e-5;  // a step of int8 may differ
        EXPECT_LT(testing::relativeError(predictOn({two[0]}, "flash", row.use), expected), near);
        for (const char* mode : {"flash", "ring", "ulysses"})
            EXPECT_LT(testing::relativeError(predictOn({two[0], two[1]}, mode, row.use), expected), near)
                << mode;
    }
}

TEST_F(GpuMesh, TokenGroupsAreThoseOfTheCpu) {
    testing::WanCall grouped = call;
    grouped.addGroups(model.config(), 3);
    grouped.timeText();
    const Tensor expected = testing::WanOnMesh(model, flash, {}).predict(grouped);
    const auto two = devices(2);
    EXPECT_LT(testing::relativeError(predictOnGpus(model, flash, {}, {two[0]}, grouped), expected), 1e-5);
    for (const char* mode : {"flash", "ring", "ulysses"}) {
        SCOPED_TRACE(mode);
        EXPECT_LT(testing::relativeError(
                      predictOnGpus(model, {.mode = findAttentionMode(mode)}, {.context = 2}, two, grouped),
                      expected),
                  1e-5);
    }
    EXPECT_GT(testing::relativeError(testing::WanOnMesh(model, flash, {}).predict(call), expected), 1e-3);
}

TEST_F(GpuMesh, AReferenceWithAnEmbeddingOfItsOwnIsThatOfTheCpu) {
    WanTransformerConfig config = model.config();
    config.referenceChannels = 3;
    const testing::RandomWan referring(config, 9);
    testing::WanCall referred = call;
    referred.addReference(config, 4);
    const Tensor expected = testing::WanOnMesh(referring, flash, {}).predict(referred);
    const auto two = devices(2);
    EXPECT_LT(testing::relativeError(predictOnGpus(referring, flash, {}, {two[0]}, referred), expected),
              1e-5);
    EXPECT_LT(testing::relativeError(predictOnGpus(referring, {.mode = findAttentionMode("ring")},
                                                   {.context = 2}, two, referred),
                                     expected),
              1e-5);
    EXPECT_GT(testing::relativeError(testing::WanOnMesh(referring, flash, {}).predict(call), expected), 1e-3);
}

TEST_F(GpuMesh, ADeviceMayHaveNoTokens) {
    const testing::WanCall oneToken = testing::WanCall::random(model.config(), {2, 1, 2, 2}, 7, 2);
    const auto two = devices(2);
    const Tensor one = predictOnGpus(model, flash, {}, {two[0]}, oneToken);
    for (const char* mode : {"flash", "ring", "ulysses"}) {
        SCOPED_TRACE(mode);
        const AttentionSettings settings{.mode = findAttentionMode(mode)};
        EXPECT_LT(testing::relativeError(predictOnGpus(model, settings, {.context = 2}, two, oneToken), one),
                  1e-5);
    }
}

TEST_F(GpuMesh, VideosAreSharedOutAsTokensAre) {
    const Tensor one = predictOnGpus(model, flash, {}, devices(1), call);
    const auto four = devices(4);
    const AttentionSettings ring{.mode = findAttentionMode("ring")};
    EXPECT_LT(testing::relativeError(predictOnGpus(model, flash, {.data = 2}, {four[0], four[1]}, call), one),
              1e-5);
    EXPECT_LT(testing::relativeError(predictOnGpus(model, ring, {.data = 2, .context = 2}, four, call), one),
              1e-5);
    // In bf16 the parts of a ring round otherwise.
    constexpr WanPrecision narrow{.weights = Arithmetic::BF16, .activations = DType::BF16};
    const double apart = testing::relativeError(
        predictOnGpus(model, ring, {.context = 2}, {four[0], four[1]}, call, narrow), one);
    EXPECT_LT(apart,
              2 * testing::relativeError(predictOnGpus(model, flash, {}, {four[0]}, call, narrow), one));
    for (const std::shared_ptr<GpuWork>& gpu : four)
        EXPECT_EQ(gpu->memory().used(), 0U);
}

/// Blocks enough that the host could fall behind.
class DeepGpuTransformer : public GpuTransformer {
  protected:
    [[nodiscard]] static WanTransformerConfig deep(std::int64_t layers) {
        WanTransformerConfig own = WanTransformerConfig::fromJson(
            readJsonObject(GoldenFolder("dit_t2v").file("config.json")), "config.json");
        own.layers = layers;
        return own;
    }

    [[nodiscard]] WanTransformer open(const WanTransformerConfig& of, const Checkpoint& checkpoint,
                                      std::optional<std::int64_t> resident = {}) const {
        return {of, checkpoint, planAttentions(flash, of), {}, {}, nullptr, resident, &work->memory()};
    }
};

TEST_F(DeepGpuTransformer, TheGpuStandsStillOnceAPrediction) {
    for (const std::int64_t layers : {1, 4})
        for (const std::optional<std::int64_t> resident : {std::optional<std::int64_t>(), {0}}) {
            const testing::RandomWan random(deep(layers), 1);
            const testing::WanCall call = testing::WanCall::random(random.config(), {1, 2, 4, 4}, 5, 2);
            const WanTransformer transformer = open(random.config(), random.checkpoint(), resident);
            Device& device = onGpu().device();
            const CrossAttentionCache text = transformer.prepare(device, call.conditions);
            const RotaryTable rotary = transformer.rotary(device, call.inputs.latents.shape());
            const auto standstills = [&](const std::vector<const CrossAttentionCache*>& contexts) {
                const std::int64_t before = work->stream().standstills();
                static_cast<void>(transformer.forward(device, call.inputs, contexts, rotary));
                return work->stream().standstills() - before;
            };
            EXPECT_EQ(standstills({&text}), 1) << layers;
            EXPECT_EQ(standstills({&text, &text}), 2) << layers;
        }
}

TEST_F(DeepGpuTransformer, NaNIsToldWithTheBlockThatMadeIt) {
    const testing::RandomWan random(deep(3), 1);
    const testing::WanCall call = testing::WanCall::random(random.config(), {1, 2, 4, 4}, 5, 2);
    const Checkpoint whole = random.checkpoint();
    const testing::TemporaryFolder folder;
    for (const std::string block : {"0", "1", "2"}) {
        std::vector<NamedTensor> tensors;
        for (const std::string& name : whole.names()) {
            tensors.emplace_back(name, whole.get(name).clone());
            if (name == "blocks." + block + ".ffn.net.2.bias")
                tensors.back().second.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
        }
        const std::filesystem::path file = folder.path() / (block + ".safetensors");
        writeSafetensors(file, tensors);
        const WanTransformer transformer = open(random.config(), Checkpoint::open(file));
        try {
            static_cast<void>(transformer.forward(onGpu().device(), call.inputs, call.conditions));
            FAIL() << "NaN was not seen";
        } catch (const NonFiniteError& error) {
            EXPECT_EQ(error.place(), "block " + block);
        }
    }
    // The GPU serves others.
    const WanTransformer good = open(random.config(), whole);
    EXPECT_NO_THROW(static_cast<void>(good.forward(onGpu().device(), call.inputs, call.conditions)));
}

TEST_F(GpuTransformer, CancelledBehindABlock) {
    StopSource source;
    LoneDevice lone(Execution{pool, source.get_token(), nullptr, work.get()});
    const WanTransformer transformer = model(flash, &work->memory());
    const CrossAttentionCache context =
        transformer.prepare(lone.device(), testing::goldenConditions(golden, "b"));
    source.request_stop();
    EXPECT_THROW(
        static_cast<void>(transformer.forward(lone.device(), testing::goldenInputs(golden, "b"), context)),
        Error);
}

}  // namespace
}  // namespace meshreel
