// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace meshreel::testing {

/// mpi_link_program as some ranks of an mpirun.
class MpiRun {
  public:
    MpiRun(int ranks, const std::string& scenario, const std::vector<std::string>& mpirunOptions = {});

    /// Waits until the ranks have done their first exchange; their process ids, in no order.
    std::vector<pid_t> waitUntilTurning();

    /// Waits until mpirun has started as many ranks, which may not have met yet.
    std::vector<pid_t> waitUntilStarted(std::size_t ranks);

    [[nodiscard]] Process& process() { return *m_process; }

    /// Waits for mpirun, and for the ranks that waitUntilTurning() saw to be gone.
    ProcessResult wait(std::chrono::seconds limit = std::chrono::seconds(120));

    /// Of those ranks, how many outlived mpirun by more than ten seconds.
    [[nodiscard]] int left() const { return m_left; }

  private:
    std::unique_ptr<Process> m_process;
    std::vector<pid_t> m_ranks;
    int m_left = 0;
};

/// Runs the scenario to its end.
ProcessResult runScenario(int ranks, const std::string& scenario,
                          const std::vector<std::string>& mpirunOptions = {});

/// Over TCP, as between hosts; large messages copied in and out, as in containers.
extern const std::vector<std::string> overTcp;
extern const std::vector<std::string> withoutSingleCopy;

}  // namespace meshreel::testing
