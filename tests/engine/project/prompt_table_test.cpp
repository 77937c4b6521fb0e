// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/prompt_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/project/project_keys.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PromptTable tableOf(const std::string& text, const Project& base = {}) {
    return readPromptTable(text, "table.csv", base);
}

/// "table-column-unknown table.csv:1 Did you mean ...?" of each problem.
std::vector<std::string> refusalsOf(const std::string& text) {
    std::vector<std::string> refusals;
    try {
        tableOf(text);
    } catch (const ProjectError& error) {
        for (const Problem& problem : error.problems())
            refusals.push_back(std::string(problem.id.name()) + " line " +
                               std::to_string(problem.place.line) + ": " + problem.hint().text());
    }
    return refusals;
}

TEST(PromptTable, EveryRowIsARunOfTheProject) {
    Project base;
    base.prompt = "a ball";
    base.width = 96;
    const PromptTable table = tableOf("prompt,seed\n\"a red ball, rolling\",3\n,4\n", base);
    ASSERT_THAT(table.columns, SizeIs(2));
    EXPECT_EQ(table.columns[1]->name, "seed");
    ASSERT_THAT(table.runs, SizeIs(2));
    const Project first = tableProject(base, table.runs[0]);
    EXPECT_EQ(first.prompt, "a red ball, rolling");
    EXPECT_EQ(first.seed, Seed(3));
    EXPECT_EQ(first.width, 96);
    const Project second = tableProject(base, table.runs[1]);
    EXPECT_EQ(second.prompt, "a ball") << "an empty field keeps the project's value";
    EXPECT_EQ(second.seed, Seed(4));
    EXPECT_THAT(table.runs[1].changes, ElementsAre(KeyChange{.key = "seed", .value = "4"}));
}

TEST(PromptTable, APresetComesFirstWhereverItsColumnStands) {
    const Project base;
    const std::string steps = std::to_string(base.numInferenceSteps);  // those of no preset
    const PromptTable behind = tableOf("num_inference_steps,preset\n" + steps + ",distill-4\n");
    const PromptTable before = tableOf("preset,num_inference_steps\ndistill-4," + steps + "\n");
    EXPECT_EQ(tableProject(base, behind.runs[0]), tableProject(base, before.runs[0]));
    EXPECT_EQ(tableProject(base, behind.runs[0]).numInferenceSteps, base.numInferenceSteps);
}

TEST(PromptTable, APromptThatABatchLeavesAsideIsRefused) {
    Project base;
    base.batchPrompts = "a ball\na cube";
    const auto read = [&](const std::string& text) { return tableOf(text, base); };
    EXPECT_THROW(read("prompt\na cat\n"), ProjectError);
    EXPECT_THAT(read("batch_prompts\na cat\n").runs, SizeIs(1));
    EXPECT_THAT(read("seed\n3\n").runs, SizeIs(1));
}

TEST(PromptTable, IsReadAsSpreadsheetsWriteIt) {
    const PromptTable table =
        tableOf("\xEF\xBB\xBFprompt, seed\r\n\"two\nlines \"\"quoted\"\"\",1\r\n,\r\nb,2\r\n\r\n");
    ASSERT_THAT(table.runs, SizeIs(2)) << "rows of empty fields are none";
    EXPECT_EQ(tableProject({}, table.runs[0]).prompt, "two\nlines \"quoted\"");
    EXPECT_EQ(table.runs[0].line, 2);
    EXPECT_EQ(table.runs[1].line, 5);
}

