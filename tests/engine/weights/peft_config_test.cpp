// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/peft_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace meshreel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double scaleOf(const std::string& json, const std::string& module, std::int64_t rank) {
    return PeftConfig::parse(json, "adapter_config.json").scale(module, rank);
}

std::string refusalOf(const std::string& json) {
    try {
        PeftConfig::parse(json, "adapter_config.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Input);
        return error.what();
    }
    return "no error";
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
    try {
        scaleOf(json, "blocks.0.attn1.to_q", 16);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("it says rank 4 for blocks.0.attn1.to_q, whose tensors have rank 16"));
    }
}

TEST(PeftConfig, MethodsThatAreMoreThanAProductAreRefusedByName) {
    for (const auto& [more, named] :
         {std::pair{R"("use_qalora": true)", "QALoRA"}, std::pair{R"("peft_type": "VERA")", "VERA"},
          std::pair{R"("init_lora_weights": "pissa_niter_16")", "pissa_niter_16"},
          std::pair{R"("init_lora_weights": "olora")", "olora"},
          std::pair{R"("layer_replication": [[0, 4], [2, 5]])", "layer_replication"},
          std::pair{R"("alora_invocation_tokens": [1])", "aLoRA"}})
        EXPECT_THAT(refusalOf(std::string(R"({"r": 1, "lora_alpha": 1, )") + more + "}"), HasSubstr(named));
    EXPECT_EQ(
        refusalOf(R"({"r": 1, "lora_alpha": 1, "use_dora": false, "peft_type": "LORA", "layer_replication":
        null, "init_lora_weights": "gaussian", "alora_invocation_tokens": null})"),
        "no error");
}

TEST(PeftConfig, LoHaAndLoKrSpellTheirAlphaOtherwise) {
    EXPECT_DOUBLE_EQ(scaleOf(R"({"peft_type": "LOHA", "r": 4, "alpha": 2})", "a", 4), 0.5);
    EXPECT_DOUBLE_EQ(
        PeftConfig::parse(R"({"peft_type": "LOKR", "r": 8, "alpha": 2})", "x").scale("a", std::nullopt),
        0.25);
    EXPECT_DOUBLE_EQ(PeftConfig::parse(R"({"lora_alpha": 2})", "x").scale("a", std::nullopt), 1);
}

TEST(PeftConfig, ValuesThatPeftDoesNotWriteAreRefused) {
    EXPECT_THAT(refusalOf(R"({"r": 0, "lora_alpha": 1})"), HasSubstr("r has a value"));
    EXPECT_THAT(refusalOf(R"({"r": 4, "lora_alpha": "x"})"), HasSubstr("lora_alpha has a value"));
    EXPECT_THAT(refusalOf(R"({"r": 4, "use_rslora": 1})"), HasSubstr("use_rslora has a value"));
    EXPECT_THAT(refusalOf(R"({"r": 4, "alpha_pattern": [1]})"), HasSubstr("alpha_pattern has a value"));
    EXPECT_THAT(refusalOf(R"({"r": 4, "alpha_pattern": {"to_(q": 1}})"), HasSubstr("regular expression"));
    EXPECT_THAT(refusalOf("[1]"), HasSubstr("JSON object"));
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
