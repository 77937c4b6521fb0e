// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/files.h"
#include "engine/project/project_file.h"
#include "runner.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::ProjectKeys;
using testing::smallRun;

class Tune : public testing::RunnerTest {
  protected:
    [[nodiscard]] ProcessResult tune(const std::string& file, std::vector<std::string> options) const {
        options.insert(options.begin(), {"tune", file, "--iters", "1", "--warmup", "1", "--k", "1"});
        return meshreel(options);
    }
};

TEST_F(Tune, WritesATableAndWhatIsClearlyFaster) {
    ProjectKeys keys = smallRun();
    keys["attention"] = "ulysses_custom";
    const std::string file = project(keys);
    const std::string before = readFile(file);
    const ProcessResult result = tune(file, {"--out-dir", this->file("tiles").string()});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("[tile-search] wan/ulysses_custom/u1: q_seq="));
    EXPECT_THAT(result.out, HasSubstr("[tile-search] WINNER: bq="));
    EXPECT_THAT(readFile(this->file("tiles") / "tile_size_grid_search.csv"),
                ::testing::StartsWith("bq,bkv,bkv_compute,status,mean_ms,std_ms,compile_ms,detail"));
    const bool written = result.out.find("wrote flash_block_sizes") != std::string::npos;
    EXPECT_EQ(written, loadProject(file).project.blockQ != 0);
    EXPECT_EQ(written, readFile(file) != before);
}

TEST_F(Tune, ADryRunLeavesTheProject) {
    const std::string file = project(smallRun());
    const std::string before = readFile(file);
    const ProcessResult result = tune(file, {"--dry-run", "--mode", "full", "--max-configs", "2"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("mode=full -> "));
    EXPECT_EQ(readFile(file), before);
}

TEST_F(Tune, WhatCannotBeTunedIsRefused) {
    ProjectKeys keys = smallRun();
    keys["attention"] = "dot_product";
    const ProcessResult result = tune(project(keys), {});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("no blocks to tune"));
    EXPECT_EQ(tune(project(smallRun()), {"--mode", "full", "--step", "100"}).exitCode, 2);
}

}  // namespace
}  // namespace meshreel
