// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/weights/formats/safetensors.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ProcessResult;

const fs::path goldenFolder = testing::testData() / "golden";

std::vector<std::string> goldenCases() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(goldenFolder))
        if (fs::exists(entry.path() / "case.json"))
            names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

class VerifyEachCase : public testing::RunnerTest, public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(Golden, VerifyEachCase, ::testing::ValuesIn(goldenCases()),
                         [](const auto& each) { return each.param; });

TEST_P(VerifyEachCase, Passes) {
    const ProcessResult result = meshreel({"verify", (goldenFolder / GetParam()).string()});
    EXPECT_EQ(result.exitCode, 0) << result.out << result.err;
    EXPECT_EQ(result.err, "");
}

class Verify : public testing::RunnerTest {
  protected:
    [[nodiscard]] fs::path copyRuns(const std::string& name) const {
        fs::copy(goldenFolder / name, file(name), fs::copy_options::recursive);
        return file(name);
    }
};

TEST(VerifyCases, TheCasesOfTheTextToVideoPathAreThere) {
    EXPECT_THAT(goldenCases(), ::testing::IsSupersetOf({"dit_t2v", "pipeline_t2v", "schedulers", "tokenizer",
                                                        "torch_random", "umt5", "vae_21", "vae_21_res2"}));
}

TEST_F(Verify, AWrongOutputIsAMismatchAndDoesNotHideTheOthers) {
    const fs::path wrong = copyRuns("torch_random");
    std::vector<NamedTensor> tensors;
    {
        const SafetensorsFile io = SafetensorsFile::open(wrong / "io.safetensors");
        for (const std::string& name : io.names())
            tensors.emplace_back(name, io.get(name).clone());
    }
    const auto first = std::ranges::find(tensors, "randn.s0.n16", &NamedTensor::first);
    ASSERT_NE(first, tensors.end());
    first->second.data<float>()[5] += 0.001F;
    writeSafetensors(wrong / "io.safetensors", tensors);

    const ProcessResult result = meshreel({"verify", wrong.string(), (goldenFolder / "schedulers").string()});
    EXPECT_EQ(result.exitCode, 6);
    EXPECT_THAT(result.out, HasSubstr("randn.s0.n16"));
    EXPECT_THAT(result.out, HasSubstr("schedulers"));
    EXPECT_THAT(result.err, HasSubstr("torch_random"));
}

TEST_F(Verify, AnUnknownKindIsAUsageError) {
    const fs::path strange = copyRuns("torch_random");
    nlohmann::json description = readJsonObject(strange / "case.json");
    description["kind"] = "telepathy";
    writeFileAtomically(strange / "case.json", description.dump());
    const ProcessResult result = meshreel({"verify", strange.string()});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("telepathy"));
}

TEST_F(Verify, AMissingOrDamagedCaseIsBadInput) {
    EXPECT_EQ(meshreel({"verify", file("nowhere").string()}).exitCode, 3);
    const fs::path cut = copyRuns("umt5");
    fs::resize_file(cut / "io.safetensors", fs::file_size(cut / "io.safetensors") / 2);
    const ProcessResult result = meshreel({"verify", cut.string()});
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_THAT(result.err, HasSubstr("io.safetensors"));
}

}  // namespace
}  // namespace meshreel
