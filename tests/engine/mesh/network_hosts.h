// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meshreel::testing {

/// Two network namespaces that a cable connects, standing in for the hosts "alpha" and "beta".
class NetworkHosts {
  public:
    /// Whether this process may make them.
    static bool possible();

    NetworkHosts();
    ~NetworkHosts();
    NetworkHosts(const NetworkHosts&) = delete;
    NetworkHosts& operator=(const NetworkHosts&) = delete;

    /// mpirun on alpha: rank 0 there, rank 1 on beta.
    [[nodiscard]] std::vector<std::string> mpirunLine(const std::vector<std::string>& program) const;

    void cutCable() const;
    [[nodiscard]] std::vector<pid_t> processesOnBeta() const { return processesIn(m_beta); }
    [[nodiscard]] bool anyProcessLeft() const;

  private:
    [[nodiscard]] static std::vector<pid_t> processesIn(const std::string& name);

    TemporaryFolder m_folder;
    std::string m_alpha;
    std::string m_beta;
    std::string m_cable;
};

}  // namespace meshreel::testing
