// SPDX-License-Identifier: GPL-3.0-or-later
// What runs hold of a GPU's memory, beside what their plans say, and how long the GPU works.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "engine/estimates/memory_estimates.h"
#include "engine/gpu/gpu_list.h"
#include "engine/media/image.h"
#include "engine/models/vae/wan_vae.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "tests/support/golden_folder.h"
#include "tests/support/locations.h"
#include "tests/support/random_tensor.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_gpu.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

/// A GPU's seconds of a step beside the step's own: what was begun before it may end in it. Counted twice, it
/// would be 2.
constexpr double mostOverStep = 1.5;

/// Bytes of the device's memory at most, in a stage.
struct StageBytes {
    double planned = 0;
    double held = 0;

    [[nodiscard]] double ratio() const { return held / planned; }
};

struct MeasuredRun {
    PlanPtr plan;
    StageBytes encoding = {};
    StageBytes denoising;
    StageBytes decoding;
    Tensor frames;
    std::vector<StepDeviceTimes> times = {};
    std::vector<Tensor> previews = {};
};

int largestDifference(const Tensor& one, const Tensor& other) {
    int largest = 0;
    for (std::size_t i = 0; i < one.data<std::uint8_t>().size(); ++i)
        largest = std::max(largest,
                           std::abs(int{one.data<std::uint8_t>()[i]} - int{other.data<std::uint8_t>()[i]}));
    return largest;
}

class GpuRunMemory : public testing::GpuTest {
  protected:
    /// The driver of the test's GPU, which has so much memory free.
    [[nodiscard]] std::vector<GpuDriver> driverWith(double free) const {
        for (const std::filesystem::path& manifest : driverManifests()) {
            const std::array only{manifest};
            const VulkanLibrary its(only);
            for (VkPhysicalDevice device : its.devices()) {
                GpuFacts facts = askGpu(its, device);
                facts.memoryFree = free;
                if (facts.id == id)
                    return {{.manifest = manifest, .gpus = {facts}}};
            }
        }
        return {};
    }

    [[nodiscard]] MeasuredRun run(const Project& asked, double free = 1e12,
                                  Previews previews = Previews::No) const {
        Project project = asked;
        if (project.gpus == GpuChoice::anyReal())
            project.gpus = {.numbers = {0}};
        return measure(makePlan(project, {.workers = 1, .drivers = driverWith(free)}), previews);
    }

    [[nodiscard]] static MeasuredRun measure(PlanPtr plan, Previews previews = Previews::No) {
        MeasuredRun measured{.plan = std::move(plan), .denoising = {}, .decoding = {}, .frames = {}};
        const MemoryEstimate& memory = measured.plan->memory;
        measured.encoding.planned = static_cast<double>(memory.deviceEncoding());
        measured.denoising.planned = static_cast<double>(memory.deviceDenoising());
        measured.decoding.planned = static_cast<double>(memory.deviceVae.weights + memory.deviceVae.decoding);
        DeviceMesh mesh(meshOptions(*measured.plan));
        const EventSink look = [&](const RunEvent& event) {
            if (const auto* times = std::get_if<StepDeviceTimes>(&event))
                measured.times.push_back(*times);
            if (const auto* preview = std::get_if<Preview>(&event))
                measured.previews.push_back(preview->frames.clone());
            const auto* message = std::get_if<RunMessage>(&event);
            if (message == nullptr)
                return;
            double most = 0;
            for (const auto& gpu : mesh.gpus())
                most = std::max(most, static_cast<double>(gpu->peakBytes()));
            if (message->text.text().starts_with("Encoding held"))
                measured.encoding.held = most;
            if (message->text.text().starts_with("Denoising held"))
                measured.denoising.held = most;
            if (message->text.text().starts_with("Decoding held"))
                measured.decoding.held = most;
        };
        measured.frames = generate({mesh, {}}, *measured.plan, {.previews = previews}, look).frames;
        return measured;
    }

    static Project project() {
        Project small = testing::smallProject();
        small.numInferenceSteps = 1;
        small.guidanceScale = 1;
        small.height = small.width = 16;  // decoding takes most of the software driver's time
        small.numFrames = 1;
        return small;
    }

