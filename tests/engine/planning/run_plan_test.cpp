// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/strings.h"
#include "engine/base/system.h"
#include "engine/checks/project_check.h"
#include "engine/models/wan/wan_transformer.h"
#include "engine/planning/memory_fit.h"
#include "engine/project/project_keys.h"
#include "engine/project/project_validation.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::Fault;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::Names;
using ::testing::Not;
using testing::Offers;

constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

/// The problem with which a plan of `project` is refused, after checking the kind.
Problem refusal(const Project& project, ErrorKind kind,
                const PlanOptions& options = {.memoryBytes = plenty}) {
    const testing::Refusal refused = testing::refusalOf(kind, [&] { makePlan(project, options); });
    EXPECT_TRUE(refused) << "accepted";
    return refused.problem;
}

// Nobody makes a plan but the planner, and nobody has one that could be changed.
static_assert(!std::is_default_constructible_v<RunPlan> && !std::is_copy_constructible_v<RunPlan> &&
              !std::is_move_constructible_v<RunPlan> && !std::is_copy_assignable_v<RunPlan> &&
              !std::is_move_assignable_v<RunPlan>);
static_assert(std::is_same_v<decltype(makePlan(Project())), std::shared_ptr<const RunPlan>>);

TEST(RunPlan, ResolvesTheEmbeddedModel) {
    Project project = testing::smallProject();
    project.height = 48;
    project.numFrames = 9;
    project.flowShift = 5;
    project.scheduler = "euler";
    const PlanPtr plan = makePlan(project, {.workers = 3});
    EXPECT_EQ(plan->latentShape, Shape({1, 16, 3, 6, 4}));
    EXPECT_EQ(plan->tokens, 3 * 3 * 2);
    EXPECT_EQ(plan->layout, MeshLayout());
    EXPECT_EQ(plan->workersPerDevice, 3);
    EXPECT_TRUE(plan->guided);
    EXPECT_EQ(plan->model.scheduler.className, "FlowMatchEulerDiscreteScheduler");
    EXPECT_EQ(plan->model.scheduler.flowShift, 5.0);
    EXPECT_EQ(plan->attention.mode->name, "flash");
    EXPECT_GT(plan->model.transformerWeights.parameters, 5'000'000U);
    EXPECT_THAT(describePlan(*plan),
                AllOf(HasSubstr("tiny-wan-t2v"), HasSubstr("[1, 16, 3, 6, 4], 18 tokens"),
                      HasSubstr("FlowMatchEulerDiscreteScheduler")));
}

TEST(RunPlan, RefusesWhatThisModelCannotMake) {
    Project project = testing::smallProject();
    project.height = 40;
    EXPECT_THAT(refusal(project, ErrorKind::Project), AllOf(Fault("value-off-grid"), Offers("32", "48")));
    project = testing::smallProject();
    project.model = "no-such-model";
    EXPECT_THAT(refusal(project, ErrorKind::Input), Names("tiny-wan-i2v, tiny-wan-t2v"));
}

TEST(RunPlan, NamesInstalledModelsThatDoWhatThisOneDoesNot) {
    Project project = testing::smallProject();
    project.image = "cat.png";
    EXPECT_THAT(refusal(project, ErrorKind::Project),
                AllOf(Fault("task-not-offered"), Offers("tiny-wan-i2v")));
    const std::vector<Problem> problems = problemsOnInstalledModel(project);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().key, "image");
    EXPECT_THAT(
        problems.front().fixes,
        Contains(Field(&Fix::changes, KeyChanges{{"pretrained_model_name_or_path", "tiny-wan-i2v"}})));
    project.task = "vace";
    EXPECT_THAT(refusal(project, ErrorKind::Project), Offers()) << "nothing to name";
}

