// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace meshreel::testing {

struct ProcessOptions {
    std::map<std::string, std::string> environment;  ///< added to ours
    std::filesystem::path workingFolder;             ///< ours when empty
    std::optional<std::uint64_t> largestFile;        ///< RLIMIT_FSIZE in bytes: a full disk
    std::optional<std::uint64_t> addressSpace;       ///< RLIMIT_AS in bytes
    bool ordinaryPermissions = false;                ///< file modes bind the process even if it is root
    bool outputToFullDevice = false;                 ///< stdout is /dev/full
    std::vector<int> closedStreams = {};             ///< of 0, 1 and 2
};

struct ProcessResult {
    int exitCode = -1;  ///< -1 when a signal ended it
    int signal = 0;
    bool timedOut = false;  ///< and was killed
    std::string out;
    std::string err;
};

/// A child process; killed at the end of the scope if it still runs.
class Process {
  public:
    explicit Process(const std::vector<std::string>& arguments, const ProcessOptions& options = {});
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t id() const { return m_pid; }
    void send(int signal) const;
    [[nodiscard]] std::string outSoFar() const;
    [[nodiscard]] std::string errSoFar() const;
    [[nodiscard]] bool running();
    ProcessResult wait(std::chrono::seconds limit = std::chrono::seconds(180));

  private:
    void poll(int flags);

    pid_t m_pid = -1;
    int m_out = -1;
    int m_err = -1;
    bool m_ended = false;
    int m_status = 0;
};

}  // namespace meshreel::testing
