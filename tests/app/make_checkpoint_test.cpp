// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <sstream>

#include "engine/weights/checkpoint.h"
#include "runner.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;

struct ListedArchitecture {
    std::string name;
    std::string part;
    std::size_t tensors = 0;
};

std::int64_t bytesOnDisk(const std::filesystem::path& file) {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    constexpr std::int64_t blockBytes = 512;
    return status.st_blocks * blockBytes;
}

class MakeCheckpoint : public testing::RunnerTest {
  protected:
    [[nodiscard]] std::vector<ListedArchitecture> listed() const {
        const ProcessResult list = meshreel({"make-checkpoint", "--arch", "list"});
        EXPECT_EQ(list.exitCode, 0) << list.err;
        std::istringstream lines(list.out);
        std::string line;
        std::getline(lines, line);  // titles
        std::vector<ListedArchitecture> rows;
        while (std::getline(lines, line)) {
            ListedArchitecture row;
            std::istringstream(line) >> row.name >> row.part >> row.tensors;
            rows.push_back(row);
        }
        return rows;
    }
};

TEST_F(MakeCheckpoint, EveryArchitectureIsMadeSparse) {
    ASSERT_GE(listed().size(), 14U);
    for (const ListedArchitecture& each : listed()) {
        const std::string folder = file(each.name).string();
        const ProcessResult made =
            meshreel({"make-checkpoint", "--arch", each.name, "--sparse", "-o", folder});
        ASSERT_EQ(made.exitCode, 0) << made.err;
        EXPECT_EQ(Checkpoint::open(folder).names().size(), each.tensors);
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            EXPECT_LT(bytesOnDisk(entry), 1 << 20) << entry;
    }
}

TEST_F(MakeCheckpoint, HelpListsTheTable) {
    const ProcessResult help = meshreel({"make-checkpoint", "--help"});
    EXPECT_EQ(help.exitCode, 0);
    for (const ListedArchitecture& each : listed())
        EXPECT_THAT(help.out, HasSubstr(each.name));
}

TEST_F(MakeCheckpoint, RandomWeightsAreInspected) {
    const std::string folder = file("clip").string();
    const ProcessResult made = meshreel(
        {"make-checkpoint", "--arch", "clip-vit-h", "--layers", "1", "--dtype", "bf16", "-o", folder});
    ASSERT_EQ(made.exitCode, 0) << made.err;
    EXPECT_EQ(meshreel({"inspect", folder}).exitCode, 0);
    EXPECT_EQ(Checkpoint::open(folder).get("visual_projection.weight").dtype(), DType::BF16);
    const ProcessResult again =
        meshreel({"make-checkpoint", "--arch", "clip-vit-h", "--sparse", "-o", folder});
    EXPECT_EQ(again.exitCode, 2);
    EXPECT_THAT(again.err, HasSubstr(folder));
}

TEST_F(MakeCheckpoint, AWholeModelIsPlanned) {
    const std::string folder = file("model").string();
    const ProcessResult made =
        meshreel({"make-checkpoint", "--arch", "wan2.1-t2v-1.3b", "--layers", "1", "--sparse", "--parts",
                  "transformer,vae,text_encoder", "-o", folder});
    ASSERT_EQ(made.exitCode, 0) << made.err;
    testing::ProjectKeys keys = testing::smallRun();
    keys["pretrained_model_name_or_path"] = folder;
    const ProcessResult plan = meshreel({"plan", project(keys)});
    EXPECT_EQ(plan.exitCode, 0) << plan.err;
}

TEST_F(MakeCheckpoint, MistakesAreUsageErrors) {
    EXPECT_EQ(meshreel({"make-checkpoint"}).exitCode, 2);
    EXPECT_EQ(meshreel({"make-checkpoint", "--arch", "umt5-xxl"}).exitCode, 2);
    EXPECT_EQ(meshreel({"make-checkpoint", "--arch", "umt6", "-o", file("x").string()}).exitCode, 2);
    EXPECT_EQ(meshreel({"make-checkpoint", "--arch", "wan2.1-vae", "--seed", "18446744073709551616", "-o",
                        file("x").string()})
                  .exitCode,
              2);
    EXPECT_EQ(meshreel({"make-checkpoint", "--arch", "wan2.1-vae", "--layers", "2", "-o", file("x").string()})
                  .exitCode,
              2);
}

}  // namespace
}  // namespace meshreel
