// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/measure/rate_measurement.h"
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

}  // namespace
}  // namespace meshreel
