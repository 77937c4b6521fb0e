// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of runs, and wildcards, through the real runner.
#include <filesystem>
#include <string>

#include "engine/base/files.h"
#include "engine/runs/run_folder.h"
#include "runner.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;

class Tables : public testing::RunnerTest {
  protected:
    [[nodiscard]] std::string table(const std::string& text) const {
        writeFileAtomically(file("runs.csv"), text);
        return file("runs.csv").string();
    }

    [[nodiscard]] Project projectOfRun(const std::string& name) const {
        return RunFolder::open(file("out") / name).project();
    }
};

TEST_F(Tables, RunEveryRow) {
    const std::string rows = table("prompt,seed\n\"a red ball, moving\",3\n,4\n");
    const ProcessResult result = meshreel({"run", project(testing::smallRun()), "--table", rows, "--out",
                                           file("out").string(), "--set", "num_inference_steps=1"});
    EXPECT_EQ(result.exitCode, Done) << result.err;
    EXPECT_THAT(result.out, HasSubstr("Run 2 of 2"));
    EXPECT_EQ(projectOfRun("001").prompt, "a red ball, moving");
    EXPECT_EQ(projectOfRun("001").seed, Seed(3));
    EXPECT_EQ(projectOfRun("002").seed, Seed(4));
    EXPECT_EQ(projectOfRun("002").numInferenceSteps, 1);
}

TEST_F(Tables, ARowThatCannotRunKeepsAllFromBeginning) {
    const std::string rows = table("prompt,attention,devices\na ball,flash,1\na ball,ulysses,9\n");
    const ProcessResult result =
        meshreel({"run", project(testing::smallRun()), "--table", rows, "--out", file("out").string()});
    EXPECT_EQ(result.exitCode, BadProject);
    EXPECT_THAT(result.err, HasSubstr("runs.csv:3"));
    EXPECT_THAT(result.err, Not(HasSubstr("runs.csv:2")));
    EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(Tables, AnUnknownColumnIsRefusedByName) {
    const ProcessResult result =
        meshreel({"run", project(testing::smallRun()), "--table", table("promt\na ball\n")});
    EXPECT_EQ(result.exitCode, BadProject);
    EXPECT_THAT(result.err, HasSubstr("promt"));
    EXPECT_THAT(result.err, HasSubstr("Did you mean \"prompt\"?"));
}

TEST_F(Tables, WildcardsAreDrawnByEachRowsSeed) {
    std::filesystem::create_directory(file("words"));
    writeFileAtomically(file("words") / "colour.txt", "red\nblue\ngreen\nyellow\n");
    testing::ProjectKeys keys = testing::smallRun();
    keys["prompt"] = "a __colour__ ball";
    keys["wildcards"] = "words";
    keys["num_inference_steps"] = "1";
    const std::string written = project(keys);
    const ProcessResult validated = meshreel({"validate", written});
    EXPECT_EQ(validated.exitCode, Done) << validated.err;
    EXPECT_THAT(validated.out, HasSubstr("Seed 7 draws: a "));
    const ProcessResult result =
        meshreel({"run", written, "--table", table("seed\n7\n8\n"), "--out", file("out").string()});
    ASSERT_EQ(result.exitCode, Done) << result.err;
    EXPECT_THAT(validated.out, HasSubstr(projectOfRun("001").prompt));
    EXPECT_THAT(projectOfRun("002").prompt, Not(HasSubstr("__")));

    const ProcessResult missing = meshreel({"run", written, "--set", "prompt=a __zebra__"});
    EXPECT_EQ(missing.exitCode, BadProject);
    EXPECT_THAT(missing.err, HasSubstr("zebra.txt"));
}

}  // namespace
}  // namespace meshreel