    /// Of a transformer that takes less than the VAE.
    [[nodiscard]] Project narrowProject() const {
        testing::makeTinyModel(m_folder / "model", testing::narrowModel());
        Project narrow = project();
        narrow.model = (m_folder / "model").string();
        return narrow;
    }

    /// Of project(), made once.
    [[nodiscard]] const MeasuredRun& usualRun() const {
        static const MeasuredRun usual = run(project());
        return usual;
    }

    static void expectEncodingAsPlanned(const MeasuredRun& run) {
        EXPECT_GT(run.encoding.ratio(), 0.9) << run.encoding.held << " of " << run.encoding.planned;
        EXPECT_LE(run.encoding.ratio(), 1.0) << run.encoding.held << " of " << run.encoding.planned;
    }

    static void expectAsPlanned(const MeasuredRun& run) {
        if (run.plan->placement.isOnGpu(PlacedPart::TextEncoder))
            expectEncodingAsPlanned(run);
        EXPECT_GT(run.denoising.ratio(), 0.9) << run.denoising.held << " of " << run.denoising.planned;
        EXPECT_LE(run.denoising.ratio(), 1.0) << run.denoising.held << " of " << run.denoising.planned;
        expectDecodingAsPlanned(run);
    }

    static void expectDecodingAsPlanned(const MeasuredRun& run) {
        EXPECT_GT(run.decoding.ratio(), 0.9) << run.decoding.held << " of " << run.decoding.planned;
        EXPECT_LE(run.decoding.ratio(), 1.0) << run.decoding.held << " of " << run.decoding.planned;
    }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(GpuRunMemory, OfEachOfTwoDevicesIsWhatThePlanSays) {
    const MeasuredRun& one = usualRun();
    expectAsPlanned(one);
    Project two = project();
    two.gpus = {.numbers = {0, 0}};
    two.attention = "ulysses";
    const MeasuredRun run = this->run(two);
    EXPECT_EQ(run.plan->layout.shape().context, 2);
    expectAsPlanned(run);
    EXPECT_LE(largestDifference(one.frames, run.frames), 1);
    // How long each GPU worked, which is about as long as the step lasted at most.
    for (const MeasuredRun* timed : {&one, &run}) {
        ASSERT_EQ(timed->times.size(), 1U);
        ASSERT_EQ(timed->times[0].devices.size(), timed->plan->placement.gpus.size());
        for (const DeviceTime& device : timed->times[0].devices) {
            ASSERT_TRUE(device.gpu);
            EXPECT_GT(*device.gpu, 0.0);
            EXPECT_LE(*device.gpu, mostOverStep * device.seconds());
        }
    }
}

/// The embedded model's text encoder and the image encoder of a small image model.
TEST_F(GpuRunMemory, ImageToVideoEncodesPromptAndPictureThere) {
    const testing::TemporaryFolder folder;
    testing::makeTinyModel(folder / "model", testing::tinyModelOf("wan2.1-i2v"));
    Tensor picture = Tensor::empty({41, 58, 3}, DType::U8);
    std::ranges::generate(picture.data<std::uint8_t>(),
                          [value = 0]() mutable { return static_cast<std::uint8_t>(value += 3); });
    writePng(folder / "first.png", picture);
    Project images = project();
    images.model = (folder / "model").string();
    images.numFrames = 5;
    images.task = "i2v";
    images.image = (folder / "first.png").string();
    const MeasuredRun gpu = run(images);
    EXPECT_TRUE(gpu.plan->placement.isOnGpu(PlacedPart::TextEncoder));
    EXPECT_GT(gpu.plan->memory.deviceEncoders.image, 0U);
    expectEncodingAsPlanned(gpu);
    images.gpus = GpuChoice::none();
    const MeasuredRun cpu = run(images);
    EXPECT_LE(largestDifference(gpu.frames, cpu.frames), 1);
    EXPECT_GT(largestDifference(gpu.frames, Tensor::zeros(gpu.frames.shape(), DType::U8)), 32);

    // Each part is where its own plan has it: what is encoded from the picture, and what decodes, on the CPU.
    for (const std::array moved : {std::array{PlacedPart::ImageEncoder, PlacedPart::VaeEncoder},
                                   std::array{PlacedPart::TextEncoder, PlacedPart::VaeDecoder}}) {
        const RunPlan& whole = *gpu.plan;
        const MeasuredRun apart =
            measure(withPlacement(whole, placedAs(whole, whole.placement.with(moved, [](PartPlan& part) {
                                      part.place = PartPlace::Cpu;
                                  }))));
        SCOPED_TRACE(partsOnCpu(apart.plan->placement));
        EXPECT_LE(largestDifference(apart.frames, cpu.frames), 1);
        expectEncodingAsPlanned(apart);
        EXPECT_LT(apart.encoding.held, gpu.encoding.held);
        EXPECT_EQ(apart.decoding.held > 0, apart.plan->placement.isOnGpu(PlacedPart::VaeDecoder));
        EXPECT_GT(apart.plan->memory.decoding.packed, whole.memory.decoding.packed);
    }
}

TEST_F(GpuRunMemory, AStepCacheMakesTheCpusVideo) {
    Project cached = narrowProject();
    cached.numInferenceSteps = 4;
    cached.useFirstBlockCache = true;
    cached.firstBlockThreshold = 1;
    const MeasuredRun gpu = run(cached);
    cached.gpus = GpuChoice::none();
    EXPECT_LE(largestDifference(gpu.frames, run(cached).frames), 1);
    cached.useFirstBlockCache = false;
    EXPECT_GT(largestDifference(gpu.frames, run(cached).frames), 1) << "no step was shortened";
}

TEST_F(GpuRunMemory, ATimedPromptMakesTheCpusVideoInPlannedMemory) {
    Project timed = narrowProject();
    timed.prompt = "on black [0:50%] a red ball [50%:] a blue square";
    timed.numFrames = 5;
    const auto weightsAside = [](const MeasuredRun& run) {
        return StageBytes{
            .planned = run.denoising.planned - static_cast<double>(run.plan->memory.device.weights),
            .held = run.denoising.held - static_cast<double>(run.plan->memory.device.weights)};
    };
    for (const char* type : {"float32", "bfloat16"}) {
        SCOPED_TRACE(type);
        timed.activationsDtype = type;
        timed.weightsDtype = type;
        timed.gpus = GpuChoice::anyReal();
        const MeasuredRun gpu = run(timed);
        EXPECT_LE(weightsAside(gpu).ratio(), 1.0);
        EXPECT_GT(gpu.denoising.ratio(), 0.8) << gpu.denoising.held << " of " << gpu.denoising.planned;
        timed.gpus = GpuChoice::none();
        const MeasuredRun cpu = run(timed);
        EXPECT_LE(largestDifference(gpu.frames, cpu.frames), timed.activationsDtype == "float32" ? 1 : 8);
    }
}

TEST_F(GpuRunMemory, EncodersThatDoNotFitRunOnTheCpu) {
    Project brief = testing::briefProject();
    brief.numFrames = 1;
    brief.gpus = {.numbers = {0}};
    const PlanPtr whole = makePlan(brief, {.workers = 1, .drivers = driverWith(1e12)});
    ASSERT_TRUE(whole->placement.isOnGpu(PlacedPart::TextEncoder));
    ASSERT_EQ(whole->memory.devicePeak(), whole->memory.deviceEncoding());
    const double free = static_cast<double>(whole->memory.devicePeak()) - 1;
    const MeasuredRun left = run(brief, free);
    EXPECT_FALSE(left.plan->placement.isOnGpu(PlacedPart::TextEncoder));
    EXPECT_EQ(left.encoding.held, 0) << "nothing was encoded there";
    EXPECT_LE(left.denoising.held, free);
    brief.gpus = GpuChoice::none();
    EXPECT_LE(largestDifference(left.frames, run(brief).frames), 1);
}

TEST_F(GpuRunMemory, StaysWithinWhatIsFree) {
    Project narrow = project();
    narrow.numFrames = 5;
    narrow.weightsDtype = "bfloat16";
    narrow.activationsDtype = "bfloat16";
    narrow.vaeDtype = "bfloat16";
    narrow.vaeWeightsDtype = "bfloat16";
    const auto driver = driverWith(1e12);
    Project planned = narrow;
    planned.gpus = {.numbers = {0}};
    const MemoryEstimate whole = makePlan(planned, {.drivers = driver})->memory;
    const double free = static_cast<double>(whole.device.total() + whole.deviceVae.weights) -
                        static_cast<double>(whole.device.weights) / 2;
    const MeasuredRun less = run(narrow, free);
    EXPECT_TRUE(less.plan->placement.residentLayers());
    EXPECT_LE(less.denoising.held, free);
    EXPECT_LE(less.decoding.held, free);
    expectAsPlanned(less);
}

TEST_F(GpuRunMemory, OfInt8WeightsIsWhatThePlanSaysAndLessThanOfBf16) {
    Project narrow = project();
    narrow.weightsDtype = "bfloat16";
    narrow.activationsDtype = "bfloat16";
    Project int8 = narrow;
    int8.weightsDtype = "int8";
    const MeasuredRun run = this->run(int8);
    expectAsPlanned(run);
    narrow.gpus = {.numbers = {0}};
    const MemoryEstimate wide = makePlan(narrow, {.workers = 1, .drivers = driverWith(1e12)})->memory;
    EXPECT_LT(run.plan->memory.device.weights, wide.device.weights);
    int8.gpus = GpuChoice::none();
    EXPECT_LE(largestDifference(run.frames, this->run(int8).frames), 8);
}

TEST_F(GpuRunMemory, PreviewsAreMadeWhereTheVaeLies) {
    Project previewed = project();
    const double without = usualRun().denoising.held;
    previewed.previewFile = (testing::testData() / "golden" / "taehv" / "weights.safetensors").string();
    const MeasuredRun gpu = run(previewed, 1e12, Previews::Yes);
    expectAsPlanned(gpu);
    const auto weights = static_cast<double>(std::filesystem::file_size(previewed.previewFile));
    EXPECT_GE(gpu.denoising.held, without + weights / 2) << "the decoder lies in the GPU's memory";
    previewed.gpus = GpuChoice::none();
    const MeasuredRun cpu = run(previewed, 1e12, Previews::Yes);
    ASSERT_EQ(gpu.previews.size(), 1U);
    ASSERT_EQ(cpu.previews.size(), 1U);
    ASSERT_EQ(gpu.previews[0].shape(), cpu.previews[0].shape());
    EXPECT_LE(largestDifference(gpu.previews[0], cpu.previews[0]), 1);
    EXPECT_LT(gpu.plan->memory.denoising.packed, cpu.plan->memory.denoising.packed);
}

TEST_F(GpuRunMemory, AWideVideoIsDecodedInStripsWithinABudgetAndKeepsItsBits) {
    Project wide = narrowProject();
    wide.width = 192;
    wide.height = 32;
    const MeasuredRun whole = run(wide);
    EXPECT_EQ(whole.plan->placement.vaeStripsInTurn(), 1);
    expectAsPlanned(whole);
    const MeasuredRun cut = run(wide, whole.decoding.planned - 1);
    EXPECT_GT(cut.plan->placement.vaeStripsInTurn(), 1);
    EXPECT_LT(cut.decoding.planned, whole.decoding.planned);
    expectAsPlanned(cut);
    ASSERT_EQ(cut.frames.bytes(), whole.frames.bytes());
    EXPECT_EQ(std::memcmp(cut.frames.raw(), whole.frames.raw(), whole.frames.bytes()), 0);
}

/// A VAE alone, whose features are compared with the plan without its weights: in a run of a size that tests
/// have time for, weights are most of it.
struct VaeCase {
    const char* golden;  // whose weights
    std::int64_t width = 32;
    std::int64_t height = 32;
    std::int64_t frames = 5;
    std::int64_t chunk = 1;  // latent frames; all: -1
    const char* type = "float32";
    std::int64_t strips = 1;
};

class GpuVaeMemory : public testing::GpuWorkTest, public ::testing::WithParamInterface<VaeCase> {
  protected:
    [[nodiscard]] static WanVaeConfig config() {
        return WanVaeConfig::fromJson(readJsonObject(GoldenFolder(GetParam().golden).file("config.json")),
                                      "config.json");
    }

