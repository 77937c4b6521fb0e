// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/gpu_plan.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "engine/base/strings.h"
#include "engine/checks/gpu_check.h"
#include "engine/checks/project_check.h"
#include "engine/estimates/machine_rates.h"
#include "engine/estimates/run_work.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/kernels/attention/kernel_table.h"
#include "engine/planning/plan_work.h"
#include "engine/project/project_keys.h"
#include "tests/support/refusal.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t hostMemory = std::uint64_t{64} << 30U;

std::vector<GpuDriver> oneCard(double bytes, GpuKind kind = GpuKind::Discrete) {
    return {{.manifest = "/card.json",
             .gpus = {{.id = "1",
                       .name = "A card",
                       .kind = kind,
                       .driver = "d 1",
                       .memoryTotal = 1e12,
                       .memoryFree = bytes}}}};
}

PlanPtr gpuPlanOf(const std::string& gpus, const std::vector<GpuDriver>& drivers,
                  Project project = testing::smallProject()) {
    project.gpus = std::get<GpuChoice>(parseGpuChoice(gpus));
    return makePlan(project, {.memoryBytes = hostMemory, .drivers = drivers});
}

/// The reasons for what was left for a part.
std::vector<PlaceReason> reasonsOf(const RunPlan& plan, PlacedPart part) {
    std::vector<PlaceReason> reasons;
    for (const PassedOver& each : plan.placement.find(part)->passedOver) {
        EXPECT_FALSE(each.why.empty());
        reasons.push_back(each.reason);
    }
    return reasons;
}

TEST(GpuPlan, ADiscreteGpuComputesUnlessAProjectSaysOtherwise) {
    const PlanPtr usual =
        makePlan(testing::smallProject(), {.memoryBytes = hostMemory, .drivers = oneCard(hostMemory)});
    EXPECT_EQ(usual->placement.gpus.size(), 1U);
    EXPECT_TRUE(usual->placement.whyNoGpu().empty());
    // It shares the CPU's memory: which of them is faster is not known before it was measured.
    const PlanPtr shared = gpuPlanOf("auto", oneCard(hostMemory, GpuKind::Integrated));
    EXPECT_THAT(shared->placement.gpus, IsEmpty());
    EXPECT_THAT(reasonsOf(*shared, PlacedPart::Transformer), ElementsAre(PlaceReason::NotMeasured));
    EXPECT_THAT(shared->placement.whyNoGpu(), testing::Names("A card"));
    EXPECT_THAT(describePlan(*shared), HasSubstr(shared->placement.whyNoGpu().text()));
    EXPECT_EQ(gpuPlanOf("0", oneCard(hostMemory, GpuKind::Integrated))->placement.gpus.size(), 1U);
    EXPECT_THAT(gpuPlanOf("none", oneCard(hostMemory))->placement.gpus, IsEmpty());
    EXPECT_EQ(gpuPlanOf("0", oneCard(hostMemory))->placement.gpus.at(0).facts.name, "A card");
    EXPECT_EQ(gpuPlanOf("auto", oneCard(hostMemory))->placement.gpus.size(), 1U);
    const PlanPtr software = gpuPlanOf("auto", oneCard(hostMemory, GpuKind::Software));
    EXPECT_THAT(software->placement.gpus, IsEmpty());
    EXPECT_FALSE(software->placement.whyNoGpu().empty());
    EXPECT_EQ(gpuPlanOf("auto", {})->placement.whyNoGpu(), whyNoGpu(std::vector<GpuDriver>()));
    EXPECT_NE(software->placement.whyNoGpu(), gpuPlanOf("auto", {})->placement.whyNoGpu());
}

/// Rates in a cache of their own, by which `auto` chooses.
class MeasuredGpus : public ::testing::Test {
  protected:
    void SetUp() override { ::setenv("XDG_CACHE_HOME", m_cache.path().c_str(), 1); }
    void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

    /// Of a GPU by its id, or of the CPU.
    static MachineRates keep(const std::string& id, double seconds) {
        MachineRates rates{.machine = MachineIdentity::ofThis()};
        rates.machine.gpu = id;
        rates.secondsPerUnit.fill(seconds);
        writeRates(ratesFile(rates.machine), rates);
        return rates;
    }

