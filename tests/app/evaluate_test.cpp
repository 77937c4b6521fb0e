// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/tiny_model.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;

class Evaluate : public testing::RunnerTest {
  protected:
    [[nodiscard]] ProcessResult evaluate(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"evaluate", "tiny-wan-t2v", "--out", file("out").string()});
        return meshreel(arguments);
    }
};

TEST_F(Evaluate, MakesVideosMeasuresThemAndGoesOnWhereItStopped) {
    const ProcessResult first = evaluate({"--prompts", "1", "--steps", "2"});
    ASSERT_EQ(first.exitCode, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("Shape"));
    EXPECT_THAT(first.err, HasSubstr("[1/1] "));
    const auto madeAt = [&] {
        return std::filesystem::last_write_time(
            std::filesystem::directory_iterator(file("out") / "clips")->path());
    };
    const auto before = madeAt();

    const ProcessResult again = evaluate({"--prompts", "1", "--steps", "2", "--json"});
    ASSERT_EQ(again.exitCode, 0) << again.err;
    EXPECT_EQ(madeAt(), before);
    EXPECT_EQ(again.out, readFile(file("out") / "figures.json"));
    const auto json = nlohmann::json::parse(again.out);
    EXPECT_EQ(json.at("clips").size(), 1U);
    EXPECT_EQ(json.at("figures").size(), 7U);
    EXPECT_TRUE(std::filesystem::exists(file("out") / "contact-sheet.png"));

    EXPECT_EQ(evaluate({"--prompts", "1", "--steps", "3"}).exitCode, 3);
    EXPECT_EQ(evaluate({"--prompts", "1", "--steps", "2", "--flow-shift", "5"}).exitCode, 3);
}

TEST_F(Evaluate, TheFlowShiftChangesTheVideo) {
    const auto toClip = [&](const char* flowShift) {
        const ProcessResult result =
            meshreel({"evaluate", "tiny-wan-t2v", "--prompts", "1", "--steps", "2", "--flow-shift", flowShift,
                      "--out", file(flowShift).string(), "--json"});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_EQ(nlohmann::json::parse(result.out).at("flow_shift"), std::stod(flowShift));
        return readFile(std::filesystem::directory_iterator(file(flowShift) / "clips")->path());
    };
    EXPECT_NE(toClip("3"), toClip("5"));
}

TEST_F(Evaluate, APresetDecidesOnStepsGuidanceAndFlowShiftAndTheyAreKept) {
    const ProcessResult result = evaluate({"--prompts", "1", "--preset", "distill-4", "--json"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    for (const auto& kept : {nlohmann::json::parse(result.out),
                             nlohmann::json::parse(readFile(file("out") / "settings.json"))}) {
        EXPECT_EQ(kept.at("preset"), "distill-4");
        EXPECT_EQ(kept.at("steps"), 4);
        EXPECT_EQ(kept.at("guidance"), 1.0);
        EXPECT_EQ(kept.at("flow_shift"), 5.0);
    }
}

TEST_F(Evaluate, ModelsOfImagesAreGivenAFirstFrame) {
    testing::makeTinyModel(file("i2v"), testing::tinyModelOf("wan2.2-i2v-a14b"));
    const ProcessResult result = meshreel({"evaluate", file("i2v").string(), "--out", file("out").string(),
                                           "--prompts", "1", "--steps", "2", "--json"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json.at("figures").back().at("key"), "first_frame");
    EXPECT_GT(json.at("clips").at(0).at("found").at("first_frame"), 0.0);
    EXPECT_TRUE(std::filesystem::exists(file("out") / "first-frames" / "000.png"));
}

TEST_F(Evaluate, ARandomSeedIsKeptForGoingOn) {
    const std::vector<std::string> line{"--prompts", "1", "--steps", "1", "--seed", "-1"};
    ASSERT_EQ(evaluate(line).exitCode, 0);
    const std::string settings = readFile(file("out") / "settings.json");
    const auto seed = nlohmann::json::parse(settings).at("seed").get<std::uint64_t>();
    EXPECT_NE(seed, 77U);
    const ProcessResult again = evaluate(line);
    EXPECT_EQ(again.exitCode, 0) << again.err;
    EXPECT_EQ(readFile(file("out") / "settings.json"), settings);
}

TEST_F(Evaluate, MistakesAreUsageErrors) {
    for (const char* seed : {"99999999999999999999999", "-2", "many"}) {
        const ProcessResult result = evaluate({"--prompts", "1", "--seed", seed});
        EXPECT_EQ(result.exitCode, 2);
        EXPECT_THAT(result.err, HasSubstr("--seed: "));
    }
    const ProcessResult last = evaluate({"--prompts", "3", "--seed", "18446744073709551615"});
    EXPECT_EQ(last.exitCode, 2);
    EXPECT_THAT(last.err, HasSubstr("18446744073709551613"));
    EXPECT_EQ(meshreel({"evaluate"}).exitCode, 2);
    EXPECT_EQ(evaluate({"--size", "64x64"}).exitCode, 2);
    EXPECT_EQ(evaluate({"--prompts", "0"}).exitCode, 2);
    EXPECT_EQ(evaluate({"--preset", "distill"}).exitCode, 2);
    for (const char* own : {"--steps", "--guidance", "--flow-shift"}) {
        const ProcessResult both = evaluate({"--preset", "distill-4", own, "3"});
        EXPECT_EQ(both.exitCode, 2);
        EXPECT_THAT(both.err, HasSubstr(own));
    }
    EXPECT_EQ(meshreel({"evaluate", "no-such-model", "--out", file("out").string()}).exitCode, 3);
}

}  // namespace
}  // namespace meshreel