    [[nodiscard]] static Shape latents() {
        const VaeCase& of = GetParam();
        const WanVaeConfig vae = config();
        return {1, vae.zDim, (of.frames - 1) / vae.temporalFactor() + 1, of.height / vae.spatialFactor(),
                of.width / vae.spatialFactor()};
    }

    [[nodiscard]] static DType type() {
        return std::string(GetParam().type) == "bfloat16" ? DType::BF16 : DType::F32;
    }

    /// What the plan of a run with this VAE says.
    [[nodiscard]] static MemoryEstimate planned() {
        const VaeCase& of = GetParam();
        RunTask task = *makePlan(testing::smallProject(), {.workers = 1});
        task.project.width = of.width;
        task.project.height = of.height;
        task.project.numFrames = of.frames;
        task.project.vaeDecodeChunk = of.chunk;
        task.project.vaeEncodeChunk = of.chunk == -1 ? -1 : 4 * of.chunk;
        task.model.vae = config();
        task.model.preview.reset();
        Placement placement{
            .gpus = std::vector<ChosenGpu>(1),
            .parts = {
                {.part = PlacedPart::VaeDecoder, .place = PartPlace::EveryGpu, .stripsInTurn = of.strips}}};
        if (!config().tiny)
            placement.parts.push_back({.part = PlacedPart::VaeEncoder, .place = PartPlace::EveryGpu});
        return estimateMemory(
            task.project, task.model,
            {.latentShape = latents(), .tokens = 16, .placement = placement, .vaeActivations = type()},
            task.attentions.self);
    }

