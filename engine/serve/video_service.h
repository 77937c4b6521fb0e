// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>

#include "engine/project/project.h"
#include "engine/queue/queued_run.h"
#include "engine/queue/run_list.h"
#include "engine/queue/shared_queue.h"
#include "engine/serve/event_feed.h"
#include "engine/serve/kept_results.h"
#include "engine/serve/queue_worker.h"
#include "engine/serve/web_exchange.h"

namespace meshreel {

struct PredictionBasis;

/// What a service needs beside its queue.
struct VideoServiceOptions {
    std::filesystem::path inbox;  ///< folder of the inputs that came with requests, a folder for each run
    std::filesystem::path runsFolder;  ///< on whose disk runs are written
    std::size_t mostWaiting = 100;     ///< runs in the queue that have not begun; more are answered with 429
    std::shared_ptr<const PredictionBasis> basis = {};  ///< null: no seconds are predicted
    KeepLimit keep = {};                                ///< of results of requests
    /// Told, on the thread of the request, what went wrong that is not the client's fault.
    std::function<void(const std::string& line)> say = [](const std::string&) {};
};

/// The routes of `meshreel serve` (docs/serve.md lists them): what is asked of them and what they answer,
/// without the protocol that brings it. For several threads.
class VideoService {
  public:
    /// All outlive it. Removes what is left in the inbox of runs that are not in the queue any more.
    VideoService(SharedQueue& queue, QueueWorker& worker, EventFeed& feed, VideoServiceOptions options);

    /// Answers a request; with an error of the 4xx kind for what is wrong with it, of the 5xx kind for what
    /// went wrong here.
    WebAnswer answer(WebRequest& request);

    /// Deletes what is beyond the limit of results that are kept; to be called now and then.
    void tidy();

    /// Lets all streams of events end.
    void close();

  private:
    /// Requests that are read and planned at once; the others wait. Each takes up to some hundred MiB.
    static constexpr int mostPlanned = 4;

    WebAnswer route(WebRequest& request);
    /// Calls what answers a POST when it is its turn.
    WebAnswer inTurn(const std::function<WebAnswer()>& answerPost) const;
    WebAnswer routeVideo(const WebRequest& request, std::string_view rest);
    WebAnswer routeRun(WebRequest& request, std::string_view rest);

    WebAnswer createVideo(WebRequest& request);
    WebAnswer createRun(WebRequest& request);
    WebAnswer plan(WebRequest& request) const;
    [[nodiscard]] WebAnswer list(const WebRequest& request) const;
    [[nodiscard]] static WebAnswer content(const QueuedRun& run, const WebRequest& request);
    WebAnswer remove(const std::string& id);
    [[nodiscard]] static WebAnswer archive(const QueuedRun& run);
    [[nodiscard]] WebAnswer events(const QueuedRun& run) const;

    /// Adds the project, whose inputs lie in the request's folder, to the queue unless something keeps it
    /// from running.
    WebAnswer enqueue(Project project, WebRequest& request);
    /// Changes the queue as SharedQueue::change(). Throws Error{Resources} where that cannot be done.
    RunList changeQueue(const SharedQueue::Change& change) const;
    [[nodiscard]] RunList readQueue() const;
    /// Returns whether the queue takes no more runs of clients.
    [[nodiscard]] bool isFull(const RunList& list) const;
    /// The state of a run as OpenAI's clients read it.
    [[nodiscard]] std::string videoJson(const QueuedRun& run) const;

    SharedQueue& m_queue;
    QueueWorker& m_worker;
    EventFeed& m_feed;
    VideoServiceOptions m_options;
    mutable std::counting_semaphore<mostPlanned> m_planning{mostPlanned};
};

}  // namespace meshreel
