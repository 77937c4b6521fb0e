// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_choice.h"

#include <gmock/gmock.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

std::vector<int> chosen(std::string_view text, const std::vector<GpuDriver>& from = drivers) {
    std::vector<int> numbers;
    for (const ChosenGpu& each : chooseGpus(GpuChoice::parse(text).value(), from))
        numbers.push_back(each.number);
    return numbers;
}

TEST(GpuChoice, ReadsWhatItWrites) {
    EXPECT_TRUE(GpuChoice::parse("auto")->automatic);
    EXPECT_TRUE(GpuChoice::parse("none")->isNone());
    EXPECT_THAT(GpuChoice::parse("0,12")->numbers, ElementsAre(0, 12));
    for (const std::string_view wrong : {"", "fast", "-1", "0,", ",1", "0 1", "1.5", "99999999999"})
        EXPECT_FALSE(GpuChoice::parse(wrong)) << wrong;
}

TEST(GpuChoice, ProblemsHaveTheKeyAndLegalValues) {
    EXPECT_THAT(gpuChoiceProblems("auto"), IsEmpty());
    EXPECT_THAT(gpuChoiceProblems("3"), IsEmpty());
    EXPECT_THAT(gpuChoiceProblems("0,0"), IsEmpty());
    for (const std::string_view wrong : {"fast", "0,"}) {
        const std::vector<Problem> problems = gpuChoiceProblems(wrong);
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_EQ(problems[0].key, "gpus");
        for (const Fix& fix : problems[0].fixes)
            EXPECT_THAT(gpuChoiceProblems(fix.changes.at(0).value), IsEmpty());
    }
}

TEST(GpuChoice, AutoTakesTheLargestRealCardAndNoSoftware) {
    EXPECT_THAT(chosen("auto"), ElementsAre(2));
    EXPECT_THAT(chosen("auto", {drivers[0]}), ElementsAre(0));
    EXPECT_THAT(chosen("auto", {drivers[2]}), IsEmpty());
    EXPECT_THAT(chosen("auto", {}), IsEmpty());
    EXPECT_THAT(chosen("none"), IsEmpty());
}

TEST(GpuChoice, ANumberIsTakenOrRefused) {
    EXPECT_THAT(chosen("4"), ElementsAre(4));
    EXPECT_THAT(chosen("2,1,2"), ElementsAre(2, 1, 2));
    EXPECT_EQ(chooseGpus(GpuChoice::parse("4").value(), drivers).at(0).manifest, "/c.json");
    for (const auto& [text, reason] :
         {std::pair{"5", "no GPU 5"}, std::pair{"3", "lacks a thing"}, std::pair{"0,5", "no GPU 5"}})
        try {
            chosen(text);
            ADD_FAILURE() << text;
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
