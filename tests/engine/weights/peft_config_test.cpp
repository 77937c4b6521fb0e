// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/peft_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using testing::Names;

double scaleOf(const std::string& json, const std::string& module, std::int64_t rank) {
    return PeftConfig::parse(json, "adapter_config.json").scale(module, rank);
}

testing::Refusal refusedConfig(const std::string& json) {
    return testing::refusalOf(ErrorKind::Input, [&json] { PeftConfig::parse(json, "adapter_config.json"); });
}

TEST(PeftConfig, AlphaOverRankOrItsSquareRoot) {
    EXPECT_DOUBLE_EQ(scaleOf(R"({"r": 16, "lora_alpha": 32})", "blocks.0.attn1.to_q", 16), 2);
    EXPECT_DOUBLE_EQ(scaleOf(R"({"r": 16, "lora_alpha": 32, "use_rslora": true})", "blocks.0.attn1.to_q", 16),
                     8);
    EXPECT_DOUBLE_EQ(scaleOf(R"({"r": 16})", "blocks.0.attn1.to_q", 16), 0.5) << "PEFT's default is 8";
}

/// As peft.utils.other.get_pattern_key: re.match(rf"(.*\.)?({key})$", name), the first in the file's order.
TEST(PeftConfig, PatternsMatchAsPeftMatchesThem) {
    const std::string json = R"json({"r": 4, "lora_alpha": 4,
        "alpha_pattern": {"blocks.0.ffn.net.2": 8, "attn2\\.to_[qk]": 12, "^proj_out": 16, "to_q": 20,
                          "attn1.to_(k|v)": 24, "blocks\\.\\d+\\.attn1\\.to_v": 28}})json";
    const PeftConfig config = PeftConfig::parse(json, "adapter_config.json");
    for (const auto& [module, alpha] : {std::pair{"blocks.0.ffn.net.2", 8},
                                        {"x.blocks.0.ffn.net.2", 8},
                                        {"blocks.1.ffn.net.2", 4},
                                        {"block.blocks_0_ffn.net.2", 8},
                                        {"myblocks.0.ffn.net.2", 4},
                                        {"blocks.1.attn2.to_q", 12},
                                        {"blocks.1.attn2.to_v", 4},
                                        {"proj_out", 16},
                                        {"blocks.0.proj_out", 4},
                                        {"blocks.1.attn1.to_q", 20},
                                        {"to_q", 20},
                                        {"into_q", 4},
                                        {"to_q.extra", 4},
                                        {"blocks.1.attn1.to_v", 24}})
        EXPECT_DOUBLE_EQ(config.scale(module, 4), alpha / 4.0) << module;
}

TEST(PeftConfig, RankPatternsAreTheRanksOfTheirModules) {
    const std::string json = R"({"r": 16, "lora_alpha": 16, "rank_pattern": {"to_q": 4}})";
    EXPECT_DOUBLE_EQ(scaleOf(json, "blocks.0.attn1.to_q", 4), 4);
    EXPECT_DOUBLE_EQ(scaleOf(json, "blocks.0.attn1.to_k", 16), 1);
    EXPECT_THAT(testing::refusalOf(ErrorKind::Input, [&json] { scaleOf(json, "blocks.0.attn1.to_q", 16); }),
                Names("4", "blocks.0.attn1.to_q", "16"));
}

TEST(PeftConfig, MethodsThatAreMoreThanAProductAreRefusedByName) {
    for (const auto& [more, named] :
         {std::pair{R"("use_qalora": true)", "QALoRA"}, std::pair{R"("peft_type": "VERA")", "VERA"},
          std::pair{R"("init_lora_weights": "pissa_niter_16")", "pissa_niter_16"},
          std::pair{R"("init_lora_weights": "olora")", "olora"},
          std::pair{R"("layer_replication": [[0, 4], [2, 5]])", "layer_replication"},
          std::pair{R"("alora_invocation_tokens": [1])", "aLoRA"}})
        EXPECT_THAT(refusedConfig(std::string(R"({"r": 1, "lora_alpha": 1, )") + more + "}"), Names(named));
    EXPECT_FALSE(refusedConfig(
        R"({"r": 1, "lora_alpha": 1, "use_dora": false, "peft_type": "LORA", "layer_replication":
        null, "init_lora_weights": "gaussian", "alora_invocation_tokens": null})"));
}

TEST(PeftConfig, LoHaAndLoKrSpellTheirAlphaOtherwise) {
    EXPECT_DOUBLE_EQ(scaleOf(R"({"peft_type": "LOHA", "r": 4, "alpha": 2})", "a", 4), 0.5);
    EXPECT_DOUBLE_EQ(
        PeftConfig::parse(R"({"peft_type": "LOKR", "r": 8, "alpha": 2})", "x").scale("a", std::nullopt),
        0.25);
    EXPECT_DOUBLE_EQ(PeftConfig::parse(R"({"lora_alpha": 2})", "x").scale("a", std::nullopt), 1);
}

TEST(PeftConfig, ValuesThatPeftDoesNotWriteAreRefused) {
    std::vector<std::pair<std::string, testing::Refusal>> refusals;
    for (const auto& [key, json] : {std::pair{"r", R"({"r": 0, "lora_alpha": 1})"},
                                    {"lora_alpha", R"({"r": 4, "lora_alpha": "x"})"},
                                    {"use_rslora", R"({"r": 4, "use_rslora": 1})"},
                                    {"alpha_pattern", R"({"r": 4, "alpha_pattern": [1]})"}}) {
        refusals.emplace_back("value", refusedConfig(json));
        EXPECT_THAT(refusals.back().second, Names(key));
    }
    refusals.emplace_back("expression", refusedConfig(R"({"r": 4, "alpha_pattern": {"to_(q": 1}})"));
    EXPECT_THAT(refusals.back().second, Names("alpha_pattern", "to_(q"));
    refusals.emplace_back("no object", refusedConfig("[1]"));
    testing::expectFaults(refusals);
}

/// Python's and libstdc++'s backtracking would take longer than anybody waits.
TEST(PeftConfig, AHostilePatternTakesNoTime) {
    const std::string json = R"({"r": 4, "lora_alpha": 4, "alpha_pattern": {"(a+)+(a+)+b": 8}})";
    EXPECT_DOUBLE_EQ(scaleOf(json, std::string(60, 'a'), 4), 1);
}

TEST(PeftConfig, KeysWithoutEffectAreNamed) {
    const PeftConfig config = PeftConfig::parse(
        R"({"r": 4, "lora_alpha": 4, "zoom": 2, "fan_in_fan_out": true, "other": null, "target_modules": ["to_q"],
            "task_type": "X", "inference_mode": true})",
        "adapter_config.json");
    EXPECT_THAT(config.unknownKeys(), ElementsAre("fan_in_fan_out", "zoom"));
    EXPECT_EQ(config.summary(), "lora_alpha 4, r 4");
}

}  // namespace
}  // namespace meshreel
