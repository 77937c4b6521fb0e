// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/measure/gpu_rate_probes.h"
#include "engine/measure/rate_measurement.h"
#include "engine/measure/rate_samples.h"
#include "engine/measure/tile_tuning.h"
#include "engine/planning/gpu_plan.h"
#include "engine/planning/run_plan.h"
#include "tests/support/small_project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class GpuRates : public testing::GpuTest {
  protected:
    /// The device of the software driver, as a project names it.
    [[nodiscard]] ChosenGpu chosen() const {
        ChosenGpu gpu{.number = 0, .manifest = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"};
        for (VkPhysicalDevice device : library->devices())
            if (GpuFacts facts = askGpu(*library, device); facts.id == id)
                gpu.facts = facts;
        return gpu;
    }
};

TEST_F(GpuRates, ARoundTellsEveryClassOfGpusApartButTheStart) {
    constexpr double atOnce = 1e-9;  // the smallest of each kind
    const GpuRoundLimits limits{.passSeconds = atOnce, .runs = false};
    RateMeasurement measurement(
        {}, {}, nullptr, [&](RateSamples& samples) { timeGpuRound(samples, chosen(), limits); },
        MachineIdentity::ofGpu(chosen().facts));
    measurement.round();
    const MachineRates rates = measurement.rates();
    EXPECT_EQ(rates.machine.gpu, id);
    std::vector<std::string> names;
    for (const RateSample& sample : rates.samples) {
        names.push_back(sample.name);
        EXPECT_EQ(sample.arrangement.gpus, 1) << sample.name;
        EXPECT_GT(sample.seconds, 0) << sample.name;
    }
    EXPECT_THAT(names, Contains(AllOf(HasSubstr("16 tokens"), HasSubstr("bf16"))));
    EXPECT_THAT(names, Contains(HasSubstr("VAE")));
    EXPECT_LT(std::ssize(names), mostSamplesOfGpuRound());
    for (const WorkClassRow& row : workClassRows())
        if (row.processor == Processor::Gpu && row.kind != WorkClass::GpuStarts) {
            EXPECT_GT(rates.secondsPerUnit.at(static_cast<std::size_t>(row.kind)), 0) << row.name;
        }
}

/// A plan of the embedded model on the software driver's device.
PlanPtr planOn(const ChosenGpu& gpu, const std::string& weights, const std::string& activations) {
    Project project = testing::smallProject();
    project.gpus = {.numbers = {0}};
    project.weightsDtype = weights;
    project.activationsDtype = activations;
    return makePlan(project,
                    {.memoryBytes = std::uint64_t{64} << 30U,
                     .drivers = std::vector<GpuDriver>{{.manifest = gpu.manifest, .gpus = {gpu.facts}}}});
}

TEST_F(GpuRates, TheSearchTimesEveryCandidateAndKeepsThemForRuns) {
    const testing::TemporaryFolder cache;
    ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    // Software drivers multiply bf16 in one way, and bytes in two.
    const PlanPtr plan = planOn(chosen(), "int8", "bfloat16");
    const TileTiming timing{.iterations = 2, .warmUp = 1};
    std::size_t told = 0;
    const auto count = [&](const TunedKernel&, std::size_t, const GpuSample& trial) {
        EXPECT_EQ(trial.timing.seconds.size(), 2U) << trial.form;
        ++told;
    };
    std::size_t passes = 0;
    const std::vector<TunedKernel> kernels =
        tuneGpus(*plan, timing, {}, count, [&](const TunedKernel& kernel, std::size_t index, double seconds) {
            EXPECT_FALSE(kernel.trials.at(index).form.empty());
            EXPECT_GT(seconds, 0);
            ++passes;
        });
    EXPECT_FALSE(std::filesystem::exists(usualTuningFile())) << "kept only when asked to";
    ASSERT_EQ(kernels.size(), 2U);
    EXPECT_EQ(passes, 3 * told);
    EXPECT_EQ(kernels[1].taken, std::nullopt) << "no run has compared them";
    keepFastest(kernels);
    EXPECT_EQ(kernels[0].kernel, "attention 64");
    EXPECT_EQ(kernels[1].kernel, "linear int8");
    EXPECT_EQ(told, kernels[0].trials.size() + kernels[1].trials.size());
    const GpuTuning kept(usualTuningFile(), id);
    for (const TunedKernel& tuned : kernels) {
        ASSERT_NE(tuned.fastest(), nullptr);
        const auto found = std::ranges::find(kept.kernels(), tuned.kernel, &MeasuredKernel::kernel);
        // Where there is nothing to choose from, nothing is kept.
        ASSERT_EQ(found != kept.kernels().end(), tuned.trials.size() > 1) << tuned.kernel;
        if (found == kept.kernels().end())
            continue;
        EXPECT_EQ(found->variants.size(), tuned.trials.size());
        EXPECT_EQ(found->fastest()->form, tuned.fastest()->form);
        EXPECT_EQ(found->fastest()->block, tuned.fastest()->block);
    }
    const std::vector<TunedKernel> again = tuneGpus(*plan, {.iterations = 1, .warmUp = 1}, {});
    ASSERT_TRUE(again[1].taken);
    EXPECT_EQ(again[1].trials.at(*again[1].taken).form, kernels[1].fastest()->form);
    ::unsetenv("XDG_CACHE_HOME");
}

TEST_F(GpuRates, WhatHasOneCandidateOrNoGpuIsRefusedWithTheCure) {
    const auto refusal = [](const RunPlan& plan) {
        try {
            static_cast<void>(tuneGpus(plan, {}, {}));
        } catch (const Error& error) {
            return error.asSentence().text() + ": " + error.where();
        }
        return std::string();
    };
    EXPECT_THAT(refusal(*planOn(chosen(), "float32", "float32")), HasSubstr("activations_dtype"));
    const PlanPtr onGpu = planOn(chosen(), "bfloat16", "bfloat16");
    EXPECT_THAT(refusal(*withPlacement(*onGpu, placeOnCpu(*onGpu, {}))), HasSubstr("no GPU"));
    EXPECT_THROW(planTiles(*onGpu, {}), Error) << "those are the CPU's sizes";
}

TEST(GpuSearch, TheTableNamesTheGpuAndTheFastestFirst) {
    const auto trialOf = [](const char* form, const std::vector<double>& seconds) {
        return GpuSample{.form = form,
                         .block = "b",
                         .timing = {.status = seconds.empty() ? SampleStatus::Failed : SampleStatus::Ok,
                                    .seconds = seconds}};
    };
    const TunedKernel tuned{
        .gpu = {.facts = {.name = "A card", .driver = "d 1"}},
        .kernel = "linear",
        .size = "80 tokens",
        .trials = {trialOf("scalar", {3, 5}), trialOf("khr_f16", {}), trialOf("khr_bf16", {1, 1})}};
    ASSERT_NE(tuned.fastest(), nullptr);
    EXPECT_EQ(tuned.fastest()->form, "khr_bf16");
    const std::string text = toCsv(gpuTable({tuned}));
    EXPECT_THAT(text, HasSubstr("A card,d 1,linear,80 tokens,khr_bf16,b,ok,1000"));
    EXPECT_LT(text.find("khr_bf16"), text.find("scalar"));
    EXPECT_LT(text.find("scalar"), text.find("khr_f16"));
    EXPECT_EQ(TunedKernel{.trials = {trialOf("scalar", {})}}.fastest(), nullptr);
}

}  // namespace
}  // namespace meshreel