    /// A large card "1" and a small one "2".
    static std::vector<GpuDriver> twoCards() {
        std::vector<GpuDriver> cards = oneCard(hostMemory);
        cards.push_back(cards.front());
        cards.back().gpus.front().id = "2";
        cards.back().gpus.front().name = "A small card";
        cards.back().gpus.front().memoryTotal = 1e11;
        return cards;
    }

  private:
    testing::TemporaryFolder m_cache;
};

constexpr double fast = 1e-12;
constexpr double slow = 1e-9;
constexpr double slower = 1e-7;

TEST_F(MeasuredGpus, AutoTakesTheFastestByTheRates) {
    keep("", slow);
    keep("2", fast);
    EXPECT_EQ(gpuPlanOf("auto", twoCards())->placement.gpus.at(0).facts.name, "A card")
        << "the larger one counts as faster until it is measured";
    keep("1", fast * 10);
    EXPECT_EQ(gpuPlanOf("auto", twoCards())->placement.gpus.at(0).facts.name, "A small card");
    keep("1", fast / 10);
    EXPECT_EQ(gpuPlanOf("auto", twoCards())->placement.gpus.at(0).facts.name, "A card");
}

TEST_F(MeasuredGpus, AutoKeepsTheReasonsForTheOtherGpus) {
    const auto left = [] {
        const PlanPtr plan = gpuPlanOf("auto", twoCards());
        EXPECT_EQ(plan->placement.gpusLeft.size(), 1U);
        for (const PassedOver& each : plan->placement.gpusLeft)
            EXPECT_THAT(describePlan(*plan), HasSubstr("not taken: " + each.why.text()));
        return plan->placement.gpusLeft.at(0);
    };
    EXPECT_EQ(left().reason, PlaceReason::NotMeasured);
    keep("", slow);
    keep("1", fast);
    keep("2", fast * 10);
    EXPECT_EQ(left().reason, PlaceReason::OtherGpu);
    EXPECT_THAT(left().why, testing::Names("A small card", "A card"));
    keep("1", fast * 100);
    EXPECT_THAT(left().why, testing::Names("A card", "A small card"));
    const PlanPtr other = planOnMesh(*gpuPlanOf("auto", twoCards()), {{.key = "attention", .value = "ring"}});
    EXPECT_TRUE(other == nullptr || other->placement.gpusLeft.size() == 1U) << "known on every mesh";
    // Where the CPU is faster than both, each of them has its reason.
    keep("1", slower);
    keep("2", slower * 2);
    const PlanPtr onCpu = gpuPlanOf("auto", twoCards());
    EXPECT_THAT(reasonsOf(*onCpu, PlacedPart::Transformer),
                ElementsAre(PlaceReason::GpuIsSlower, PlaceReason::GpuIsSlower));
    EXPECT_THAT(onCpu->placement.whyNoGpu(), testing::Names("A card"));
}

TEST_F(MeasuredGpus, AutoLeavesAGpuThatIsSlowerThanTheCpu) {
    keep("1", slower);
    EXPECT_EQ(gpuPlanOf("auto", oneCard(hostMemory))->placement.gpus.size(), 1U)
        << "the CPU was not measured";
    keep("", slow);
    const PlanPtr left = gpuPlanOf("auto", oneCard(hostMemory));
    EXPECT_THAT(left->placement.gpus, IsEmpty());
    EXPECT_THAT(reasonsOf(*left, PlacedPart::Transformer), ElementsAre(PlaceReason::GpuIsSlower));
    EXPECT_THAT(left->placement.whyNoGpu(), testing::Names("A card"));
    EXPECT_EQ(gpuPlanOf("0", oneCard(hostMemory))->placement.gpus.size(), 1U) << "asked for by its number";
}

TEST_F(MeasuredGpus, RatesThatLackWhatTheProjectNeedsCountAsNone) {
    keep("", slow);
    MachineRates rates = keep("1", slower);
    EXPECT_THAT(gpuPlanOf("auto", oneCard(hostMemory))->placement.gpus, IsEmpty()) << "it is slower";
    // As in a file of a build that did not know the class.
    for (const WorkClass kind : {WorkClass::GpuLinearF32, WorkClass::GpuLinearBf16, WorkClass::GpuLinearInt8})
        rates.secondsPerUnit[static_cast<std::size_t>(kind)] = 0;
    writeRates(ratesFile(rates.machine), rates);
    EXPECT_EQ(gpuPlanOf("auto", oneCard(hostMemory))->placement.gpus.size(), 1U)
        << "a discrete one counts as faster";
    const PlanPtr left = gpuPlanOf("auto", oneCard(hostMemory, GpuKind::Integrated));
    EXPECT_THAT(left->placement.gpus, IsEmpty());
    EXPECT_THAT(reasonsOf(*left, PlacedPart::Transformer), ElementsAre(PlaceReason::NotMeasured));
}

