// SPDX-License-Identifier: GPL-3.0-or-later
// The MPI link at work: real ranks under a real mpirun.
#include <gmock/gmock.h>

#include "mpi_runs.h"

namespace meshreel {
namespace {

using ::testing::HasSubstr;
using testing::overTcp;
using testing::ProcessResult;
using testing::runScenario;
using testing::withoutSingleCopy;

void expectSuccess(const ProcessResult& result) {
    EXPECT_FALSE(result.timedOut);
    EXPECT_EQ(result.exitCode, 0) << result.out << result.err;
}

TEST(MpiLink, CarriesBlocksOfAllSizesAndLayouts) {
    expectSuccess(runScenario(2, "exchange"));
    expectSuccess(runScenario(3, "exchange"));
}

TEST(MpiLink, CutsWhatIsLongerThanAMessage) {
    expectSuccess(runScenario(3, "exchange-chunked"));
}

TEST(MpiLink, CarriesThemOverTcp) {
    expectSuccess(runScenario(2, "exchange", overTcp));
}

TEST(MpiLink, CarriesThemWhereProcessesMayNotReadEachOther) {
    expectSuccess(runScenario(2, "exchange", withoutSingleCopy));
}

TEST(MpiLink, OneRankIsAMeshToo) {
    expectSuccess(runScenario(1, "collectives"));
    expectSuccess(runScenario(1, "broadcasts"));
}

TEST(MpiLink, AddsInTheOrderOfTheList) {
    expectSuccess(runScenario(4, "sums"));
}

TEST(MpiLink, Broadcasts) {
    expectSuccess(runScenario(3, "broadcasts"));
    expectSuccess(runScenario(3, "broadcasts-chunked"));
}

TEST(MpiLink, CollectivesMixThreadsAndRanks) {
    expectSuccess(runScenario(2, "collectives"));
    expectSuccess(runScenario(3, "collectives"));
}

TEST(MpiLink, WhoIsDoneEarlyWaits) {
    expectSuccess(runScenario(3, "late-first"));
}

TEST(MpiLink, RefusesAnotherProgram) {
    const ProcessResult result = runScenario(2, "mismatch");
    EXPECT_EQ(result.exitCode, 5);
    EXPECT_THAT(result.err, HasSubstr("rank 1 on host"));
    EXPECT_THAT(result.err, HasSubstr("another-build"));
}

}  // namespace
}  // namespace meshreel