TEST(RunPlan, RefusesMeshesThatTheModelDoesNotDivideBetween) {
    Project project = testing::smallProject();
    project.iciTensorParallelism = 5;
    EXPECT_EQ(refusal(project, ErrorKind::Project).key, "ici_tensor_parallelism");
    const ModelFacts model = makePlan(testing::smallProject())->model;
    const std::vector<Problem> problems = check(project, &model);
    ASSERT_FALSE(problems.empty());
    EXPECT_EQ(problems.front().key, "ici_tensor_parallelism");
    EXPECT_TRUE(check(testing::smallProject(), &model).empty());
    project.model = "no-such-model";
    EXPECT_TRUE(problemsOnInstalledModel(project).empty());
}

TEST(RunPlan, ResolvesTheMesh) {
    Project project = testing::smallProject();
    project.iciDataParallelism = 2;
    project.stallTimeout = 20;
    const PlanPtr plan = makePlan(project, {.devices = 6, .ranks = 3, .cpus = 9, .memoryBytes = plenty});
    EXPECT_EQ(plan->layout, MeshLayout({.data = 2, .context = 3}));
    EXPECT_EQ(plan->ranks, 3);
    EXPECT_EQ(plan->devicesPerRank(), 2);
    EXPECT_EQ(plan->workersPerDevice, 4) << "nine CPUs for two devices";
    EXPECT_EQ(plan->placement.vaeStrips(), 6);
    EXPECT_EQ(plan->stallTimeout, std::chrono::seconds(20));
    EXPECT_EQ(plan->project.devices, 6) << "a stored project says it";

    EXPECT_THAT(refusal(project, ErrorKind::Project, {.devices = 5, .memoryBytes = plenty}),
                AllOf(Fault("mesh-does-not-divide"), Offers("4", "6")));
    EXPECT_THAT(refusal(project, ErrorKind::Project, {.devices = 4, .ranks = 3, .memoryBytes = plenty}),
                AllOf(Fault("ranks-do-not-divide"), Names("3", "4")));
}

TEST(RunPlan, CarriesEverySettingOfAttention) {
    Project project = testing::smallProject();
    project.attention = "ulysses_custom";
    project.useBase2Exp = false;
    project.ulyssesAttentionChunks = 3;
    project.ulyssesShards = 2;
    project.attentionShardingUniform = false;
    project.blockKv = 0;
    project.blockKvCompute = 0;
    project.blockKvComputeIn = 64;
    project.vmemLimitBytes = 1 << 22;
    const PlanPtr plan = makePlan(project);
    const AttentionSettings& settings = plan->attention;
    EXPECT_FALSE(settings.base2);
    EXPECT_FALSE(settings.uniformSharding);
    EXPECT_EQ(settings.chunks, 3);
    EXPECT_EQ(settings.ulyssesShards, 2);
    EXPECT_EQ(settings.blocks.blockKv, 0) << "as it was asked";
    const FlashBlockSizes& blocks = plan->attentions.self.blocks;
    EXPECT_EQ(blocks.blockKv, resolveFlashBlocks({}).blockKv);
    EXPECT_EQ(blocks.blockKvComputeIn, 64);
    EXPECT_EQ(blocks.vmemLimitBytes, 1 << 22);
    project.attention = "flash";
    const FlashBlockSizes flash = makePlan(project)->attentions.self.blocks;
    EXPECT_EQ(flash.blockKvComputeIn, std::min<std::int64_t>(256, flash.blockKvCompute))
        << "the key is of the custom kernels";
}

TEST(RunPlan, RefusesTooLittleMemoryOrDiskWithTheNumbers) {
    const Project project = testing::smallProject();
    const PlanPtr plan = makePlan(project);
    EXPECT_THAT(refusal(project, ErrorKind::Resources, {.memoryBytes = plan->memory.peak() - 1}),
                AllOf(Fault("memory-short"), Names(formatBytes(plan->memory.peak()))));
    EXPECT_THAT(refusal(project, ErrorKind::Resources,
                        {.memoryBytes = plenty, .diskBytes = plan->disk.runFolder - 1, .runsFolder = "/tmp"}),
                AllOf(Fault("disk-short"), testing::At("/tmp"), Names(formatBytes(plan->disk.runFolder))));
    EXPECT_NO_THROW(makePlan(project, {.memoryBytes = plan->memory.peak()}));

    Project vast = project;
    vast.height = vast.width = 4096;
    vast.numFrames = 1001;
    refusal(vast, ErrorKind::Resources, {});
}