TEST_F(MeasuredGpus, AutoTakesAnIntegratedOneThatIsFaster) {
    keep("", slow);
    keep("1", fast);
    EXPECT_EQ(gpuPlanOf("auto", oneCard(hostMemory, GpuKind::Integrated))->placement.gpus.size(), 1U);
    keep("1", slower);
    EXPECT_THAT(gpuPlanOf("auto", oneCard(hostMemory, GpuKind::Integrated))->placement.gpus, IsEmpty());
}

TEST_F(MeasuredGpus, AutoPassesOverAFastOneWithTooLittleMemory) {
    keep("", slow);
    keep("1", fast / 10);
    keep("2", fast);
    std::vector<GpuDriver> cards = twoCards();
    cards.front().gpus.front().memoryFree = 1e6;
    EXPECT_EQ(gpuPlanOf("auto", cards)->placement.gpus.at(0).facts.name, "A small card");
}

TEST(GpuPlan, WeightsAndActivationsMoveFromTheHostToTheGpu) {
    const PlanPtr cpu = gpuPlanOf("none", {});
    const PlanPtr gpu = gpuPlanOf("0", oneCard(hostMemory));
    EXPECT_GT(gpu->memory.device.weights, cpu->memory.device.weights / 2);
    EXPECT_LT(gpu->memory.denoising.total(), cpu->memory.denoising.total() + GpuStaging::bytes + 1);
    EXPECT_EQ(gpu->memory.deviceAvailable, hostMemory);
    EXPECT_THAT(describePlan(*gpu), HasSubstr("A card"));
}

TEST(GpuPlan, LayersThatDoNotFitAreStreamed) {
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory));
    EXPECT_FALSE(whole->placement.residentLayers());
    const std::uint64_t less = whole->memory.device.total() - whole->memory.device.weights / 2;
    const PlanPtr streamed = gpuPlanOf("0", oneCard(static_cast<double>(less)));
    ASSERT_TRUE(streamed->placement.residentLayers());
    EXPECT_GT(*streamed->placement.residentLayers(), 0);
    EXPECT_LE(streamed->memory.device.total(), less);
    EXPECT_LT(streamed->memory.device.weights, whole->memory.device.weights);
}

/// A wide video of the small project.
Project wideProject() {
    Project project = testing::smallProject();
    project.width = 1024;
    project.height = 64;
    return project;
}

TEST(GpuPlan, TheVaeIsOnTheGpuTooAndFreesTheHost) {
    const PlanPtr cpu = gpuPlanOf("none", {});
    EXPECT_FALSE(cpu->placement.isOnGpu(PlacedPart::VaeDecoder));
    EXPECT_EQ(cpu->memory.deviceVae.weights, 0U);
    const PlanPtr gpu = gpuPlanOf("0", oneCard(hostMemory));
    EXPECT_TRUE(gpu->placement.isOnGpu(PlacedPart::VaeDecoder));
    EXPECT_EQ(gpu->placement.vaeStripsInTurn(), 1);
    EXPECT_GT(gpu->memory.deviceVae.weights, 0U);
    EXPECT_EQ(gpu->memory.deviceVae.encoding, 0U);  // nothing is encoded
    EXPECT_EQ(gpu->memory.decoding.packed, 0U);
    EXPECT_GT(cpu->memory.decoding.packed, 0U);
    Project longer = testing::smallProject();
    longer.numFrames = 17;
    Project together = longer;
    together.vaeDecodeChunk = -1;
    EXPECT_GT(gpuPlanOf("0", oneCard(hostMemory), together)->memory.deviceVae.decoding,
              gpuPlanOf("0", oneCard(hostMemory), longer)->memory.deviceVae.decoding);
}

