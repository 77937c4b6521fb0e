// SPDX-License-Identifier: GPL-3.0-or-later
// `meshreel attention` and `meshreel check` on MPI ranks.
#include <nlohmann/json.hpp>

#include "engine/attention/attention_mode.h"
#include "runner.h"

namespace meshreel {
namespace {

using nlohmann::json;
using testing::ProcessResult;

class AttentionOnRanks : public testing::RunnerTest {
  protected:
    /// The JSON of a command that succeeds.
    [[nodiscard]] json printed(const std::vector<std::string>& arguments) const {
        const ProcessResult result = meshreel(arguments);
        EXPECT_EQ(result.exitCode, Done) << result.out << result.err;
        return json::parse(result.out);
    }
};

TEST_F(AttentionOnRanks, GivesTheNumbersOfThreads) {
    const std::vector<std::string> arguments{
        "attention", "--mode", "ulysses_ring",     "--heads", "6",         "--seq", "41",
        "--devices", "4",      "--ulysses-shards", "2",       "--workers", "1",     "--head-dim",
        "12"};
    std::vector<std::string> overMpi = arguments;
    overMpi.insert(overMpi.end(), {"--transport", "mpi"});
    const json here = printed(arguments);
    const json there = printed(overMpi);
    EXPECT_EQ(there.at("transport"), "mpi");
    for (const char* key : {"max_abs_error", "mean_abs_error", "bytes_moved", "rotations", "effective_mode"})
        EXPECT_EQ(there.at(key), here.at(key)) << key;
    EXPECT_EQ(there.at("devices").size(), 4U);
}

TEST_F(AttentionOnRanks, ExchangesUnevenHeadsAsThreadsDo) {
    const std::vector<std::string> arguments{"attention", "--mode",    "ulysses", "--heads",    "7", "--seq",
                                             "41",        "--devices", "3",       "--chunks",   "2", "--seed",
                                             "5",         "--workers", "1",       "--head-dim", "12"};
    std::vector<std::string> overMpi = arguments;
    overMpi.insert(overMpi.end(), {"--transport", "mpi"});
    const json here = printed(arguments);
    const json there = printed(overMpi);
    for (const char* key : {"max_abs_error", "mean_abs_error", "bytes_moved", "bytes_expected"})
        EXPECT_EQ(there.at(key), here.at(key)) << key;
    EXPECT_EQ(there.at("devices").at(0).at("heads"), json({0, 3}));
    EXPECT_EQ(there.at("devices").at(2).at("heads"), json({5, 7}));
}

TEST_F(AttentionOnRanks, PassesItsShareOfTheCheck) {
    const json report = printed({"check", "--devices", "2", "--transport", "mpi", "--json"});
    EXPECT_TRUE(report.at("passed").get<bool>());
    for (const json& row : report.at("rows"))
        EXPECT_EQ(row.at("transport"), "mpi");
    EXPECT_EQ(report.at("rows").size(), attentionModes().size());
}

}  // namespace
}  // namespace meshreel
