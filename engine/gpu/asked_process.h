// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/child_process.h"
#include "engine/base/stop_token.h"

namespace meshreel {

/// A program that asks a driver something: a driver that crashes or hangs ends that program, not this one.
class AskedProcess {
  public:
    using Clock = std::chrono::steady_clock;

    struct Answer {
        std::string text = {};           ///< what it printed
        std::string lastMessage = {};    ///< the last line that it, or the driver, wrote to stderr
        std::optional<int> status = {};  ///< its exit code, or 128 + signal; nothing: it did not end in time
        /// Returns the signal that ended it.
        [[nodiscard]] std::optional<int> signal() const;
    };

    /// Starts it. Throws Error{Input} when it cannot be started.
    explicit AskedProcess(const std::vector<std::string>& line) : m_child(line) {}

    /// Waits until it has ended, or for the deadline. It is killed with this object. Throws Error{Cancelled}
    /// soon after a stop was requested.
    [[nodiscard]] Answer answer(Clock::time_point deadline, const StopToken& stop = {});

  private:
    ChildProcess m_child;
};

}  // namespace meshreel
