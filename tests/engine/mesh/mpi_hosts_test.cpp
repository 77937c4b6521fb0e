// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks on two hosts: network namespaces with host names of their own.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "network_hosts.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::NetworkHosts;
using testing::Process;
using testing::ProcessResult;

const std::string linkProgram = MESHREEL_LINK_PROGRAM;

class MpiHosts : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!NetworkHosts::possible())
            GTEST_SKIP() << "this process may not make network namespaces (root and iproute2 are needed)";
    }

    static void waitForWords(Process& process, const char* words, std::chrono::seconds limit) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (process.running() && std::chrono::steady_clock::now() < deadline &&
               process.errSoFar().find(words) == std::string::npos)
            std::this_thread::sleep_for(20ms);
    }

    static void waitUntilTurning(Process& process) { waitForWords(process, "turning", 60s); }

    static void expectNobodyLeft(const NetworkHosts& hosts, std::chrono::seconds limit) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (hosts.anyProcessLeft() && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(100ms);
        EXPECT_FALSE(hosts.anyProcessLeft());
    }

    /// The rank among the processes on beta, where mpirun's daemon runs as well.
    static pid_t rankOnBeta(const NetworkHosts& hosts) {
        for (const pid_t process : hosts.processesOnBeta()) {
            std::ifstream name("/proc/" + std::to_string(process) + "/comm");
            std::string text;
            std::getline(name, text);
            if (linkProgram.find(text) != std::string::npos)
                return process;
        }
        return -1;
    }
};

TEST_F(MpiHosts, ExchangeOverTheNetwork) {
    const NetworkHosts hosts;
    const ProcessResult result = Process(hosts.mpirunLine({linkProgram, "exchange"})).wait();
    EXPECT_EQ(result.exitCode, 0) << result.err;
}

TEST_F(MpiHosts, ARankKilledOnTheOtherHostEndsAll) {
    const NetworkHosts hosts;
    Process process(hosts.mpirunLine({linkProgram, "turn"}));
    waitUntilTurning(process);
    const pid_t rank = rankOnBeta(hosts);
    ASSERT_GT(rank, 0) << process.errSoFar();
    ::kill(rank, SIGKILL);
    const ProcessResult result = process.wait(20s);
    EXPECT_FALSE(result.timedOut);
    EXPECT_NE(result.exitCode, 0);
    EXPECT_THAT(result.err, HasSubstr("rank 0 knows: failure"));
    expectNobodyLeft(hosts, 10s);
}

TEST_F(MpiHosts, ACutCableEndsBothSides) {
    const NetworkHosts hosts;
    Process process(hosts.mpirunLine({linkProgram, "turn"}));
    waitUntilTurning(process);
    ASSERT_GT(rankOnBeta(hosts), 0) << process.errSoFar();
    hosts.cutCable();
    waitForWords(process, "rank 0 ends", 30s);  // eight to notice, ten to end
    // mpirun itself may wait for the lost host for ever; who launched it ends it (rank_launcher.cpp).
    process.send(SIGKILL);
    const ProcessResult result = process.wait(10s);
    EXPECT_THAT(result.err, HasSubstr("rank 0 knows: failure of rank 1 on beta"));
    EXPECT_THAT(result.err, HasSubstr("rank 0 ends: rank 1 on beta failed"));
    expectNobodyLeft(hosts, 20s);
}

}  // namespace
}  // namespace meshreel