TEST(RunPlan, TellsTheNearestVideoThatFits) {
    Project project = testing::smallProject();
    project.height = 256;
    project.width = 512;
    project.numFrames = 81;
    const std::uint64_t memory = makePlan(project, {.memoryBytes = plenty})->memory.peak() * 19 / 20;
    const Problem told = refusal(project, ErrorKind::Resources, {.memoryBytes = memory});
    EXPECT_THAT(told, Fault("memory-short"));
    // What the fixes write that have these keys.
    const auto offered = [&told](const std::vector<std::string>& keys) {
        const auto has = [&keys](const Fix& fix) {
            return std::ranges::equal(fix.changes, keys, {}, &KeyChange::key);
        };
        const auto fix = std::ranges::find_if(told.fixes, has);
        EXPECT_NE(fix, told.fixes.end()) << ::testing::PrintToString(keys);
        return fix == told.fixes.end() ? KeyChanges(keys.size()) : fix->changes;
    };
    Project shorter = project;
    shorter.numFrames = std::stoll(offered({"num_frames"})[0].value);
    EXPECT_NO_THROW(makePlan(shorter, {.memoryBytes = memory}));
    shorter.numFrames += 4;
    refusal(shorter, ErrorKind::Resources, {.memoryBytes = memory});
    Project smaller = project;
    const KeyChanges size = offered({"height", "width"});
    smaller.height = std::stoll(size[0].value);
    smaller.width = std::stoll(size[1].value);
    EXPECT_NEAR(static_cast<double>(smaller.width) / static_cast<double>(smaller.height), 2.0, 0.3);
    EXPECT_NO_THROW(makePlan(smaller, {.memoryBytes = memory}));
}

TEST(RunPlan, TellsTypesAndABudgetThatFit) {
    const Project project = testing::smallProject();
    constexpr std::uint64_t tooLittle = 8 << 20;  // of 21 MB that the transformer takes as f32
    const std::uint64_t memory = makePlan(project, {.memoryBytes = plenty})->memory.peak() - tooLittle;
    const Problem told = refusal(project, ErrorKind::Resources, {.memoryBytes = memory});
    std::map<std::string, std::string> offered;
    for (const Fix& fix : told.fixes)
        for (const KeyChange& change : fix.changes)
            offered.emplace(change.key, change.value);
    EXPECT_EQ(offered["activations_dtype"], "bfloat16");
    ASSERT_TRUE(offered.contains("memory_budget"));
    Project streamed = project;
    streamed.memoryBudget = std::stod(offered["memory_budget"]);
    EXPECT_TRUE(makePlan(streamed, {.memoryBytes = memory})->placement.residentLayers());
    streamed.activationsDtype = streamed.weightsDtype = "bfloat16";
    EXPECT_FALSE(makePlan(streamed, {.memoryBytes = memory})->placement.residentLayers());
}

