// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/project/project.h"
#include "engine/queue/queued_run.h"

namespace meshreel {

/// The rules of the queue: in which order runs stand, and what may be done with them. Its functions name runs
/// by their ids and pass over those that are gone, so that what one program asks for can be done to a queue
/// that another has changed meanwhile.
///
/// What waits and runs stands first, in the order in which it will run; what is done stands last, what ended
/// last before the others. What failed or was cancelled keeps its place: somebody may want to run it again.
class RunList {
  public:
    using Ids = std::vector<std::string>;

    RunList() = default;
    explicit RunList(std::vector<QueuedRun> runs) : m_runs(std::move(runs)) {}

    [[nodiscard]] const std::vector<QueuedRun>& runs() const { return m_runs; }
    /// Null when it is not there.
    [[nodiscard]] const QueuedRun* find(std::string_view id) const;
    /// Null when none runs.
    [[nodiscard]] const QueuedRun* running() const;
    /// The run whose turn it is; null when none waits.
    [[nodiscard]] const QueuedRun* firstWaiting() const;
    [[nodiscard]] std::size_t count(QueuedRun::State state) const;

    /// Puts them before what is done, in their order.
    void add(std::vector<QueuedRun> runs);
    /// But for the running one.
    void remove(const Ids& ids);
    /// Removes what is done.
    void clearDone();

    /// Moves each to the place before or after its neighbour; those that stand together stay so. Does nothing
    /// at the ends.
    void moveUp(const Ids& ids);
    void moveDown(const Ids& ids);
    /// Moves them together, in their order, before `place`, which is none of them; behind all others without
    /// such a run.
    void moveBefore(const Ids& ids, std::string_view place);

    /// They wait again, to go on in their folders; but for the running one.
    void resume(const Ids& ids);
    /// They wait again, to start anew in other folders, changed if `change` is given; but for the running
    /// one.
    void retry(const Ids& ids, const std::function<void(Project&)>& change = {});

    /// It runs from now on. Called for one run at a time, by who has the turn (shared_queue.h).
    void begin(std::string_view id);
    void setFolder(std::string_view id, const std::string& folder);
    /// It does not run any more; nothing when it does not run. What is done goes last.
    void end(std::string_view id, QueuedRun::State state, const std::string& remark, std::int64_t when);
    /// What runs waits again, to go on in its folder: its program ended without a word.
    void releaseRunning();
    void putDoneLast();

    friend bool operator==(const RunList&, const RunList&) = default;

  private:
    [[nodiscard]] QueuedRun* own(std::string_view id);

    std::vector<QueuedRun> m_runs;
};

}  // namespace meshreel
