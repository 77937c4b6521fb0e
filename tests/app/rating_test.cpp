// SPDX-License-Identifier: GPL-3.0-or-later
// What votes and measures say of runs, from a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "engine/runs/run_votes.h"
#include "runner.h"
#include "tests/support/judged_run.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

class Rating : public testing::RunnerTest {
  protected:
    Rating() {
        testing::makeJudgedRun(file("few"), {.steps = 10, .level = 100, .inference = 5});
        testing::makeJudgedRun(file("many"), {.steps = 40, .level = 110, .inference = 20});
    }

    ProcessResult compare(const std::vector<std::string>& options) {
        std::vector<std::string> words{"compare", file("few").string(), file("many").string()};
        words.insert(words.end(), options.begin(), options.end());
        return meshreel(words);
    }
};

TEST_F(Rating, VotesAreTheirOwnTableForPeople) {
    EXPECT_THAT(compare({}).out, Not(HasSubstr("Votes")));
    for (int vote = 0; vote < 3; ++vote)
        addVote(file("many"), file("few"), Better::Left);
    const ProcessResult result = compare({});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("Votes, by setting:\nsetting"));
    EXPECT_LT(result.out.find("num_inference_steps 40"), result.out.find("num_inference_steps 10"));
}

TEST_F(Rating, ProgramsGetThemWithEachRun) {
    EXPECT_FALSE(nlohmann::json::parse(compare({"--json"}).out)[0].contains("preferred"));
    addVote(file("many"), file("few"), Better::Left);
    const nlohmann::json runs = nlohmann::json::parse(compare({"--json"}).out);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1]["setting"], "num_inference_steps 40");
    EXPECT_EQ(runs[1]["votes"], 1);
    EXPECT_GT(runs[1]["preferred"], runs[0]["preferred"]);
    EXPECT_LT(runs[1]["preferred_low"], runs[1]["preferred"]);
    EXPECT_GT(runs[1]["preferred_high"], runs[1]["preferred"]);
    EXPECT_THAT(compare({"--csv"}).out, HasSubstr("preferred,preferred_low,preferred_high,votes"));
}

TEST_F(Rating, ChartsShowQualityAgainstTime) {
    const auto chart = [this](const std::string& name) {
        return meshreel({"chart", file("few").string(), file("many").string(), "--kind", "quality", "-o",
                         file(name).string()});
    };
    const ProcessResult refused = chart("none.svg");
    EXPECT_NE(refused.exitCode, 0);
    EXPECT_THAT(refused.err, HasSubstr("Nobody has voted"));
    addVote(file("many"), file("few"), Better::Left);
    EXPECT_EQ(chart("quality.svg").exitCode, 0);
    EXPECT_THAT(readFile(file("quality.svg")), HasSubstr("num_inference_steps 40"));
    EXPECT_EQ(chart("quality.json").exitCode, 0);
    EXPECT_EQ(nlohmann::json::parse(readFile(file("quality.json")))[0]["setting"], "num_inference_steps 40");
}

TEST_F(Rating, MeasuresAreTakenWhenTheyAreAskedFor) {
    EXPECT_THAT(compare({}).out, Not(HasSubstr("psnr_db")));
    const ProcessResult result = compare({"--measures"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("Measures of the videos:\nrun"));
    const nlohmann::json runs = nlohmann::json::parse(compare({"--measures", "--json"}).out);
    EXPECT_TRUE(runs[0]["psnr_db"].is_null()) << "the others are measured against it";
    EXPECT_NEAR(runs[1]["psnr_db"].get<double>(), 28.13, 0.01);
    EXPECT_NEAR(runs[1]["flicker"].get<double>(), 0, 1e-4);
    std::filesystem::remove_all(file("many") / "video");
    const ProcessResult partly = compare({"--measures"});
    EXPECT_EQ(partly.exitCode, 3);
    EXPECT_THAT(partly.err, HasSubstr("left out"));
    EXPECT_THAT(partly.out, HasSubstr("Measures of the videos"));
}

TEST_F(Rating, DamagedVotesAreToldAndLeaveTheTimings) {
    writeFileAtomically(file(votesFileName), "{");
    const ProcessResult result = compare({});
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_THAT(result.err, HasSubstr("votes.json"));
    EXPECT_THAT(result.out, HasSubstr("few"));
    EXPECT_EQ(readFile(file(votesFileName)), "{");
}

}  // namespace
}  // namespace meshreel