TEST(RunPlan, EverySettingThatItNamesFitsAsAChange) {
    Project project = testing::smallProject();
    project.height = 256;
    project.width = 512;
    project.numFrames = 81;
    const std::uint64_t memory = makePlan(project, {.memoryBytes = plenty})->memory.peak() * 3 / 4;
    try {
        makePlan(project, {.memoryBytes = memory});
        FAIL() << "fits";
    } catch (const Error& refused) {
        const std::vector<Fix>& fixes = refused.problem().fixes;
        EXPECT_EQ(refused.kind(), ErrorKind::Resources);
        EXPECT_TRUE(refused.problem().id == ProblemId("memory-short"));
        ASSERT_GE(fixes.size(), 2U);
        EXPECT_TRUE(std::ranges::any_of(fixes, [](const Fix& fix) {
            return fix.changes.size() == 2 && fix.changes[0].key == "height" && fix.changes[1].key == "width";
        }));
        for (const Fix& fix : fixes) {
            Project changed = project;
            for (const KeyChange& change : fix.changes)
                setFromText(changed, *findProjectKey(change.key), change.value);
            EXPECT_THAT(refused.hint().text(), HasSubstr(fix.changes.front().key));
            EXPECT_NO_THROW(makePlan(changed, {.memoryBytes = memory})) << fix.changes.front().key;
        }
    }
}

TEST(RunPlan, SaysSoWhenNoVideoFits) {
    const Problem told = refusal(testing::smallProject(), ErrorKind::Resources, {.memoryBytes = 1 << 20});
    EXPECT_THAT(told, AllOf(Fault("memory-short"), Offers()));
    EXPECT_FALSE(told.hint().empty());
}

TEST(RunPlan, ABudgetThatIsTooSmallIsToBeRaised) {
    Project project = testing::smallProject();
    project.memoryBudget = 0.001;
    const Problem told = refusal(project, ErrorKind::Resources, {.memoryBytes = plenty});
    EXPECT_THAT(told, Fault("memory-short"));
    EXPECT_THAT(told.hint().text(), HasSubstr("memory_budget"));
}

TEST(Estimates, StagesAreTheSumOfTheirParts) {
    const MemoryEstimate memory = makePlan(testing::smallProject(), {.memoryBytes = plenty})->memory;
    for (const StageMemory* stage :
         {&memory.loading, &memory.conditioning, &memory.denoising, &memory.decoding}) {
        EXPECT_EQ(stage->total(), stage->weights + stage->packed + stage->activations + stage->workspace);
        EXPECT_LE(stage->total(), memory.peak());
        EXPECT_GT(stage->packed, 0U) << "the VAE";
    }
    EXPECT_GT(memory.loading.mapped, 0U) << "what the embedded transformer stores as f32";
    EXPECT_GT(memory.loading.weights, 0U) << "what it stores as bf16, converted";
    EXPECT_EQ(memory.decoding.mapped, 0U) << "the transformer is gone";
}

TEST(RunPlan, WarnsOfMoreWorkersThanCpus) {
    EXPECT_THAT(makePlan(testing::smallProject(), {.workers = 1000, .memoryBytes = plenty})->warnings,
                ::testing::Contains(::testing::Field(&Problem::id, ProblemId("cpus-oversubscribed"))));
    EXPECT_THAT(makePlan(testing::smallProject(), {.devices = 4, .cpus = 2})->warnings,
                Contains(AllOf(Fault("cpus-oversubscribed"), testing::Names("2"))));
    EXPECT_THAT(makePlan(testing::smallProject(), {.devices = 4, .cpus = 4})->warnings,
                Not(Contains(Fault("cpus-oversubscribed"))));
}

/// The published 14B and 1.3B models, as far as estimates look at them.
ModelFacts publishedModel(std::int64_t layers, std::int64_t heads, std::int64_t feedForward) {
    ModelFacts model;
    model.family = findFamily({});
    model.transformer.layers = layers;
    model.transformer.heads = heads;
    model.transformer.headDim = 128;
    model.transformer.ffnDim = feedForward;
    return model;
}