TEST(GpuPlan, AVideoThatIsTooWideToDecodeIsCutIntoStrips) {
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory), wideProject());
    const std::uint64_t needs = whole->memory.deviceVae.weights + whole->memory.deviceVae.decoding;
    ASSERT_EQ(whole->memory.devicePeak(), needs);
    const PlanPtr cut = gpuPlanOf("0", oneCard(static_cast<double>(needs - 1)), wideProject());
    EXPECT_TRUE(cut->placement.isOnGpu(PlacedPart::VaeDecoder));
    EXPECT_GT(cut->placement.vaeStripsInTurn(), 1);
    EXPECT_LT(cut->memory.devicePeak(), needs);
    EXPECT_THAT(describePlan(*cut), HasSubstr(std::to_string(cut->placement.vaeStripsInTurn()) + " strips"));
}

TEST(GpuPlan, AVaeThatDoesNotFitIsLeftToTheCpuWithTheReason) {
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory), wideProject());
    // Less than a strip needs, and enough for the transformer with some of its layers streamed.
    const std::uint64_t less = whole->memory.device.total() - whole->memory.device.weights / 2;
    const PlanPtr left = gpuPlanOf("0", oneCard(static_cast<double>(less)), wideProject());
    EXPECT_EQ(left->placement.gpus.size(), 1U);
    EXPECT_FALSE(left->placement.isOnGpu(PlacedPart::VaeDecoder));
    EXPECT_EQ(left->placement.vaeStripsInTurn(), 1);
    EXPECT_TRUE(left->placement.residentLayers());
    EXPECT_THAT(reasonsOf(*left, PlacedPart::VaeDecoder), ::testing::Contains(PlaceReason::MemoryShort));
    EXPECT_THAT(left->placement.whyOnCpu(PlacedPart::VaeDecoder),
                testing::Names(formatBytes(left->memory.deviceAvailable)));
    EXPECT_THAT(describePlan(*left), HasSubstr(left->placement.whyOnCpu(PlacedPart::VaeDecoder).text()));
    EXPECT_EQ(left->memory.decoding.total(), gpuPlanOf("none", {}, wideProject())->memory.decoding.total());
}

TEST(GpuPlan, TheEncodersAreOnTheGpuWhereTheyFitBesideTheOthers) {
    const PlanPtr cpu = gpuPlanOf("none", {});
    EXPECT_FALSE(cpu->placement.isOnGpu(PlacedPart::TextEncoder));
    EXPECT_EQ(cpu->memory.deviceEncoders.most(), 0U);
    EXPECT_TRUE(cpu->placement.whyOnCpu(PlacedPart::TextEncoder).empty());
    Project project = testing::smallProject();
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory), project);
    EXPECT_TRUE(whole->placement.isOnGpu(PlacedPart::TextEncoder));
    EXPECT_GT(whole->memory.deviceEncoders.text, 0U);
    EXPECT_EQ(whole->memory.deviceEncoders.image, 0U);
    EXPECT_GE(whole->memory.devicePeak(), whole->memory.deviceEncoding());
    EXPECT_THAT(describePlan(*whole), HasSubstr("computes transformer, VAE and encoders"));
    project.textEncoderDtype = "bfloat16";
    EXPECT_LT(gpuPlanOf("0", oneCard(hostMemory), project)->memory.deviceEncoders.text,
              whole->memory.deviceEncoders.text);
    // The GPU's work moves to its rates; nothing of the encoder's weights is unpacked by the CPU.
    const Work moved = measureWork(*whole)[RunStage::Conditioning];
    EXPECT_EQ(moved[WorkClass::LinearF32], 0);
    EXPECT_EQ(moved[WorkClass::TextWeights], 0);
    EXPECT_EQ(moved[WorkClass::GpuLinearF32],
              measureWork(*cpu)[RunStage::Conditioning][WorkClass::LinearF32]);
    EXPECT_GT(moved[WorkClass::GpuTransfers], 0);
}

/// Image to video on a model of random weights.
class ImagePlan : public ::testing::Test {
  protected:
    ImagePlan() {
        testing::makeTinyModel(m_folder / "model", testing::tinyModelOf("wan2.1-i2v"));
        project.model = (m_folder / "model").string();
        project.task = "i2v";
        project.image = (m_folder / "first.png").string();
        project.gpus = {.numbers = {0}};
    }

