// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// A program started with pipes for its standard streams, in a process group of its own: a Ctrl-C in the
/// terminal does not reach it. It is asked to end (SIGTERM) when the thread that started it ends.
class ChildProcess {
  public:
    /// `line`: the program, looked for in PATH, and its arguments. Throws Error{Input} when it cannot be
    /// started.
    explicit ChildProcess(const std::vector<std::string>& line);

    /// Kills the group if the program still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] pid_t id() const { return m_pid; }
    [[nodiscard]] int out() const { return m_out; }  ///< Returns the descriptor to read from.
    [[nodiscard]] int err() const { return m_err; }

    /// Writes to its standard input; does nothing when the child no longer reads.
    void write(std::string_view text) const;

    void signal(int number) const;
    void signalGroup(int number) const;

    /// Returns the exit code, or 128 + signal as shells do, once it has ended.
    std::optional<int> poll();

  private:
    pid_t m_pid = -1;
    int m_in = -1;
    int m_out = -1;
    int m_err = -1;
    std::optional<int> m_status;
};

}  // namespace meshreel
