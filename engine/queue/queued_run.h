// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

/// One project in the queue, as it was when it was added.
struct QueuedRun {
    enum class State { Waiting, Running, Done, Cancelled, Failed };

    Project project;
    State state = State::Waiting;
    std::string remark = {};  ///< why it failed, in the words that its program showed
    std::string folder = {};  ///< folder of its run, once it has begun: the run goes on there instead of
                              ///< starting anew
    std::vector<std::string> varied = {};  ///< names of the keys in which the runs of its grid differ
    std::string id = {};                   ///< newRunId(); never changes, and no two runs share one
    std::int64_t added = 0;   ///< milliseconds of Unix time, for an order; 0 in earlier versions'
                              ///< queues
    std::int64_t ended = 0;   ///< in seconds: when it last was done, cancelled or failed; 0: never
    bool isOfClient = false;  ///< it came over the network

    friend bool operator==(const QueuedRun&, const QueuedRun&) = default;
};

/// "waiting", "running", "done", "cancelled", "failed".
std::string_view nameOf(QueuedRun::State state);

/// Returns the state of a name; Waiting for any other text.
QueuedRun::State queuedStateNamed(std::string_view name);

/// Returns 24 random hexadecimal digits.
std::string newRunId();

/// Returns a run that waits from now on, under an id of its own.
QueuedRun queuedNow(Project project, std::vector<std::string> varied = {});

/// Now, in seconds of Unix time.
std::int64_t unixTimeNow();

}  // namespace meshreel
