// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "engine/project/project.h"

namespace meshreel {

/// One project in the queue, as it was when it was added.
struct QueuedRun {
    enum class State { Waiting, Running, Done, Cancelled, Failed };

    Project project;
    State state = State::Waiting;
    QString remark = {};  ///< why it failed
    QString folder = {};  ///< of its run, once that was begun: it goes on there instead of starting anew
    std::vector<std::string> varied = {};  ///< names of the keys in which the runs of its grid differ

    friend bool operator==(const QueuedRun&, const QueuedRun&) = default;
};

}  // namespace meshreel
