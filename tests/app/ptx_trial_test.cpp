// SPDX-License-Identifier: GPL-3.0-or-later
// tools/gpu-trial --ptx with a libcuda.so.1 that hands launches to the interpreter: from the question to the
// kernel and back, as on a card.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/locations.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

constexpr const char* softwareDriver = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// What the interpreter answers as a driver: by fact.
const std::map<std::string, nlohmann::json>& answers() {
    static const std::map<std::string, nlohmann::json> all = [] {
        const testing::TemporaryFolder folder;
        testing::ProcessOptions options;
        options.workingFolder = folder.path();
        options.environment["MESHREEL"] = (testing::programFolder() / "meshreel").string();
        options.environment["LD_LIBRARY_PATH"] =
            (testing::programFolder().parent_path() / "tests/stand_ins/cuda").string();
        const testing::ProcessResult trial =
            testing::Process({(testing::sourceFolder() / "tools/gpu-trial").string(), "--ptx", "--quick"},
                             options)
                .wait(std::chrono::seconds(300));  // the script gives itself four minutes
        EXPECT_EQ(trial.exitCode, 0) << trial.err;
        std::map<std::string, nlohmann::json> made;
        std::istringstream lines(trial.out);
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("{")) {
                nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
                EXPECT_FALSE(answer.is_discarded()) << line;
                made.emplace(answer.value("fact", ""), std::move(answer));
            }
        return made;
    }();
    return all;
}

nlohmann::json answerTo(const std::string& fact) {
    const auto found = answers().find(fact);
    EXPECT_NE(found, answers().end()) << fact;
    return found == answers().end() ? nlohmann::json::object() : found->second;
}

TEST(PtxTrial, AsksTheDriverWhatItTakes) {
    EXPECT_EQ(answerTo("probe.driver").value("capability", ""), "8.0");
    for (const std::string fact :
         {"probe.trivial", "probe.shared.48", "probe.shared.100", "probe.argument.128", "probe.launch_chain"})
        EXPECT_TRUE(answerTo(fact).value("ok", false)) << answerTo(fact);
}

TEST(PtxTrial, ToldWhatTheDriverRefusesInItsWords) {
    const nlohmann::json newer = answerTo("probe.target.sm_90a");
    EXPECT_FALSE(newer.value("ok", true));
    EXPECT_THAT(newer.value("why", ""),
                HasSubstr("the text is for a newer card than this one, which has sm_80"));
    const nlohmann::json hopper = answerTo("hopper.attention.2x128.150.by160");
    EXPECT_FALSE(hopper.value("ok", true));
    EXPECT_THAT(hopper.value("why", ""), HasSubstr("the text is for a newer card than this one"));
    const nlohmann::json shared = answerTo("probe.shared.200");
    EXPECT_FALSE(shared.value("ok", true));
    EXPECT_THAT(shared.value("why", ""), HasSubstr("refuses the kernel probe: CUDA_ERROR_INVALID_VALUE"));
}

TEST(PtxTrial, TimesBarriersOfVulkan) {
    if (!std::filesystem::exists(softwareDriver))
        GTEST_SKIP() << "no software GPU (package mesa-vulkan-drivers)";
    const nlohmann::json answer = answerTo("probe.barrier");
    EXPECT_TRUE(answer.value("ok", false)) << answer;
    EXPECT_GT(answer.value("seconds_compute", 0.0), 0.0);
    EXPECT_GT(answer.value("seconds_with_transfers", 0.0), 0.0);
}

/// What the trial answers with a layer that makes the software driver a card.
nlohmann::json answerWith(const std::string& layer, const std::string& question) {
    const std::filesystem::path build = testing::programFolder().parent_path();
    testing::ProcessOptions options;
    options.environment["VK_DRIVER_FILES"] = softwareDriver;
    options.environment["VK_LAYER_PATH"] = (build / "tests/stand_ins/vulkan").string();
    options.environment["VK_INSTANCE_LAYERS"] = layer;
    options.environment["LD_LIBRARY_PATH"] = (build / "tests/stand_ins/cuda").string();
    const testing::ProcessResult told =
        testing::Process({(testing::programFolder() / "ptx-trial").string(), question}, options).wait();
    EXPECT_EQ(told.exitCode, 0) << told.err;
    return nlohmann::json::parse(told.out, nullptr, false);
}

TEST(PtxTrial, AsksVulkansDriverWhatItAsksTheLibrary) {
    if (!std::filesystem::exists(softwareDriver))
        GTEST_SKIP() << "no software GPU (package mesa-vulkan-drivers)";
    for (const std::string question : {"vulkan.trivial", "vulkan.shared.48"}) {
        const nlohmann::json answer = answerWith("VK_LAYER_MESHREEL_ptx_launch", question);
        EXPECT_TRUE(answer.value("ok", false)) << answer;
    }
    const nlohmann::json none = answerTo("vulkan.trivial");
    EXPECT_FALSE(none.value("ok", true));
    EXPECT_THAT(none.value("why", ""), HasSubstr("does not offer VK_NV_cuda_kernel_launch"));
}

TEST(PtxTrial, TimesTheBorderBetweenVulkanAndTheLibrary) {
    if (!std::filesystem::exists(softwareDriver))
        GTEST_SKIP() << "no software GPU (package mesa-vulkan-drivers)";
    const nlohmann::json answer = answerWith("VK_LAYER_MESHREEL_shared_memory", "probe.border");
    EXPECT_TRUE(answer.value("ok", false)) << answer;
    EXPECT_GT(answer.value("seconds", 0.0), 0.0);
    EXPECT_FALSE(answerTo("probe.border").value("ok", true)) << "without the layer, nothing is shared";
}

TEST(PtxTrial, ComparesEachKernelWithValuesOfTheCpu) {
    int kernels = 0;
    for (const auto& [fact, answer] : answers()) {
        if (!fact.starts_with("linear.") && !fact.starts_with("attention."))
            continue;
        ++kernels;
        EXPECT_TRUE(answer.value("ok", false)) << answer;
        EXPECT_GT(answer.value("seconds", 0.0), 0.0);
        EXPECT_LT(answer.value("error", 1.0), 0.004);
    }
    EXPECT_EQ(kernels, 5);
}

TEST(PtxTrial, SaysWhyThereIsNoDriver) {
    testing::ProcessOptions options;
    options.environment["LD_LIBRARY_PATH"] = testing::sourceFolder().string();
    const testing::ProcessResult told =
        testing::Process({(testing::programFolder() / "ptx-trial").string(), "probe.driver"}, options).wait();
    EXPECT_EQ(told.exitCode, 0);
    // On a machine with a card of NVIDIA, the driver answers.
    const nlohmann::json answer = nlohmann::json::parse(told.out, nullptr, false);
    EXPECT_TRUE(answer.value("ok", false) ||
                answer.value("why", "").find("NVIDIA's driver") != std::string::npos)
        << told.out;
}

}  // namespace
}  // namespace meshreel
