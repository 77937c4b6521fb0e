// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/queue/queue_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/project/project_file.h"
#include "engine/project/project_keys.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Project projectOfSeed(int seed) {
    Project project;
    project.prompt = "a \"ball\": # no comment";
    project.seed = seed;
    return project;
}

Project ofPreset(Project project, const char* preset) {
    setFromText(project, *findProjectKey("preset"), preset);
    return project;
}

/// One after another they differ in everything that changes can be made of.
std::vector<QueuedRun> differentRuns() {
    Project described = projectOfSeed(std::numeric_limits<int>::max());
    described.prompt = "two\nlines = of Ünïcode \xe7\x8c\xb4,\ttabs ";
    described.batchSeeds = "1, 2, 3";
    described.flowShift = 1.0 / 3;
    described.transformerFile = "models/a=b.safetensors";
    described.lora = {{.file = "a, b.safetensors", .strength = -0.7, .expert = ExpertChoice::High},
                      {.file = "c.safetensors"}};
    const Project distilled = ofPreset(described, "distill-4");
    Project guided = distilled;
    guided.preset = "none";  // with the values of the preset
    Project bare;
    bare.prompt = "rain";
    bare.useBase2Exp = false;
    bare.vmemLimitBytes = std::int64_t{1} << 40;
    std::vector<QueuedRun> runs;
    for (const Project& project : {projectOfSeed(1), projectOfSeed(2), projectOfSeed(2), described, distilled,
                                   guided, distilled, bare})
        runs.push_back(queuedNow(project));
    runs[1].state = QueuedRun::State::Failed;
    runs[1].remark = "no memory";
    runs[1].ended = runs[1].added + 1;
    runs[2].folder = "/runs/two";
    runs[2].varied = {"seed", "prompt"};
    return runs;
}

class QueueFile : public ::testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path file() const { return m_folder / "kept" / "queue.json"; }

    void write(const nlohmann::json& runs) const {
        std::filesystem::create_directories(file().parent_path());
        writeFileAtomically(file(), nlohmann::json{{"runs", runs}}.dump());
    }

  private:
    testing::TemporaryFolder m_folder;
};

TEST_F(QueueFile, BringsBackEveryProject) {
    const std::vector<QueuedRun> runs = differentRuns();
    writeQueue(file(), runs);
    const KeptQueue kept = readQueue(file());
    EXPECT_FALSE(kept.isOfEarlierVersion);
    ASSERT_THAT(kept.runs, SizeIs(runs.size()));
    for (std::size_t row = 0; row < runs.size(); ++row)
        EXPECT_TRUE(kept.runs[row] == runs[row]) << row;
}

// As they were written once, and as they are where changes do not tell a project.
TEST_F(QueueFile, ReadsWholeProjectsWithoutIds) {
    const std::vector<QueuedRun> runs = differentRuns();
    nlohmann::json array = nlohmann::json::array();
    for (const QueuedRun& run : runs)
        array.push_back({{"project", resolvedYaml(run.project)}});
    write(array);
    const KeptQueue kept = readQueue(file());
    EXPECT_TRUE(kept.isOfEarlierVersion);
    ASSERT_THAT(kept.runs, SizeIs(runs.size()));
    std::set<std::string> ids;
    for (std::size_t row = 0; row < runs.size(); ++row) {
        EXPECT_TRUE(kept.runs[row].project == runs[row].project) << row;
        ids.insert(kept.runs[row].id);
    }
    EXPECT_THAT(ids, SizeIs(runs.size()));
}

TEST_F(QueueFile, GivesRunsOfOneIdDifferentOnes) {
    std::vector<QueuedRun> runs(2, queuedNow(projectOfSeed(1)));
    writeQueue(file(), runs);
    const KeptQueue kept = readQueue(file());
    ASSERT_THAT(kept.runs, SizeIs(2));
    EXPECT_EQ(kept.runs[0].id, runs[0].id);
    EXPECT_NE(kept.runs[1].id, runs[0].id);
}

TEST_F(QueueFile, RefusesChangesOfNoKey) {
    for (const char* change : {"sead=1", "seed", "seed=many", ""}) {
        write(nlohmann::json::array({{{"changes", nlohmann::json::array({change})}}}));
        const KeptQueue kept = readQueue(file());
        EXPECT_THAT(kept.runs, IsEmpty()) << change;
        ASSERT_THAT(kept.unread, SizeIs(1)) << change;
        EXPECT_FALSE(kept.unread.front().reason.empty()) << change;
    }
}

TEST_F(QueueFile, OneUnreadableRunLeavesTheOthers) {
    const std::string good = resolvedYaml(projectOfSeed(1));
    const auto whole = [](const std::string& text) { return nlohmann::json{{"project", text}}; };
    nlohmann::json change;
    change["changes"] = nlohmann::json::array({"seed=7"});
    nlohmann::json array = nlohmann::json::array();
    for (const nlohmann::json& run : {whole(good), whole(good + "key_of_a_later_version: 3\n"), change,
                                      whole(good), change, nlohmann::json(5), nlohmann::json::object()})
        array.push_back(run);
    write(array);
    const KeptQueue kept = readQueue(file());
    ASSERT_THAT(kept.runs, SizeIs(3));
    EXPECT_TRUE(kept.runs[0].project == projectOfSeed(1));
    EXPECT_TRUE(kept.runs[2].project == projectOfSeed(7));
    std::vector<int> unread;
    for (const UnreadRun& run : kept.unread)
        unread.push_back(run.number);
    EXPECT_THAT(unread, ElementsAre(2, 3, 6, 7));
    EXPECT_THAT(kept.unread[0].reason.text(), HasSubstr("key_of_a_later_version"));
}

TEST_F(QueueFile, HoldsOneWholeProjectHoweverLongItIs) {
    constexpr int rows = 1700;
    std::vector<QueuedRun> runs;
    for (int seed = 0; seed < rows; ++seed)
        runs.push_back(queuedNow(projectOfSeed(seed)));
    writeQueue(file(), runs);
    EXPECT_TRUE(readQueue(file()).runs == runs);
    const std::string text = readFile(file());
    const std::string key = "\"project\"";
    EXPECT_NE(text.find(key), std::string::npos);
    EXPECT_EQ(text.find(key), text.rfind(key));
}

TEST_F(QueueFile, IsRefusedAsAWholeWithoutAListOfRuns) {
    std::filesystem::create_directories(file().parent_path());
    for (const char* text : {"", "{ \"runs\": [", "[]", "{}", R"({"runs": 5})"}) {
        writeFileAtomically(file(), text);
        EXPECT_THROW(readQueue(file()), Error) << text;
    }
}

TEST_F(QueueFile, TakesNamesThatAreNotUtf8) {
    QueuedRun run = queuedNow(projectOfSeed(1));
    run.folder = "/runs/\xff";
    writeQueue(file(), {run});
    EXPECT_EQ(readQueue(file()).runs.at(0).folder, "/runs/\xef\xbf\xbd");
}

}  // namespace
}  // namespace meshreel
