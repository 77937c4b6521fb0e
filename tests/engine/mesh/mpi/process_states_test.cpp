// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/mesh/mpi/process_states.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

namespace meshreel {
namespace {

using ::testing::Contains;

/// A program that waits, with a rank in its environment.
class WaitingChild {
  public:
    WaitingChild() : m_id(::fork()) {
        if (m_id == 0) {
            ::setenv("OMPI_COMM_WORLD_RANK", "7", 1);
            ::execlp("sleep", "sleep", "60", nullptr);
            ::_exit(127);
        }
        while (!isThere())
            ::usleep(1000);
    }
    ~WaitingChild() {
        ::kill(m_id, SIGKILL);
        ::waitpid(m_id, nullptr, 0);
    }
    WaitingChild(const WaitingChild&) = delete;
    WaitingChild& operator=(const WaitingChild&) = delete;

    [[nodiscard]] pid_t id() const { return m_id; }
    void stop() const {
        ::kill(m_id, SIGSTOP);
        int status = 0;
        ::waitpid(m_id, &status, WUNTRACED);
    }
    void goOn() const {
        ::kill(m_id, SIGCONT);
        int status = 0;
        ::waitpid(m_id, &status, WCONTINUED);
    }

  private:
    /// Whether the program has its name and its environment: the kernel gives it the name first.
    [[nodiscard]] bool isThere() const {
        std::ifstream environment("/proc/" + std::to_string(m_id) + "/environ");
        return processName(m_id) == "sleep" && environment.peek() != std::ifstream::traits_type::eof();
    }

    pid_t m_id;
};

TEST(ProcessStates, AreReadFromTheKernel) {
    const WaitingChild child;
    EXPECT_EQ(parentProcess(child.id()), ::getpid());
    EXPECT_THAT(childProcesses(::getpid()), Contains(child.id()));
    EXPECT_EQ(rankOfProcess(child.id()), 7);
    EXPECT_FALSE(isStopped(child.id()));
    child.stop();
    EXPECT_TRUE(isStopped(child.id()));
    child.goOn();
    EXPECT_FALSE(isStopped(child.id()));
}

TEST(ProcessStates, NothingIsKnownOfAProcessThatIsGone) {
    constexpr pid_t nobody = 0x7fffffff;
    EXPECT_EQ(processName(nobody), "");
    EXPECT_EQ(parentProcess(nobody), 0);
    EXPECT_TRUE(childProcesses(nobody).empty());
    EXPECT_FALSE(isStopped(nobody));
    EXPECT_FALSE(rankOfProcess(nobody));
}

TEST(StoppedProcesses, OnesThatStayStoppedAreFound) {
    const WaitingChild child;
    const std::array both{::getpid(), child.id()};
    StoppedProcesses stopped(3);
    child.stop();
    EXPECT_FALSE(stopped.look(both));
    EXPECT_FALSE(stopped.look(both));
    EXPECT_EQ(stopped.look(both), child.id());
}

TEST(StoppedProcesses, AMomentDoesNotCount) {
    const WaitingChild child;
    const std::array one{child.id()};
    StoppedProcesses stopped(2);
    for (int times = 0; times < 3; ++times) {
        child.stop();
        EXPECT_FALSE(stopped.look(one));
        child.goOn();
        EXPECT_FALSE(stopped.look(one));
    }
}

}  // namespace
}  // namespace meshreel
