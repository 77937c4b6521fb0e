// SPDX-License-Identifier: GPL-3.0-or-later
// `meshreel attention` and `meshreel check`.
#include <nlohmann/json.hpp>

#include "runner.h"

namespace meshreel {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::ProcessResult;

class Attention : public testing::RunnerTest {
  protected:
    [[nodiscard]] ProcessResult attention(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "attention");
        return meshreel(arguments);
    }

    /// The JSON of an attention that succeeds.
    [[nodiscard]] json measured(const std::vector<std::string>& arguments) const {
        const ProcessResult result = attention(arguments);
        EXPECT_EQ(result.exitCode, Done) << result.err;
        EXPECT_EQ(result.err, "");
        return json::parse(result.out);
    }

    void expectRefused(const std::vector<std::string>& arguments, const std::string& fragment) const {
        const ProcessResult result = attention(arguments);
        EXPECT_EQ(result.exitCode, BadProject) << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_THAT(result.err, HasSubstr(fragment));
        EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    }
};

TEST_F(Attention, PrintsOneObjectWithDefaults) {
    const json result = measured({"--mode", "flash", "--heads", "3", "--seq", "29", "--head-dim", "12"});
    EXPECT_LE(result.at("max_abs_error").get<double>(), 2e-5);
    EXPECT_GT(result.at("mean_abs_error").get<double>(), 0);
    EXPECT_GT(result.at("seconds").get<double>(), 0);
    EXPECT_EQ(result.at("bytes_moved"), 0);
    EXPECT_EQ(result.at("rotations"), 0);
    EXPECT_EQ(result.at("effective_mode"), "flash");
    ASSERT_EQ(result.at("devices").size(), 1U);
    const json& device = result.at("devices")[0];
    EXPECT_EQ(device.at("heads"), json::array({0, 3}));
    EXPECT_EQ(device.at("tokens"), json::array({0, 29}));
    EXPECT_GE(device.at("compute_seconds").get<double>(), 0);
    EXPECT_GE(device.at("wait_seconds").get<double>(), 0);
    EXPECT_EQ(result.at("batch"), 1);
    EXPECT_EQ(result.at("kv_seq"), 29);
    EXPECT_EQ(result.at("mask"), "none");
    EXPECT_EQ(result.at("dtype"), "f32");
    EXPECT_EQ(result.at("gain"), 1);
    EXPECT_EQ(result.at("chunks"), 1);
    EXPECT_EQ(result.at("transport"), "threads");
}

TEST_F(Attention, SaysWhichHeadsRanOnTheBoundOfFixedM) {
    const auto fixedM = [&](const std::string& gain) {
        const json result =
            measured({"--mode", "ulysses_ring_custom_fixed_m", "--heads", "6", "--seq", "50", "--head-dim",
                      "64", "--batch", "2", "--devices", "4", "--ulysses-shards", "2", "--seed", "3",
                      "--oversubscribe", "--gain", gain});
        return result.at("fixed_m");
    };
    const json quiet = fixedM("1");
    EXPECT_EQ(quiet.at("bounded_heads"), 12);
    EXPECT_EQ(quiet.at("fallback_heads"), 0);
    EXPECT_GE(quiet.at("bounded_blocks"), 48) << "two shards of queries, two of keys";
    EXPECT_EQ(quiet.at("fallback_blocks"), 0);
    const json loud = fixedM("9");
    EXPECT_EQ(loud.at("bounded_heads"), 0);
    EXPECT_EQ(loud.at("fallback_heads"), 12);
    EXPECT_EQ(loud.at("bound_too_large_heads"), 12);
    EXPECT_EQ(loud.at("weights_lost_heads"), 0);
    EXPECT_FALSE(
        measured({"--mode", "flash", "--heads", "1", "--seq", "5", "--head-dim", "8"}).contains("fixed_m"));
}

TEST_F(Attention, RunsAHybridWithEverythingSet) {
    const json result = measured({"--mode",
                                  "ulysses_ring_custom",
                                  "--heads",
                                  "9",
                                  "--seq",
                                  "41",
                                  "--kv-seq",
                                  "67",
                                  "--head-dim",
                                  "16",
                                  "--devices",
                                  "6",
                                  "--ulysses-shards",
                                  "3",
                                  "--batch",
                                  "2",
                                  "--block-q",
                                  "16",
                                  "--block-kv",
                                  "24",
                                  "--block-kv-compute",
                                  "12",
                                  "--block-kv-compute-in",
                                  "5",
                                  "--no-base2",
                                  "--mask",
                                  "random:0.3",
                                  "--dtype",
                                  "bf16",
                                  "--seed",
                                  "77",
                                  "--gain",
                                  "6",
                                  "--chunks",
                                  "2",
                                  "--repeat",
                                  "2",
                                  "--workers",
                                  "1"});
    EXPECT_LE(result.at("max_abs_error").get<double>(), 5e-2);
    EXPECT_EQ(result.at("rotations"), 1);
    EXPECT_EQ(result.at("devices").size(), 6U);
    EXPECT_EQ(result.at("bytes_moved"), result.at("bytes_expected"));
    EXPECT_EQ(result.at("effective_mode"), "ulysses_ring_custom");
}