TEST(Estimates, CountFlopsAsMaxDiffusionDoes) {
    const Project project;
    const ModelFacts large = publishedModel(40, 40, 13824);
    const Workload hd{.latentShape = {1, 16, 21, 90, 160}, .tokens = 75600, .guided = true};
    EXPECT_NEAR(estimateFlops(project, large, hd).maxDiffusionPass / 1e12, 6524.3626, 1e-3);
    const Workload sd{.latentShape = {1, 16, 21, 60, 104}, .tokens = 32760, .guided = true};
    EXPECT_NEAR(estimateFlops(project, large, sd).maxDiffusionPass / 1e12, 1679.3524, 1e-3);
    EXPECT_NEAR(estimateFlops(project, publishedModel(30, 12, 8960), sd).maxDiffusionPass / 1e12, 283.0525,
                1e-3);
}

TEST(Estimates, GuidanceDoublesTheWorkOfAStep) {
    const Project project;
    const ModelFacts model = publishedModel(30, 12, 8960);
    Workload work{.latentShape = {1, 16, 21, 60, 104}, .tokens = 32760, .guided = false};
    const FlopEstimate alone = estimateFlops(project, model, work);
    work.guided = true;
    const FlopEstimate guided = estimateFlops(project, model, work);
    EXPECT_EQ(guided.step, 2 * alone.step);
    // Within a few percent of MaxDiffusion's figure, which differs in what it leaves out.
    EXPECT_NEAR(alone.transformerPass / alone.maxDiffusionPass, 1.0, 0.02);
}

TEST(Estimates, AttentionGuidanceAddsASecondAttentionToTheText) {
    Project project;
    const ModelFacts model = publishedModel(30, 12, 8960);
    const Workload work{.latentShape = {1, 16, 21, 60, 104}, .tokens = 32760, .guided = false};
    const FlopEstimate plain = estimateFlops(project, model, work);
    project.guidanceScale = 1.0;
    project.negativePrompt = "blurry";
    project.nagScale = 11.0;
    const FlopEstimate guided = estimateFlops(project, model, work);
    EXPECT_EQ(guided.transformerPass, plain.transformerPass);
    EXPECT_NEAR((guided.step - plain.step) / 1e12, 30 * 2 * 2 * 32760.0 * 512 * 1536 / 1e12, 1e-9);
}

TEST(Estimates, MemoryGrowsWithTheVideo) {
    Project project = testing::smallProject();
    const PlanPtr small = makePlan(project, {.memoryBytes = plenty});
    project.height = project.width = 512;
    project.numFrames = 81;
    const PlanPtr large = makePlan(project, {.memoryBytes = plenty});
    EXPECT_GT(large->memory.denoising.total(), small->memory.denoising.total());
    EXPECT_GT(large->memory.decoding.total(), std::uint64_t{512} * 512 * 81 * 3 * sizeof(float));
    EXPECT_GT(large->disk.runFolder, small->disk.runFolder);
}

/// The 14B model with its weights, at 720p and 81 frames, on this mesh in one process.
MemoryEstimate largeMemory(const MeshLayout& layout, std::string_view mode, int ranks = 1) {
    ModelFacts model = publishedModel(40, 40, 13824);
    model.transformerLayers =
        std::make_shared<const std::vector<StoredLayer>>(storedLayers(model.transformer, StoredType::BF16));
    const Workload work{
        .latentShape = {1, 16, 21, 90, 160},
        .tokens = 75600,
        .guided = true,
        .placement = {.parts = {{.part = PlacedPart::VaeDecoder, .strips = layout.devices()}}},
        .workersPerDevice = 1,
        .layout = layout,
        .ranks = ranks};
    const AttentionPlans attention =
        planAttentions({.mode = findAttentionMode(mode), .ulyssesShards = 2}, model.transformer,
                       layout.shape(), {.tokens = work.tokens});
    return estimateMemory(Project(), model, work, attention.self);
}