    [[nodiscard]] PlanPtr planWith(double free, std::shared_ptr<const ModelFacts> model = {}) const {
        return makePlan(project,
                        {.memoryBytes = hostMemory, .drivers = oneCard(free), .model = std::move(model)});
    }

    Project project = testing::smallProject();

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(ImagePlan, AnEncoderThatTheGpuCannotComputeLeavesTheOtherThere) {
    ModelFacts odd = planWith(hostMemory)->model;
    odd.imageEncoder->hiddenSize = odd.imageEncoder->heads * (HeadsOnGpu::step + 1);
    const PlanPtr plan = planWith(hostMemory, std::make_shared<const ModelFacts>(odd));
    EXPECT_TRUE(plan->placement.isOnGpu(PlacedPart::TextEncoder));
    EXPECT_THAT(reasonsOf(*plan, PlacedPart::TextEncoder), IsEmpty());
    EXPECT_FALSE(plan->placement.isOnGpu(PlacedPart::ImageEncoder));
    EXPECT_THAT(reasonsOf(*plan, PlacedPart::ImageEncoder), ElementsAre(PlaceReason::GpuCannot));
    EXPECT_GT(plan->memory.deviceEncoders.text, 0U);
    EXPECT_EQ(plan->memory.deviceEncoders.image, 0U);
    EXPECT_THAT(describePlan(*plan),
                HasSubstr("computes transformer, VAE and text encoder; the CPU computes the image encoder: " +
                          plan->placement.whyOnCpu(PlacedPart::ImageEncoder).text()));
}

TEST_F(ImagePlan, AVaeEncoderThatDoesNotFitLeavesTheDecoderThere) {
    project.width = project.height = 64;
    project.numFrames = 81;
    project.vaeEncodeChunk = -1;  // all frames at once: more than the transformer takes beside the decoder
    const PlanPtr whole = planWith(1e12);
    ASSERT_TRUE(whole->placement.isOnGpu(PlacedPart::VaeEncoder));
    ASSERT_GT(whole->memory.deviceVae.encoding, whole->memory.deviceVae.decoding);
    const PlanPtr apart =
        planWith(static_cast<double>(whole->memory.deviceVae.weights + whole->memory.deviceVae.encoding - 1));
    EXPECT_FALSE(apart->placement.isOnGpu(PlacedPart::VaeEncoder));
    EXPECT_THAT(reasonsOf(*apart, PlacedPart::VaeEncoder), ElementsAre(PlaceReason::MemoryShort));
    EXPECT_TRUE(apart->placement.isOnGpu(PlacedPart::VaeDecoder));
    EXPECT_EQ(apart->memory.deviceVae.encoding, 0U);
    EXPECT_LT(apart->memory.deviceVae.weights, whole->memory.deviceVae.weights);
    EXPECT_GT(apart->memory.decoding.packed, whole->memory.decoding.packed);
    EXPECT_GT(apart->memory.conditioning.activations, whole->memory.conditioning.activations);
    EXPECT_GT(measureWork(*apart)[RunStage::Conditioning][WorkClass::ConvolutionF32], 0);
    EXPECT_EQ(measureWork(*apart)[RunStage::Decoding][WorkClass::ConvolutionF32], 0);
    EXPECT_THAT(describePlan(*apart),
                HasSubstr("VAE decoder and encoders; the CPU computes the VAE encoder: "));
}

TEST(GpuPlan, EncodersThatDoNotFitAreLeftToTheCpuWithTheReason) {
    // A layer of the encoder is more than the activations of the transformer with a short prompt.
    const Project brief = testing::briefProject();
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory), brief);
    ASSERT_TRUE(whole->placement.isOnGpu(PlacedPart::TextEncoder));
    const std::uint64_t needs = whole->memory.deviceEncoding();
    ASSERT_EQ(whole->memory.devicePeak(), needs);
    const PlanPtr left = gpuPlanOf("0", oneCard(static_cast<double>(needs - 1)), brief);
    EXPECT_EQ(left->placement.gpus.size(), 1U);
    EXPECT_TRUE(left->placement.isOnGpu(PlacedPart::VaeDecoder));
    EXPECT_FALSE(left->placement.residentLayers()) << "layers are not streamed for the encoders";
    EXPECT_FALSE(left->placement.isOnGpu(PlacedPart::TextEncoder));
    EXPECT_EQ(left->memory.deviceEncoders.most(), 0U);
    EXPECT_THAT(reasonsOf(*left, PlacedPart::TextEncoder), ::testing::Contains(PlaceReason::MemoryShort));
    EXPECT_THAT(left->placement.whyOnCpu(PlacedPart::TextEncoder),
                testing::Names(formatBytes(needs), formatBytes(needs - 1)));
    EXPECT_THAT(describePlan(*left), HasSubstr(left->placement.whyOnCpu(PlacedPart::TextEncoder).text()));
    EXPECT_GT(measureWork(*left)[RunStage::Conditioning][WorkClass::TextWeights], 0);
}

