// SPDX-License-Identifier: GPL-3.0-or-later
// Charts and comparisons of runs from a terminal.
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "runner.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;
using ::testing::StartsWith;

class Charts : public testing::RunnerTest {
  protected:
    /// Makes a run on `devices` devices; returns its folder.
    std::string run(int devices) {
        testing::ProjectKeys keys = testing::smallRun();
        keys["ici_context_parallelism"] = std::to_string(devices);
        keys["attention"] = devices == 1 ? "flash" : "ulysses";
        const std::string folder = file("run" + std::to_string(devices)).string();
        const ProcessResult result = meshreel({"run", project(keys), "--out", folder});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return folder;
    }
};

TEST_F(Charts, EveryKindAndFormat) {
    const std::string folder = run(2);
    for (const char* kind : {"steps", "stages", "scaling", "lanes"})
        for (const char* extension : {"png", "svg", "pdf", "csv", "json"}) {
            const std::string target = file(std::string(kind) + "." + extension).string();
            const ProcessResult chart = meshreel({"chart", folder, "--kind", kind, "-o", target});
            EXPECT_EQ(chart.exitCode, 0) << kind << " " << extension << ": " << chart.err;
            EXPECT_GT(std::filesystem::file_size(target), 0U) << target;
        }
    EXPECT_THAT(readFile(file("lanes.csv")),
                StartsWith("device,start,seconds,attention,computing,exchange\n"));
}

TEST_F(Charts, CompareTellsSpeedAgainstTheFirst) {
    const std::string one = run(1);
    const std::string two = run(2);
    const ProcessResult text = meshreel({"compare", one, two, "--summaries"});
    EXPECT_EQ(text.exitCode, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("TIMING SUMMARY"));
    const ProcessResult json = meshreel({"compare", one, two, "--json"});
    const auto rows = nlohmann::json::parse(json.out);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["speed"], 1.0);
    EXPECT_EQ(rows[1]["attention"], "ulysses");
    EXPECT_EQ(rows[1]["devices"], 2);
}

TEST_F(Charts, RefusalsTellWhatToDo) {
    const std::string target = file("x.png").string();
    const ProcessResult kind = meshreel({"chart", ".", "--kind", "pie", "-o", target});
    EXPECT_EQ(kind.exitCode, 2);
    EXPECT_THAT(kind.err, HasSubstr("steps, stages, scaling, lanes"));
    const ProcessResult folder = meshreel({"chart", file("none").string(), "-o", target});
    EXPECT_EQ(folder.exitCode, 3) << folder.err;
    const ProcessResult format = meshreel({"chart", run(1), "-o", file("x.bmp").string()});
    EXPECT_EQ(format.exitCode, 2);
    EXPECT_THAT(format.err, HasSubstr(".svg"));
    EXPECT_FALSE(std::filesystem::exists(target));
}

}  // namespace
}  // namespace meshreel
