// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/timing/same_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshreel {
namespace {

using ::testing::ElementsAre;

RunRecord namedRun(const std::string& name, double seconds) {
    RunRecord run;
    run.name = name;
    run.width = 64;
    run.steps = {{.step = 0, .seconds = 9}, {.step = 1, .seconds = seconds}};
    run.settings.task = {{"guidance_scale", "on"}, {"videos", "1"}};
    run.settings.means = {{"weights_dtype", "float32"}};
    return run;
}

TEST(SameWork, IsOfEqualSizeTaskAndMeans) {
    const RunRecord run = namedRun("run", 1);
    RunRecord larger = run;
    larger.width = 128;
    EXPECT_FALSE(haveSameTask(run, larger));
    RunRecord unguided = run;
    unguided.settings.task["guidance_scale"] = "off";
    EXPECT_FALSE(haveSameTask(run, unguided));
    RunRecord rounded = run;
    rounded.settings.means["weights_dtype"] = "bfloat16";
    EXPECT_TRUE(haveSameTask(run, rounded));
    EXPECT_FALSE(haveSameWork(run, rounded));
    RunRecord elsewhere = run;
    elsewhere.attention = "ring";
    elsewhere.devices = 4;
    elsewhere.settings.mesh["context"] = "4";
    elsewhere.settings.attention["use_base2_exp"] = "false";
    EXPECT_TRUE(haveSameWork(run, elsewhere));
}

TEST(SameWork, ARunOfOneColdStepIsTimedWhereThereIsNoOtherOnly) {
    RunRecord cold = namedRun("cold", 1);
    cold.steps.resize(1);
    const auto namesOf = [](const std::vector<RunRecord>& runs) {
        std::vector<std::string> names;
        for (const RunRecord* run : timedRuns(runs))
            names.push_back(run->name);
        return names;
    };
    EXPECT_THAT(namesOf({cold, namedRun("warm", 2)}), ElementsAre("warm"));
    EXPECT_THAT(namesOf({cold}), ElementsAre("cold"));
    RunRecord ofOtherWork = namedRun("other", 2);
    ofOtherWork.settings.task["videos"] = "4";
    EXPECT_THAT(namesOf({cold, ofOtherWork}), ElementsAre("cold", "other"));
    RunRecord begun = namedRun("begun", 1);
    begun.steps.clear();
    EXPECT_TRUE(namesOf({begun}).empty());
}

TEST(SameWork, OnlyWhatDiffersFromTheFirstIsTold) {
    const RunRecord run = namedRun("run", 1);
    RunRecord other = run;
    other.settings.task["guidance_scale"] = "off";
    other.settings.means["use_magcache"] = "true";
    const std::vector<const RunRecord*> both{&run, &other};
    EXPECT_THAT(differingWork(both), ElementsAre("", "guidance_scale off, use_magcache true"));
    const std::vector<const RunRecord*> same{&run, &run};
    EXPECT_THAT(differingWork(same), ElementsAre("", ""));
    EXPECT_TRUE(differingWork({}).empty());
}

}  // namespace
}  // namespace meshreel
