// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
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

    /// The addresses that the hosts are called by.
    static const std::string alphaAddress;
    static const std::string betaAddress;

    /// What runs a shell's command on alpha, in the process that it is given to.
    [[nodiscard]] std::vector<std::string> onAlpha(const std::string& command) const;

    /// In place of ssh: AGENT HOST COMMAND... runs the command on beta.
    [[nodiscard]] std::string remoteShell() const { return (m_folder / "agent").string(); }

    /// Whatever is started on beta from now on finds the folder empty there.
    void hideOnBeta(const std::filesystem::path& folder) const;

    /// Bring the calling thread to a host, for good.
    void enterAlpha() const { enter(m_alpha); }
    void enterBeta() const { enter(m_beta); }

    void cutCable() const;
    [[nodiscard]] std::vector<pid_t> processesOnBeta() const { return processesIn(m_beta); }
    /// The names of the processes that are left after at most `limit`.
    [[nodiscard]] std::vector<std::string> leftAfter(std::chrono::milliseconds limit) const;

  private:
    /// `before`: commands of a shell, run on beta before every other.
    void writeRemoteShell(const std::string& before) const;
    static void enter(const std::string& name);
    [[nodiscard]] static std::vector<pid_t> processesIn(const std::string& name);
    [[nodiscard]] std::vector<std::string> processNames() const;

    TemporaryFolder m_folder;
    std::string m_alpha;
    std::string m_beta;
    std::string m_cable;
};

}  // namespace meshreel::testing