    [[nodiscard]] WanVae open() const {
        const VaeCase& of = GetParam();
        return {config(),
                Checkpoint::open(GoldenFolder(of.golden).file("weights.safetensors")),
                {.activations = type(), .weights = type()},
                {.decode = of.chunk, .encode = of.chunk == -1 ? -1 : 4 * of.chunk, .stripsInTurn = of.strips},
                &work->memory()};
    }

    /// Bytes that `compute` holds at most beside what lies there.
    template <typename Compute>
    [[nodiscard]] double held(Compute compute) const {
        work->memory().beginStage();
        const std::size_t before = work->memory().used();
        compute();
        return static_cast<double>(work->memory().peak() - before);
    }

    /// Never more than was planned, and less by a tenth at most. Buffers that are not filled come on top of
    /// what tensors use.
    static void expectAsPlanned(double held, std::uint64_t planned, std::uint64_t block) {
        const double ofTensors = static_cast<double>(planned - block);
        EXPECT_LE(held, 1.02 * ofTensors) << held / ofTensors;  // tensors begin at multiples of 256 bytes
        EXPECT_GE(held, 0.9 * ofTensors) << held / ofTensors;
    }

    WorkerPool pool{{.workers = 2}};
};

TEST_P(GpuVaeMemory, OfDecodingIsWhatThePlanSays) {
    LoneDevice lone(Execution{pool, {}, nullptr, work.get()});
    const WanVae vae = open();
    const MemoryEstimate memory = planned();
    const Tensor noise = testing::randomTensor(latents(), 1);
    const double most = held([&] { static_cast<void>(vae.decodeFrames(lone.device(), 1, noise)); });
    expectAsPlanned(most, memory.deviceVae.decoding, memory.deviceBlock);
}

TEST_P(GpuVaeMemory, OfEncodingIsWhatThePlanSays) {
    const VaeCase& of = GetParam();
    if (config().tiny || of.strips > 1)
        return;
    LoneDevice lone(Execution{pool, {}, nullptr, work.get()});
    const WanVae vae = open();
    const MemoryEstimate memory = planned();
    const Tensor video = testing::randomTensor({1, 3, of.frames, of.height, of.width}, 1);
    const double most = held([&] { static_cast<void>(vae.encode(lone.device(), 1, video)); });
    expectAsPlanned(most, memory.deviceVae.encoding, memory.deviceBlock);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, GpuVaeMemory,
    ::testing::Values(VaeCase{.golden = "vae_21"}, VaeCase{.golden = "vae_21", .type = "bfloat16"},
                      VaeCase{.golden = "vae_21", .frames = 9, .chunk = -1},
                      VaeCase{.golden = "vae_21", .width = 256, .height = 16, .frames = 1, .strips = 2},
                      VaeCase{.golden = "vae_22"}, VaeCase{.golden = "vae_22", .frames = 9, .chunk = -1},
                      VaeCase{.golden = "taehv"}, VaeCase{.golden = "taehv", .frames = 9, .chunk = -1}),
    [](const auto& of) { return std::string(of.param.golden) + std::to_string(of.index); });

}  // namespace
}  // namespace meshreel