TEST(PromptTable, SpreadsheetsOfOtherCountriesPartColumnsBySemicolonsAndTabs) {
    for (const std::string& text :
         {std::string("prompt;guidance_scale\r\n\"a ball; red\";3,5\r\nb, c;4.5\r\n"),
          std::string("sep=;\nprompt;guidance_scale\n\"a ball; red\";3,5\nb, c;4,5\n"),
          std::string("prompt\tguidance_scale\na ball; red\t3,5\nb, c\t4.5\n")}) {
        SCOPED_TRACE(text);
        const PromptTable table = tableOf(text);
        ASSERT_THAT(table.runs, SizeIs(2));
        const Project first = tableProject({}, table.runs[0]);
        EXPECT_EQ(first.prompt, "a ball; red");
        EXPECT_EQ(first.guidanceScale, 3.5);
        const Project second = tableProject({}, table.runs[1]);
        EXPECT_EQ(second.prompt, "b, c") << "commas of texts stay";
        EXPECT_EQ(second.guidanceScale, 4.5);
        EXPECT_EQ(table.runs[1].line, text.starts_with("sep=") ? 4 : 3);
    }
    EXPECT_THAT(refusalsOf("sep=,\nprompt,seed\na,x\n"), ElementsAre(HasSubstr("line 3")));
}

TEST(PromptTable, LinesAreCountedByTheEndsOfEverySystem) {
    const PromptTable table = tableOf("prompt\ra\rb\r");
    ASSERT_THAT(table.runs, SizeIs(2));
    EXPECT_EQ(table.runs[1].line, 3);
}

TEST(PromptTable, NamesOfColumnsMayHoldSpacesOfWebPages) {
    EXPECT_EQ(tableOf("prompt,\u00A0seed\u200B\na,3\n").columns.at(1)->name, "seed");
}

TEST(PromptTable, ColumnsThatNameNoKeyAreRefusedWithTheNearest) {
    EXPECT_THAT(refusalsOf("promt,seed,guidance_scal\na,1,2\n"),
                ElementsAre("table-column-unknown line 1: Did you mean \"prompt\"?",
                            "table-column-unknown line 1: Did you mean \"guidance_scale\"?"));
    EXPECT_THAT(refusalsOf("version\n1\n"), SizeIs(1));
}

TEST(PromptTable, ValuesThatTheirKeysRefuseAreToldWithTheirLines) {
    const std::vector<std::string> refused = refusalsOf("prompt,width\na,70\nb,64\nc,wide\n");
    ASSERT_THAT(refused, SizeIs(2));
    EXPECT_THAT(refused[0], HasSubstr("line 2"));
    EXPECT_THAT(refused[1], HasSubstr("line 4"));
}

TEST(PromptTable, WhatIsNoTableIsRefused) {
    EXPECT_THAT(refusalsOf(""), SizeIs(1));
    EXPECT_THAT(refusalsOf("prompt,seed\n"), SizeIs(1));
    EXPECT_THAT(refusalsOf("prompt,prompt\na,b\n"), SizeIs(1));
    EXPECT_THAT(refusalsOf("prompt,\na,b\n"), SizeIs(1));
    EXPECT_THAT(refusalsOf("prompt\ncaf\xE9\n"), SizeIs(1));
    std::string many = "seed\n";
    for (std::size_t row = 0; row <= mostTableRuns; ++row)
        many += "1\n";
    EXPECT_THAT(refusalsOf(many), SizeIs(1));
    EXPECT_THROW(tableOf("prompt,seed\na\n"), Error);
}

TEST(PromptTable, PathsBeginAtItsFolderAndAskWhereTheyLeaveIt) {
    const testing::TemporaryFolder folder;
    setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
    fs::create_directories(folder / "shared");
    const fs::path file = folder / "shared" / "runs.csv";
    std::ofstream(file) << "image,prompt\ncat.png,a cat\n../secret.png,a dog\n/etc/passwd,a bird\n";
    Project base;
    base.image = "/pictures/own.png";
    const PromptTable table = loadPromptTable(file, base);
    EXPECT_EQ(tableProject(base, table.runs[0]).image, (folder / "shared" / "cat.png").string());
    const TrustQuestion question = askTrust(table);
    ASSERT_THAT(question.paths, SizeIs(2));
    EXPECT_EQ(question.paths[0].key, findProjectKey("image"));
    EXPECT_EQ(question.paths[0].place.line, 3);
    EXPECT_EQ(question.paths[1].path, "/etc/passwd");
    std::ofstream(file) << "image\ncat.png\n";
    EXPECT_THAT(askTrust(loadPromptTable(file, base)).paths, IsEmpty())
        << "the project's own paths ask nothing here";
    unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace meshreel