TEST_F(Attention, NumbersDependOnTheSeedAlone) {
    const std::vector<std::string> arguments{"--mode", "tokamax_ring", "--heads", "3",          "--seq",
                                             "31",     "--devices",    "3",       "--head-dim", "8"};
    const auto error = [&](const std::string& seed) {
        std::vector<std::string> seeded = arguments;
        seeded.insert(seeded.end(), {"--seed", seed});
        return measured(seeded).at("mean_abs_error").get<double>();
    };
    EXPECT_EQ(error("5"), error("5"));
    EXPECT_NE(error("5"), error("6"));
    std::vector<std::string> random = arguments;
    random.insert(random.end(), {"--seed", "-1"});
    const json drawn = measured(random);
    EXPECT_EQ(error(drawn.at("seed").dump()), drawn.at("mean_abs_error").get<double>());
    random.back() = "99999999999999999999999";
    random.insert(random.begin(), "attention");
    EXPECT_EQ(meshreel(random).exitCode, BadProject);
}

TEST_F(Attention, RefusesWhatCannotRun) {
    const auto with = [](const std::string& mode, std::vector<std::string> more) {
        std::vector<std::string> all{"--mode", mode};
        for (const auto& [option, value] :
             std::map<std::string, std::string>{{"--heads", "5"}, {"--seq", "32"}, {"--head-dim", "8"}})
            if (std::ranges::find(more, option) == more.end())
                all.insert(all.end(), {option, value});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expectRefused(with("flush", {}), "flash");
    expectRefused(with("cudnn_flash_te", {}), "flash");
    expectRefused(with("ring", {}), "one");
    expectRefused(with("ulysses", {"--devices", "6"}), "5 heads");
    expectRefused(with("ulysses_ring", {"--devices", "4"}), "ulysses_shards");
    expectRefused(with("ulysses_ring", {"--devices", "4", "--ulysses-shards", "3"}), "ulysses_shards");
    expectRefused(with("ulysses_ring", {"--devices", "12", "--ulysses-shards", "6"}), "5 heads");
    expectRefused(with("flash", {"--ulysses-shards", "2"}), "ulysses_shards");
    expectRefused(with("flash", {"--heads", "0"}), "heads");
    expectRefused(with("flash", {"--seq", "-3"}), "seq");
    expectRefused(with("flash", {"--head-dim", "0"}), "head-dim");
    expectRefused(with("flash", {"--devices", "0"}), "devices");
    expectRefused(with("flash", {"--kv-seq", "0"}), "--kv-seq");
    expectRefused(with("flash", {"--batch", "0"}), "batch");
    expectRefused(with("flash", {"--chunks", "0"}), "chunks");
    expectRefused(with("flash", {"--repeat", "0"}), "--repeat");
    expectRefused(with("flash", {"--mask", "middle:3"}), "tail:K");
    expectRefused(with("flash", {"--mask", "tail:33"}), "33 of 32");
    expectRefused(with("flash", {"--dtype", "f16"}), "--dtype");
    expectRefused(with("flash", {"--block-kv", "100", "--block-kv-compute", "30"}), "25");
    expectRefused(with("tokamax_ring", {"--heads-per-tile", "2"}), "heads_per_tile");
    expectRefused(with("ulysses_custom", {"--vmem-limit-bytes", "1000"}), "vmem_limit_bytes");
    expectRefused({"--mode", "flash"}, "--heads");
}

class Check : public testing::RunnerTest {};

TEST_F(Check, PrintsATableOfAgreement) {
    const ProcessResult result = meshreel({"check", "--devices", "1,2", "--transport", "threads"});
    EXPECT_EQ(result.exitCode, Done) << result.out << result.err;
    for (const char* text : {"ulysses_ring_custom_fixed_m", "refused", "allowed", "passed:"})
        EXPECT_THAT(result.out, HasSubstr(text));
}

TEST_F(Check, AWrongOutputIsAMismatch) {
    const ProcessResult result = meshreel({"check", "--devices", "2", "--perturb", "0.1", "--json"});
    EXPECT_EQ(result.exitCode, Mismatched) << result.err;
    const json report = json::parse(result.out);
    EXPECT_FALSE(report.at("passed").get<bool>());
    EXPECT_FALSE(report.at("failures").empty());
    for (const json& row : report.at("rows"))
        EXPECT_EQ(row.at("failed").get<int>() + row.at("refused").get<int>(), row.at("cases").get<int>());
    const json isa = json::parse(meshreel({"isa", "--json"}).out);
    EXPECT_EQ(report.at("isa"), isa.at("isa"));
    ASSERT_EQ(report.at("narrower").size() + 1, isa.at("offered").size());
    for (std::size_t level = 0; level < report.at("narrower").size(); ++level) {
        EXPECT_EQ(report.at("narrower")[level].at("isa"), isa.at("offered")[level + 1]);
        EXPECT_FALSE(report.at("narrower")[level].at("passed").get<bool>());
    }
}

}  // namespace
}  // namespace meshreel
