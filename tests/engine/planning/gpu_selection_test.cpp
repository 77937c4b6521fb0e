// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/planning/gpu_selection.h"

#include <gmock/gmock.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GpuFacts card(std::string name, GpuKind kind, double gib, Sentence missing = {}) {
    return {.id = name,
            .name = name,
            .kind = kind,
            .memoryTotal = gib * (1U << 30U),
            .missing = std::move(missing)};
}

const std::vector<GpuDriver> drivers{
    {.manifest = "/a.json", .gpus = {card("built-in", GpuKind::Integrated, 64)}},
    {.manifest = "/b.json",
     .gpus = {card("small", GpuKind::Discrete, 8), card("large", GpuKind::Discrete, 24)}},
    {.manifest = "/c.json",
     .gpus = {card("old", GpuKind::Discrete, 48, "it lacks a thing"), card("cpu", GpuKind::Software, 128)}}};

std::vector<int> chosen(const GpuChoice& choice, const std::vector<GpuDriver>& from = drivers) {
    std::vector<int> numbers;
    for (const ChosenGpu& each : chooseGpus(choice, from))
        numbers.push_back(each.number);
    return numbers;
}

TEST(GpuSelection, AutoTakesTheLargestRealCardAndNoSoftware) {
    EXPECT_THAT(chosen(GpuChoice::anyReal()), ElementsAre(2));
    EXPECT_THAT(chosen(GpuChoice::anyReal(), {drivers[0]}), ElementsAre(0));
    EXPECT_THAT(chosen(GpuChoice::anyReal(), {drivers[2]}), IsEmpty());
    EXPECT_THAT(chosen(GpuChoice::anyReal(), {}), IsEmpty());
    EXPECT_THAT(chosen(GpuChoice::none()), IsEmpty());
}

TEST(GpuSelection, ANumberIsTakenOrRefused) {
    EXPECT_THAT(chosen({.numbers = {4}}), ElementsAre(4));
    EXPECT_THAT(chosen({.numbers = {2, 1, 2}}), ElementsAre(2, 1, 2));
    const std::vector<std::pair<std::vector<int>, std::string>> refusals{
        {{5}, "no GPU 5"}, {{3}, "lacks a thing"}, {{0, 5}, "no GPU 5"}};
    for (const auto& [numbers, reason] : refusals)
        try {
            chosen({.numbers = numbers});
            ADD_FAILURE() << reason;
        } catch (const Error& refused) {
            EXPECT_EQ(refused.kind(), ErrorKind::Project);
            EXPECT_THAT(refused.what(), HasSubstr(reason));
            EXPECT_EQ(refused.problem().key, "gpus");
            std::vector<std::string> values;
            for (const Fix& fix : refused.problem().fixes)
                values.push_back(fix.changes.at(0).value);
            EXPECT_THAT(values, ElementsAre("0", "1", "2", "4", "none"));
        }
}

}  // namespace
}  // namespace meshreel