TEST(GpuPlan, TooLittleMemoryIsRefusedWithNumbersOrLeftToTheCpu) {
    try {
        gpuPlanOf("0", oneCard(1e6));
        FAIL();
    } catch (const Error& refused) {
        EXPECT_EQ(refused.kind(), ErrorKind::Resources);
        EXPECT_EQ(refused.problem().id, ProblemId("memory-short"));
        EXPECT_THAT(refused.problem(), testing::Names("A card"));
    }
    const PlanPtr left = gpuPlanOf("auto", oneCard(1e6));
    EXPECT_THAT(left->placement.gpus, IsEmpty());
    EXPECT_FALSE(left->placement.residentLayers());
    EXPECT_THAT(left->placement.whyNoGpu(), testing::Names("A card"));
    EXPECT_EQ(left->memory.peak(), gpuPlanOf("none", {})->memory.peak());
}

TEST(Placement, KeepsTheReasonsForWhatItLeft) {
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory), wideProject());
    for (const PartPlan& part : whole->placement.parts)
        EXPECT_THAT(part.passedOver, IsEmpty()) << "every part has its first choice";
    const double needs = static_cast<double>(whole->memory.devicePeak());
    const PlanPtr cut = gpuPlanOf("0", oneCard(needs - 1), wideProject());
    EXPECT_THAT(reasonsOf(*cut, PlacedPart::VaeDecoder), ElementsAre(PlaceReason::MemoryShort));
    EXPECT_TRUE(cut->placement.whyOnCpu(PlacedPart::VaeDecoder).empty()) << "a GPU computes it";
    const PlanPtr slowCard = gpuPlanOf("auto", oneCard(hostMemory, GpuKind::Integrated));
    for (const PartPlan& part : slowCard->placement.parts)
        EXPECT_THAT(reasonsOf(*slowCard, part.part), ElementsAre(PlaceReason::NotMeasured));
    EXPECT_THAT(reasonsOf(*gpuPlanOf("none", oneCard(hostMemory)), PlacedPart::Transformer), IsEmpty())
        << "the project says so";
    Project budget = testing::smallProject();
    budget.gpus = GpuChoice::none();
    const std::uint64_t all = makePlan(budget, {.memoryBytes = hostMemory})->memory.peak();
    budget.memoryBudget = static_cast<double>(all) * 0.8 / (1U << 30U);
    const PlanPtr streamed = makePlan(budget, {.memoryBytes = hostMemory});
    ASSERT_TRUE(streamed->placement.residentLayers());
    EXPECT_THAT(reasonsOf(*streamed, PlacedPart::Transformer), ElementsAre(PlaceReason::BudgetShort));
    EXPECT_TRUE(streamed->placement.whyNoGpu().empty()) << "no GPU was asked for";
}

TEST(Placement, MemoryIsAFunctionOfTaskAndPlacement) {
    const PlanPtr whole = gpuPlanOf("0", oneCard(hostMemory), wideProject());
    for (const double share : {1.1, 0.9, 0.5}) {
        const PlanPtr plan = gpuPlanOf(
            "auto", oneCard(static_cast<double>(whole->memory.devicePeak()) * share), wideProject());
        const MemoryEstimate again = memoryOf(*plan, plan->placement);
        EXPECT_EQ(again.peak(), plan->memory.peak());
        EXPECT_EQ(again.devicePeak(), plan->memory.devicePeak());
        EXPECT_EQ(again.parts, plan->memory.parts);
        for (const PartPlan& part : plan->placement.parts)
            EXPECT_EQ(part.bytes, again.parts[static_cast<std::size_t>(part.part)]);
    }
}

