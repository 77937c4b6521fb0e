// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/mpi_environment.h"
#include "engine/mesh/mesh_failure.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <functional>

#include "engine/base/error.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/mpi/rank_watch.h"
#include "tests/support/refusal.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;

RankIdentity someRank(const std::string& host) {
    return {.host = host,
            .version = "1.0 (abc)",
            .buildId = "00ff",
            .isa = "avx2",
            .products = "OpenBLAS",
            .byteOrder = "little",
            .pointerBits = 64,
            .protocol = 1,
            .cpus = "1"};
}

TEST(MpiIdentity, SurvivesItsText) {
    EXPECT_EQ(decodeIdentity(encodeIdentity(thisRankIdentity())), thisRankIdentity());
    RankIdentity endless = someRank(std::string(100'000, '\xff'));
    endless.version = endless.buildId = endless.isa = endless.products = endless.host;
    EXPECT_LE(encodeIdentity(endless).size(), identityBytes);
    EXPECT_EQ(decodeIdentity("no JSON"), RankIdentity{});
}

/// A variable of the environment for the length of a scope.
class SetVariable {
  public:
    SetVariable(const char* name, const char* value) : m_name(name) { ::setenv(name, value, 1); }
    ~SetVariable() { ::unsetenv(m_name); }
    SetVariable(const SetVariable&) = delete;
    SetVariable& operator=(const SetVariable&) = delete;

  private:
    const char* m_name;
};

TEST(MpiEnvironment, KnowsLaunchersThatStartProgramsInsteadOfRanks) {
    if (underMpirun())
        GTEST_SKIP() << "the tests themselves are ranks";
    EXPECT_EQ(lonelyTasks(), 0);
    {
        const SetVariable slurm("SLURM_STEP_NUM_TASKS", "4");
        EXPECT_EQ(lonelyTasks(), 4);
        const SetVariable rank("PMIX_RANK", "1");
        EXPECT_EQ(lonelyTasks(), 0) << "srun --mpi=pmix starts ranks";
    }
    const SetVariable one("SLURM_STEP_NUM_TASKS", "1");
    EXPECT_EQ(lonelyTasks(), 0);
    const SetVariable mpich("PMI_SIZE", "2");
    EXPECT_EQ(lonelyTasks(), 2);
}

TEST(MpiIdentity, CountsCpusBeyondAThousand) {
    std::vector<RankIdentity> ranks{someRank("a"), someRank("a")};
    ranks[0].cpus = "1" + std::string(1500, '0');
    EXPECT_EQ(cpusOfHost(ranks, "a"), 2);
    ranks[0].cpus = std::string(2048, '1');
    EXPECT_EQ(cpusOfHost(ranks, "a"), 2048);
    EXPECT_LE(encodeIdentity(ranks[0]).size(), identityBytes);
    ranks[0].cpus += "1";
    EXPECT_EQ(cpusOfHost(ranks, "a"), 1) << "no mask that is known";
}

TEST(MpiIdentity, RanksThatAreBoundToACpuEachShareAllOfTheirHosts) {
    std::vector<RankIdentity> ranks{someRank("a"), someRank("a"), someRank("b"), someRank("a")};
    ranks[0].cpus = "1";
    ranks[1].cpus = "10";
    ranks[2].cpus = "11110000";
    ranks[3].cpus = "10";
    EXPECT_EQ(cpusOfHost(ranks, "a"), 2);
    EXPECT_EQ(cpusOfHost(ranks, "b"), 4);
    EXPECT_EQ(cpusOfHost(ranks, "c"), 1);
    ranks[1].cpus = "no mask";
    EXPECT_EQ(cpusOfHost(ranks, "a"), 2);
    EXPECT_EQ(cpusOfHost(std::vector{thisRankIdentity()}, thisRankIdentity().host), availableCpus());
}

TEST(MpiIdentity, AQuotaThatAllRanksOfAHostHaveLimitsItsCpus) {
    std::vector<RankIdentity> ranks{someRank("a"), someRank("a")};
    for (RankIdentity& rank : ranks)
        rank.cpus = "11111111";
    ranks[0].cpuQuota = 3;
    EXPECT_EQ(cpusOfHost(ranks, "a"), 8);
    ranks[1].cpuQuota = 2;
    EXPECT_EQ(cpusOfHost(ranks, "a"), 3);
}

TEST(HostPatience, IsTwoMinutesUnlessItIsSet) {
    EXPECT_EQ(hostPatience(), std::chrono::minutes(2));
    ::setenv("MESHREEL_HOST_TIMEOUT", "7", 1);
    EXPECT_EQ(hostPatience(), std::chrono::seconds(7));
    for (const char* wrong : {"0", "-3", "soon", "7s", "9999999"}) {
        ::setenv("MESHREEL_HOST_TIMEOUT", wrong, 1);
        EXPECT_THROW(static_cast<void>(hostPatience()), Error) << wrong;
    }
    ::unsetenv("MESHREEL_HOST_TIMEOUT");
}

TEST(RanksHere, AreAllWhereTheStarterCountsAsManyHere) {
    EXPECT_FALSE(allRanksAreHere());
    ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    EXPECT_FALSE(allRanksAreHere());
    ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    EXPECT_FALSE(allRanksAreHere());
    ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", 1);
    EXPECT_TRUE(allRanksAreHere());
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
    ::unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
}

TEST(MpiIdentity, EqualRanksMayWorkTogether) {
    const std::vector<RankIdentity> ranks{someRank("a"), someRank("b"), someRank("a")};
    EXPECT_NO_THROW(requireSameProgram(ranks));
}

TEST(MpiIdentity, EveryDifferenceIsRefusedWithBothHosts) {
    const std::vector<std::pair<std::string, std::function<void(RankIdentity&)>>> differences{
        {"byte order", [](RankIdentity& rank) { rank.byteOrder = "big"; }},
        {"pointer size", [](RankIdentity& rank) { rank.pointerBits = 32; }},
        {"version", [](RankIdentity& rank) { rank.version = "1.1 (abc)"; }},
        {"build", [](RankIdentity& rank) { rank.buildId = "00fe"; }},
        {"protocol", [](RankIdentity& rank) { rank.protocol = 2; }}};
    for (const auto& [what, change] : differences) {
        std::vector<RankIdentity> ranks{someRank("alpha"), someRank("beta")};
        change(ranks[1]);
        try {
            requireSameProgram(ranks);
            FAIL() << what;
        } catch (const Error& refusal) {
            EXPECT_EQ(refusal.kind(), ErrorKind::Device);
            EXPECT_THAT(refusal.problem(), testing::Names("1", "beta", "alpha"));
            EXPECT_THAT(refusal.what(), HasSubstr(what));
            EXPECT_FALSE(refusal.hint().empty());
        }
    }
}

TEST(MpiWords, SurviveTheirText) {
    const MeshFailure failure{
        .device = 3, .rank = 1, .host = "beta", .reason = "a \"reason\"\nin two lines", .cancelled = true};
    const ControlMessage word = decodeMessage(encodeMessage({ControlSignal::Failing, failure}));
    EXPECT_EQ(word.signal, ControlSignal::Failing);
    ASSERT_TRUE(word.failure);
    EXPECT_EQ(word.failure->reason, failure.reason);
    EXPECT_EQ(word.failure->host, failure.host);
    EXPECT_EQ(word.failure->device, failure.device);
    EXPECT_EQ(word.failure->rank, failure.rank);
    EXPECT_TRUE(word.failure->cancelled);
    EXPECT_EQ(decodeMessage(encodeMessage({ControlSignal::Bye})).signal, ControlSignal::Bye);
}

TEST(MpiWords, KeepWhatAReasonIsMadeOf) {
    const Sentence reason = sentence("{} failed: {}", "the disk", sentence("no space"));
    const ControlMessage word =
        decodeMessage(encodeMessage({ControlSignal::Failing, MeshFailure{.host = "beta", .reason = reason}}));
    ASSERT_TRUE(word.failure);
    EXPECT_EQ(word.failure->reason, reason);
    EXPECT_EQ(word.failure->reason.pattern(), "{} failed: {}");
    EXPECT_EQ(word.failure->reason.parts().at(1).pattern(), "no space");
}

TEST(MpiWords, AReasonOfTooManyPartsIsToldInEnglishOnly) {
    const std::vector<Sentence> names(200, sentence("a name"));
    const Sentence reason("all of them", "{} and others", names);
    const std::string text =
        encodeMessage({ControlSignal::Failing, MeshFailure{.host = "beta", .reason = reason}});
    EXPECT_LE(text.size(), longestMessage);
    ASSERT_TRUE(decodeMessage(text).failure);
    EXPECT_EQ(decodeMessage(text).failure->reason, reason);
}

TEST(MpiWords, AreNeverTooLong) {
    const std::string endless(1'000'000, '\x01');
    EXPECT_LE(encodeMessage({ControlSignal::Failing, MeshFailure{.host = endless, .reason = endless}}).size(),
              longestMessage);
    EXPECT_EQ(decodeMessage("{\"word\": 77}").signal, ControlSignal::Alive);
    EXPECT_EQ(decodeMessage("[").signal, ControlSignal::Alive);
}

TEST(MpiEnvironment, AnotherInstructionSetIsSaidAndNotRefused) {
    std::vector<RankIdentity> ranks(3, thisRankIdentity());
    EXPECT_TRUE(isaDifferences(ranks).empty());
    ranks[0].isa = "avx512";
    ranks[1].isa = "avx512";
    ranks[2].isa = "avx2";
    ranks[2].host = "old-machine";
    EXPECT_NO_THROW(requireSameProgram(ranks));
    const std::vector<Sentence> said = isaDifferences(ranks);
    ASSERT_EQ(said.size(), 1U);
    for (const char* part : {"rank 2", "old-machine", "avx2", "avx512", "differs slightly"})
        EXPECT_THAT(said.front(), ::testing::HasSubstr(part));
}

TEST(MpiEnvironment, SoIsAnotherCoreOfOpenBlas) {
    std::vector<RankIdentity> ranks(2, thisRankIdentity());
    ranks[0].products = "OpenBLAS 0.3.21 SkylakeX";
    ranks[1].products = "OpenBLAS 0.3.21 Haswell";
    ranks[1].host = "careful-machine";
    EXPECT_NO_THROW(requireSameProgram(ranks));
    const std::vector<Sentence> said = isaDifferences(ranks);
    ASSERT_EQ(said.size(), 1U);
    for (const char* part : {"rank 1", "careful-machine", "SkylakeX", "Haswell", "OPENBLAS_CORETYPE"})
        EXPECT_THAT(said.front(), ::testing::HasSubstr(part));
}

}  // namespace
}  // namespace meshreel
