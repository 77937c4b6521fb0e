// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/queue_worker.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/events/run_event.h"
#include "engine/launch/launched_run.h"
#include "engine/project/project.h"
#include "engine/project/project_trust.h"
#include "engine/queue/run_list.h"
#include "engine/runs/run_folder.h"

namespace meshreel {
namespace {

constexpr std::chrono::seconds lookAgain{1};  ///< others add runs, and give the turn back

}  // namespace

QueueWorker::QueueWorker(SharedQueue& queue, EventFeed& feed, RunOptions options, Say say)
    : m_queue(queue), m_feed(feed), m_options(std::move(options)), m_say(std::move(say)), m_thread([this] {
          work();
      }) {}

QueueWorker::~QueueWorker() {
    {
        const std::scoped_lock lock(m_mutex);
        m_ends = true;
        m_stop.request_stop();
    }
    m_wake.notify_all();
    m_thread.join();
}

void QueueWorker::wake() {
    const std::scoped_lock lock(m_mutex);
    m_isAsked = true;
    m_wake.notify_all();
}

bool QueueWorker::cancel(const std::string& run) {
    const std::scoped_lock lock(m_mutex);
    if (run.empty() || run != m_running)
        return false;
    m_isCancelled = true;
    m_stop.request_stop();
    return true;
}

void QueueWorker::work() {
    for (;;) {
        bool hasRun = false;
        try {
            hasRun = runNext();
        } catch (const std::exception&) {
            m_say(fmt::format("the queue: {}", currentProblem().text()));
            const std::scoped_lock lock(m_mutex);
            m_running.clear();
        }
        std::unique_lock lock(m_mutex);
        if (!hasRun)
            m_wake.wait_for(lock, lookAgain, [this] { return m_ends || m_isAsked; });
        m_isAsked = false;
        if (m_ends)
            return;
    }
}

bool QueueWorker::runNext() {
    const std::optional<SharedQueue::Begun> begun =
        m_queue.begin([](const RunList& list) { return list.firstWaiting(); });
    if (!begun)
        return false;
    {
        const std::scoped_lock lock(m_mutex);
        m_running = begun->run.id;
        m_stop = StopSource();
        m_isCancelled = false;
        if (m_ends)
            m_stop.request_stop();
    }
    run(begun->run);
    bool isCancelled = false;  // however it ended
    {
        const std::scoped_lock lock(m_mutex);
        m_running.clear();
        isCancelled = m_isCancelled;
    }
    if (isCancelled)
        m_queue.change([&begun](RunList& list) { list.remove({begun->run.id}); });
    return true;
}

void QueueWorker::run(const QueuedRun& queued) {
    const auto hear = [this, id = queued.id](const RunEvent& event) {
        if (const auto* const ready = std::get_if<FolderReady>(&event))
            m_queue.change([&](RunList& list) { list.setFolder(id, ready->folder.string()); });
        m_feed.add(id, event);
    };
    const StopToken stop = m_stop.get_token();
    try {
        const Project& project = queued.project;
        const std::filesystem::path hosts = expandTilde(project.hosts);
        RunOutcome outcome;
        if (!queued.folder.empty() && RunFolder::isRun(queued.folder)) {
            outcome = project.hosts.empty() ? resumeRun(queued.folder, m_options, hear, stop)
                                            : launchResumed(queued.folder, m_options, hosts, hear, stop);
        } else {
            const RunRequest request{.project = project,
                                     .outFolder = {},
                                     .options = m_options,
                                     .inputs = TrustedInputs::asTheyAre(project)};
            outcome = project.hosts.empty() ? runProject(request, hear, stop)
                                            : launchProject(request, hosts, hear, stop);
        }
        endRun(queued.id, QueuedRun::State::Done, {});
        m_feed.add(queued.id, outcome);
    } catch (const std::exception& failure) {
        const Problem problem = currentProblem();
        const auto* const error = dynamic_cast<const Error*>(&failure);
        const bool isStopped = error != nullptr && error->kind() == ErrorKind::Cancelled;
        bool isCancelled = false;
        {
            const std::scoped_lock lock(m_mutex);
            isCancelled = m_isCancelled;
        }
        if (isStopped && isCancelled)
            endRun(queued.id, QueuedRun::State::Cancelled, {});
        else if (isStopped)
            endRun(queued.id, QueuedRun::State::Waiting, {});
        else
            endRun(queued.id, QueuedRun::State::Failed, problem.text());
        m_feed.add(queued.id, RunFailed::from(failure));
        if (!isStopped)
            m_say(fmt::format("{}: {}", queued.id, problem.text()));
    }
}

void QueueWorker::endRun(const std::string& run, QueuedRun::State state, const std::string& remark) {
    m_queue.change([&](RunList& list) { list.end(run, state, remark, unixTimeNow()); });
}

}  // namespace meshreel
