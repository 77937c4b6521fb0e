// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks on two hosts: network namespaces with host names of their own.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "tests/support/network_hosts.h"

namespace meshreel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

    /// mpirun on alpha: rank 0 there, rank 1 on beta.
    static std::vector<std::string> mpirunLine(const NetworkHosts& hosts, const std::string& scenario) {
        return hosts.onAlpha(MESHREEL_MPIRUN " --allow-run-as-root -n 2 --bind-to none --host " +
                             NetworkHosts::alphaAddress + ":1," + NetworkHosts::betaAddress +
                             ":1 --mca plm_rsh_agent " + hosts.remoteShell() + " " + linkProgram + " " +
                             scenario);
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
    const ProcessResult result = Process(mpirunLine(hosts, "exchange")).wait();
    EXPECT_EQ(result.exitCode, 0) << result.err;
}

TEST_F(MpiHosts, ARankKilledOnTheOtherHostEndsAll) {
    const NetworkHosts hosts;
    Process process(mpirunLine(hosts, "turn"));
    waitUntilTurning(process);
    const pid_t rank = rankOnBeta(hosts);
    ASSERT_GT(rank, 0) << process.errSoFar();
    ::kill(rank, SIGKILL);
    const ProcessResult result = process.wait(20s);
    EXPECT_FALSE(result.timedOut);
    EXPECT_NE(result.exitCode, 0);
    EXPECT_THAT(result.err, HasSubstr("rank 0 knows: failure"));
    EXPECT_THAT(hosts.leftAfter(10s), IsEmpty());
}

TEST_F(MpiHosts, ACutCableEndsBothSides) {
    const NetworkHosts hosts;
    Process process(mpirunLine(hosts, "turn"));
    waitUntilTurning(process);
    ASSERT_GT(rankOnBeta(hosts), 0) << process.errSoFar();
    hosts.cutCable();
    waitForWords(process, "rank 0 knows", 30s);  // eight to notice
    const auto endDue = std::chrono::steady_clock::now() + 10s;
    const ProcessResult result = process.wait(10s);
    EXPECT_FALSE(result.timedOut) << result.err;
    EXPECT_NE(result.exitCode, 0);
    const auto rest = std::max(0ns, endDue - std::chrono::steady_clock::now());
    EXPECT_THAT(hosts.leftAfter(std::chrono::duration_cast<std::chrono::milliseconds>(rest)), IsEmpty());
    EXPECT_THAT(result.err, HasSubstr("rank 0 knows: failure of rank 1 on beta"));
}

}  // namespace
}  // namespace meshreel
