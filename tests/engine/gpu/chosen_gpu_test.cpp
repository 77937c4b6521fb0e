// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/chosen_gpu.h"

#include <gmock/gmock.h>

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

GpuFacts gpu(std::string name, GpuKind kind, double gib, Sentence missing = {}) {
    return {.id = name,
            .name = name,
            .kind = kind,
            .memoryTotal = gib * (1U << 30U),
            .missing = std::move(missing)};
}

const std::vector<GpuDriver> drivers{
    {.manifest = "/a.json", .gpus = {gpu("built-in", GpuKind::Integrated, 64)}},
    {.manifest = "/b.json",
     .gpus = {gpu("small", GpuKind::Discrete, 8), gpu("large", GpuKind::Discrete, 24)}},
    {.manifest = "/c.json",
     .gpus = {gpu("old", GpuKind::Discrete, 48, "it lacks a thing"), gpu("cpu", GpuKind::Software, 128)}}};

std::vector<int> numbersOf(const std::vector<ChosenGpu>& gpus) {
    std::vector<int> numbers;
    for (const ChosenGpu& each : gpus)
        numbers.push_back(each.number);
    return numbers;
}

TEST(ChosenGpus, AreNumberedThroughAllDrivers) {
    EXPECT_THAT(numbersOf(numberedGpus(drivers)), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(numberedGpus(drivers).at(4).manifest, "/c.json");
}

TEST(ChosenGpus, RealOnesAreUsableCardsTheLargestFirst) {
    EXPECT_THAT(numbersOf(realGpus(drivers)), ElementsAre(2, 1, 0));
    EXPECT_THAT(realGpus({drivers[2]}), IsEmpty()) << "one lacks a thing, one is software";
    EXPECT_THAT(realGpus({}), IsEmpty());
}

}  // namespace
}  // namespace meshreel