TEST(Estimates, ADevicesMemoryFallsWithTheMesh) {
    const DeviceMemory one = largeMemory(MeshLayout(), "flash").device;
    EXPECT_EQ(one.gathered, 0U);
    const auto share = [&](std::uint64_t DeviceMemory::*part, const MeshLayout& layout,
                           std::string_view mode) {
        return static_cast<double>(largeMemory(layout, mode).device.*part) / static_cast<double>(one.*part);
    };
    // A quarter of the tokens, beside the text and the feed-forward's tile, which every device holds whole,
    // and the exchange buffers.
    EXPECT_LE(share(&DeviceMemory::activations, MeshLayout({.context = 4}), "tokamax_ring"), 0.5);
    EXPECT_LE(share(&DeviceMemory::activations, MeshLayout({.context = 4}), "ulysses"), 0.5);
    EXPECT_LE(share(&DeviceMemory::activations, MeshLayout({.context = 4}), "ulysses_ring"), 0.5);
    EXPECT_LE(share(&DeviceMemory::weights, MeshLayout({.fsdp = 4}), "flash"), 0.27);
    EXPECT_LE(share(&DeviceMemory::weights, MeshLayout({.tensor = 4}), "flash"), 0.27);
    EXPECT_LT(share(&DeviceMemory::activations, MeshLayout({.tensor = 4}), "flash"), 0.8);
}

TEST(Estimates, CountTheDeviceWithMostHeads) {
    const auto activations = [](std::string_view mode, int context) {
        return static_cast<double>(largeMemory(MeshLayout({.context = context}), mode).device.activations);
    };
    // A ring inside a process exchanges nothing: there normed tokens and the feed-forward's tile decide.
    constexpr double inner = 5120;
    const auto unexchanged = [](double tokens) { return tokens * inner + 2048.0 * 13824; };
    const auto exchanged = [&](int context) {
        return activations("ulysses", context) - activations("tokamax_ring", context) +
               sizeof(float) * unexchanged(75600.0 / context);
    };
    EXPECT_NEAR(exchanged(7) / (sizeof(float) * 10800 * inner), 4 * 42.0 / 40, 1e-6) << "6 heads of 40";
    EXPECT_NEAR(exchanged(5) / (sizeof(float) * 15120 * inner), 2, 1e-6) << "8 heads each";
}

TEST(Estimates, DevicesOfOneProcessShareEqualWeights) {
    const MemoryEstimate one = largeMemory(MeshLayout(), "tokamax_ring");
    const MemoryEstimate four = largeMemory(MeshLayout({.context = 4}), "tokamax_ring");
    EXPECT_LT(static_cast<double>(four.denoising.total()), 1.5 * static_cast<double>(one.denoising.total()))
        << "one copy of the weights for four devices";
    const MemoryEstimate sharded = largeMemory(MeshLayout({.fsdp = 4}), "tokamax_ring");
    EXPECT_NEAR(static_cast<double>(sharded.device.weights), static_cast<double>(one.device.weights) / 4,
                0.01 * static_cast<double>(one.device.weights));
    EXPECT_GT(sharded.denoising.total(), one.device.weights) << "all four parts are here";
    const MemoryEstimate spread = largeMemory(MeshLayout({.fsdp = 4}), "tokamax_ring", 4);
    EXPECT_LT(static_cast<double>(spread.denoising.total()),
              0.5 * static_cast<double>(one.denoising.total()));
}

TEST(SystemResources, AreKnown) {
    EXPECT_GT(availableMemory(), std::uint64_t{1} << 20);
    EXPECT_GT(freeDiskSpace("/tmp/not/there/yet"), 0U);
}

TEST(RunPlan, TheVaeTakesAsManyStripsAsHelpUnlessItIsTold) {
    Project project = testing::smallProject();
    for (const auto& [devices, strips] :
         {std::pair{1, 1}, {2, 2}, {6, 6}, {8, 8}, {11, 11}, {12, 6}, {16, 8}, {24, 8}, {64, 8}})
        EXPECT_EQ(vaeStrips(project, devices), strips) << devices;
    project.vaeSpatial = 16;
    EXPECT_EQ(vaeStrips(project, 32), 16);
}

}  // namespace
}  // namespace meshreel
