// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engine/base/stop_token.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/shared_queue.h"
#include "engine/runs/run_session.h"
#include "engine/serve/event_feed.h"

namespace meshreel {

/// Works off a queue, one run after the other, on a thread of its own: a run by itself, or on ranks where its
/// project names hosts. While another program has the turn it waits.
class QueueWorker {
  public:
    /// Told what a person at the server should read, on the worker's thread.
    using Say = std::function<void(const std::string& line)>;

    /// The queue and the feed outlive it. `options` are those of every run.
    QueueWorker(SharedQueue& queue, EventFeed& feed, RunOptions options, Say say);
    /// Stops the run: it waits again, and goes on where it was when the queue is next worked off.
    ~QueueWorker();
    QueueWorker(const QueueWorker&) = delete;
    QueueWorker& operator=(const QueueWorker&) = delete;

    /// Looks for a run to begin now rather than within a second.
    void wake();

    /// Cancels the run of this id, which leaves the queue when it has stopped. Returns false when it does not
    /// run here.
    bool cancel(const std::string& run);

  private:
    void work();
    /// Returns whether there was a run to begin.
    bool runNext();
    void run(const QueuedRun& run);
    void endRun(const std::string& run, QueuedRun::State state, const std::string& remark);

    SharedQueue& m_queue;
    EventFeed& m_feed;
    RunOptions m_options;
    Say m_say;
    std::mutex m_mutex;  // guards what follows
    std::condition_variable m_wake;
    std::string m_running;  ///< its id; empty when none runs
    StopSource m_stop;      ///< of the run
    bool m_isCancelled = false;
    bool m_ends = false;
    bool m_isAsked = false;
    std::thread m_thread;  ///< last: it uses the rest
};

}  // namespace meshreel