TEST(GpuPlan, SeveralGpusAreTheDevicesOfTheMesh) {
    std::vector<GpuDriver> cards = oneCard(4e9);
    cards.push_back(cards.front());
    cards.back().gpus.front().name = "Another card";
    cards.back().gpus.front().memoryFree = 6e9;
    const PlanPtr two = gpuPlanOf("0,1", cards);
    EXPECT_EQ(two->layout.shape().context, 2);
    ASSERT_EQ(two->placement.gpus.size(), 2U);
    EXPECT_EQ(two->placement.gpus[1].facts.name, "Another card");
    EXPECT_EQ(two->placement.vaeStrips(), 1);
    EXPECT_EQ(two->memory.deviceAvailable, 4'000'000'000U) << "of the smaller one";
    EXPECT_THAT(describePlan(*two), HasSubstr("Another card"));
    const PlanPtr twice = gpuPlanOf("1,1", cards);
    EXPECT_EQ(twice->layout.devices(), 2);
    EXPECT_EQ(twice->memory.deviceAvailable, 3'000'000'000U) << "they share it";
    Project ranks = testing::smallProject();
    ranks.gpus = {.numbers = {0, 1}};
    // One of each process, or the same two of each.
    EXPECT_EQ(makePlan(ranks, {.ranks = 2, .rank = 1, .memoryBytes = hostMemory, .drivers = cards})
                  ->placement.gpus.at(0)
                  .number,
              1);
    const PlanPtr four = makePlan(
        ranks, {.devices = 4, .ranks = 2, .rank = 1, .cpus = 4, .memoryBytes = hostMemory, .drivers = cards});
    EXPECT_EQ(four->placement.gpus.size(), 2U);
    EXPECT_EQ(four->placement.gpus.front().number, 0);
    EXPECT_THAT(gpuNumbers(*four), ElementsAre(0, 1, 0, 1)) << "the same two of each process";
    EXPECT_THAT(gpuNumbers(*twice), ElementsAre(1, 1));
    EXPECT_THAT(gpuNumbers(*makePlan(ranks, {.ranks = 2, .memoryBytes = hostMemory, .drivers = cards})),
                ElementsAre(0, 1));
    EXPECT_THAT(gpuNumbers(*gpuPlanOf("auto", oneCard(hostMemory))), ElementsAre(0));
    EXPECT_THAT(gpuNumbers(*gpuPlanOf("none", {})), IsEmpty());
}

TEST(GpuPlan, WhatAGpuCannotDoHasFixesThatEndIt) {
    const ModelFacts model = makePlan(testing::smallProject())->model;
    const auto changed = [](const auto& change) {
        Project project = testing::smallProject();
        project.gpus = {.numbers = {0}};
        change(project);
        return project;
    };
    const std::vector<Project> unable{
        changed([](Project& project) { project.devices = 2; }),
        changed([](Project& project) {
            project.gpus = {.numbers = {0, 0}};
            project.iciTensorParallelism = 2;
        }),
        changed([](Project& project) { project.attention = "ulysses_custom_fixed_m"; }),
    };
    for (const Project& project : unable) {
        const std::vector<Problem> problems = gpuProblems(project, model, 1);
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_TRUE(hasFault(check(project, &model, 1), problems[0]));
        ASSERT_FALSE(problems[0].fixes.empty());
        for (const Fix& fix : problems[0].fixes) {
            Project mended = project;
            for (const KeyChange& change : fix.changes)
                EXPECT_FALSE(trySetFromText(mended, *findProjectKey(change.key), change.value));
            EXPECT_THAT(gpuProblems(mended, model, 1), IsEmpty()) << fix.changes.at(0).key;
        }
        Project automatic = project;
        automatic.gpus = GpuChoice::anyReal();
        EXPECT_THAT(gpuProblems(automatic, model, 1), IsEmpty());
        const PlanPtr plan = makePlan(automatic, {.memoryBytes = hostMemory, .drivers = oneCard(hostMemory)});
        EXPECT_THAT(plan->placement.gpus, IsEmpty());
        EXPECT_FALSE(plan->placement.whyNoGpu().empty());
    }
}

}  // namespace
}  // namespace meshreel
