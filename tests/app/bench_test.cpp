// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "runner.h"
#include "tests/support/locations.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::ProcessResult;

class Bench : public testing::RunnerTest {
  protected:
    [[nodiscard]] ProcessResult quick(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "bench");
        for (const char* option : {"--peak-seconds", "0", "--rounds", "1", "--row-seconds", "0"})
            arguments.emplace_back(option);
        return meshreel(arguments);
    }
};

TEST_F(Bench, ForPrograms) {
    const std::string history = file("history.jsonl").string();
    const ProcessResult result =
        quick({"attention", "--tokens", "64", "--dtype", "f32", "--json", "--append", history});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    for (const char* key : {"cpu", "isa", "cpus", "matmul", "version", "commit"})
        EXPECT_TRUE(json.at("machine").contains(key)) << key;
    std::vector<std::string> names;
    for (const auto& row : json.at("rows")) {
        names.push_back(row.at("name"));
        EXPECT_TRUE(row.at("value").is_number());
        EXPECT_TRUE(row.at("unit").is_string());
        EXPECT_GT(row.at("ratio").get<double>(), 0);
        EXPECT_THAT(json.dump(), HasSubstr(row.at("of").get<std::string>()));
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"peak.matmul.bf16", "peak.bandwidth", "attention.custom.64",
                                                "attention.flash.64"}));
    EXPECT_EQ(nlohmann::json::parse(readFile(history)).at("rows"), json.at("rows"));
}

TEST_F(Bench, TheTransformersForwardPass) {
    const ProcessResult result = quick({"dit", "--arch", "wan2.1-t2v-1.3b", "--size", "32x32x5", "--layers",
                                        "1", "--dtype", "f32", "--json"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\"dit.forward\""));
}

TEST_F(Bench, TheStudioIsMeasuredByAProgramThatMayBeMissing) {
    const std::filesystem::path runner = file("meshreel");
    std::filesystem::copy_file(commandLine({}).front(), runner);
    testing::Process process({runner.string(), "bench", "ui", "--json"}, options());
    const ProcessResult result = process.wait();
    EXPECT_EQ(result.exitCode, 3) << result.out;
    EXPECT_THAT(result.err, HasSubstr("meshreel-bench-ui"));
    EXPECT_THAT(result.err, HasSubstr("qt6-base-dev"));
    EXPECT_THAT(result.err, HasSubstr("cmake --build build/release --target meshreel-bench-ui"));
    EXPECT_EQ(meshreel({"bench", "ui", "--roofline", file("roofline.svg").string()}).exitCode, 2);
}

TEST_F(Bench, TheRooflineIsDrawnByTheRenderer) {
    const std::string history = (testing::sourceFolder() / "docs/benchmarks/history.jsonl").string();
    for (const char* extension : {"svg", "png", "pdf", "csv"}) {
        const std::filesystem::path picture = file("roofline.") += extension;
        const ProcessResult result = meshreel({"bench", "--from", history, "--roofline", picture.string()});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_GT(std::filesystem::file_size(picture), 1000U) << extension;
    }
    EXPECT_THAT(readFile(file("roofline.csv")), HasSubstr("\noperation,linear.14b.query.7800,"));
}

TEST_F(Bench, ARooflineThatCannotBeDrawnIsRefusedBeforeMeasuring) {
    const std::filesystem::path runner = file("meshreel");
    std::filesystem::copy_file(commandLine({}).front(), runner);
    testing::Process process({runner.string(), "bench", "--roofline", file("roofline.svg").string()},
                             options());
    const ProcessResult result = process.wait();
    EXPECT_EQ(result.exitCode, 3) << result.out;
    EXPECT_THAT(result.err, HasSubstr("meshreel-render"));
    EXPECT_EQ(result.out, "") << "nothing was measured";
    EXPECT_EQ(meshreel({"bench", "--roofline", file("roofline.gif").string()}).exitCode, 2);
}

TEST_F(Bench, MistakesAreUsageErrors) {
    EXPECT_EQ(meshreel({"bench", "speed"}).exitCode, 2);
    EXPECT_EQ(meshreel({"bench", "ui", "--against", file("history.jsonl").string()}).exitCode, 2);
    EXPECT_EQ(quick({"dit", "--against", file("no-such.jsonl").string()}).exitCode, 3);
    EXPECT_EQ(meshreel({"bench", "dit", "--size", "832x480"}).exitCode, 2);
    EXPECT_EQ(quick({"dit", "--size", "833x480x17", "--tokens", "16"}).exitCode, 2);
    EXPECT_EQ(quick({"dit", "--arch", "umt5-xxl"}).exitCode, 2);
}

}  // namespace
}  // namespace meshreel
