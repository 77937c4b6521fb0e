// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_controller.h"

#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/overloaded.h"
#include "engine/base/paths.h"
#include "engine/film/film.h"
#include "engine/film/film_plan.h"
#include "engine/launch/film_shots.h"
#include "engine/launch/launched_run.h"
#include "engine/pipelines/generation.h"
#include "engine/project/project_trust.h"
#include "engine/runs/run_folder.h"
#include "engine/timing/step_record.h"
#include "engine/weights/cache/cache_folder.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr int deliveryMilliseconds = 33;

RunOptions studioOptions() {
    RunOptions options;
    options.lowPriority = true;
    options.caches = userCaches();
    options.previews = Previews::Yes;
    return options;
}

/// A summary that cannot be read does not undo the run. A film has none: each of its shots has one.
QString runSummary(const std::filesystem::path& folder, EventQueue& queue) {
    try {
        return RunFolder::isRun(folder) ? readSummary(folder) : QString();
    } catch (...) {
        queue.put(RunMessage{MessageLevel::Warning, wholeText(currentProblem()).toStdString()});
        return {};
    }
}

/// Reads the run that a job is about, and sends it ahead.
Project takeUp(const std::filesystem::path& folder, EventQueue& queue) {
    OpenedRun run = readRun(folder);
    Project project = run.project;
    queue.put(std::move(run));
    return project;
}

RunEnd perform(const std::function<RunOutcome(const EventSink&, const StopToken&)>& job, EventQueue& queue,
               JobStop& stop) {
    const auto sink = [&](const RunEvent& event) {
        queue.put(event);
        if (std::holds_alternative<StepRecord>(event) && stop.afterStep)
            stop.now.request_stop();
    };
    try {
        const RunOutcome outcome = job(sink, stop.now.get_token());
        return RunFinished{.folder = QString::fromStdString(outcome.folder.string()),
                           .note = sentenceText(outcome.note),
                           .summary = runSummary(outcome.folder, queue)};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            return RunCancelled{.paused = stop.afterStep};
        return currentProblem();
    } catch (...) {
        return currentProblem();
    }
}

}  // namespace

RunController::RunController(QObject* parent)
    : QObject(parent), m_queue(std::make_shared<EventQueue>()), m_stop(std::make_shared<JobStop>()) {
    m_delivery.setSingleShot(true);
    m_delivery.setInterval(deliveryMilliseconds);
    connect(m_queue.get(), &EventQueue::arrived, this, &RunController::scheduleDelivery,
            Qt::QueuedConnection);
    connect(&m_delivery, &QTimer::timeout, this, &RunController::deliver);
}

RunController::~RunController() {
    cancel();
    if (m_thread)
        m_thread->wait();
}

void RunController::generate(const Project& project) {
    start([request = RunRequest{project, {}, studioOptions(), TrustedInputs::asTheyAre(project)}](
              const EventSink& sink, const StopToken& stop) {
        if (request.project.hosts.empty())
            return runProject(request, sink, stop);
        return launchProject(request, expandTilde(request.project.hosts), sink, stop);
    });
}

void RunController::resume(const std::filesystem::path& folder, bool allowDifferentMachine) {
    RunOptions options = studioOptions();
    options.allowDifferentMachine = allowDifferentMachine;
    start([folder, options, queue = m_queue](const EventSink& sink, const StopToken& stop) {
        const std::string hosts = takeUp(folder, *queue).hosts;
        if (hosts.empty())
            return resumeRun(folder, options, sink, stop);
        return launchResumed(folder, options, expandTilde(hosts), sink, stop);
    });
}

void RunController::decodeAgain(const std::filesystem::path& folder) {
    start([folder, options = studioOptions(), queue = m_queue](const EventSink& sink, const StopToken& stop) {
        takeUp(folder, *queue);
        return meshreel::decodeAgain(folder, options, sink, stop);
    });
}

void RunController::makeFilm(const Storyboard& storyboard, const std::filesystem::path& folder,
                             const std::shared_ptr<const PredictionBasis>& basis) {
    start([storyboard, folder, basis, agreed = inputsAsTheyAre(storyboard)](const EventSink& sink,
                                                                            const StopToken& stop) {
        const FilmPlan plan = planFilm(storyboard, folder, {.basis = basis, .runsFolder = folder});
        const FilmResult film =
            meshreel::makeFilm(plan, makeShotsByRuns(studioOptions(), agreed, sink, stop), sink);
        return RunOutcome{.folder = folder, .note = film.note, .video = film.video};
    });
}

void RunController::cancel() {
    m_stop->afterStep = false;
    m_stop->now.request_stop();
}

void RunController::pauseAfterStep() {
    m_stop->afterStep = true;
}

void RunController::start(Job job) {
    if (isBusy())
        return;
    m_stop = std::make_shared<JobStop>();
    m_thread.reset(QThread::create([job = std::move(job), queue = m_queue, stop = m_stop]() mutable {
        RunEnd outcome = perform(job, *queue, *stop);
        queue->put(std::move(outcome));
    }));
    m_thread->setObjectName(QStringLiteral("meshreel engine"));
    m_thread->start();
    emit started();
}

void RunController::scheduleDelivery() {
    if (!m_delivery.isActive())
        m_delivery.start();
}

void RunController::deliver() {
    std::vector<StudioEvent> events;
    std::optional<RunEnd> outcome;
    for (JobEvent& arrived : m_queue->take())
        std::visit(Overloaded{[this](const OpenedRun& run) { emit takenUp(run); },
                              [&](StudioEvent& event) { events.push_back(std::move(event)); },
                              [&](RunEnd& reached) { outcome = std::move(reached); }},
                   arrived);
    if (!events.empty())
        emit happened(events);
    if (outcome)
        end(*outcome);
}

void RunController::end(const RunEnd& outcome) {
    m_thread->wait();
    m_thread.reset();
    std::visit(Overloaded{[this](const RunFinished& done) { emit finished(done); },
                          [this](const RunCancelled& stopped) { emit cancelled(stopped.paused); },
                          [this](const Problem& problem) { emit failed(problem); }},
               outcome);
}

}  // namespace meshreel

#include "moc_run_controller.cpp"
