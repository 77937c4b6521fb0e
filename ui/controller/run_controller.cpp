// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controller/run_controller.h"

#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/runs/launch/launched_run.h"
#include "ui/controller/run_reporter.h"
#include "ui/models/key_texts.h"

namespace meshreel {

namespace {

constexpr int deliveryMilliseconds = 33;

RunOptions studioOptions() {
    RunOptions options;
    options.lowPriority = true;
    options.caches = userCaches();
    return options;
}

/// A summary that cannot be read does not undo the run.
QString summaryOf(const std::filesystem::path& folder, Mailbox& mailbox) {
    try {
        return readSummary(folder);
    } catch (...) {
        const QString words = Trouble::ofCurrentException().text();
        mailbox.post([&words](RunNews& news) { news.warnings += words; });
        return {};
    }
}

/// Reads the run that a job is about, and tells of it.
Project takeUp(const std::filesystem::path& folder, Mailbox& mailbox) {
    OpenedRun run = readRun(folder);
    Project project = run.project;
    mailbox.post([&run](RunNews& news) { news.takenUp = std::move(run); });
    return project;
}

RunEnd perform(const std::function<RunOutcome(RunObserver&, const StopToken&)>& job, Mailbox& mailbox,
               JobStop& stop) {
    try {
        RunReporter reporter(mailbox, stop);
        const RunOutcome outcome = job(reporter, stop.now.get_token());
        return RunFinished{.folder = QString::fromStdString(outcome.folder.string()),
                           .note = sentenceText(outcome.note),
                           .summary = summaryOf(outcome.folder, mailbox)};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled)
            return RunCancelled{.paused = stop.afterStep};
        return Trouble::ofCurrentException();
    } catch (...) {
        return Trouble::ofCurrentException();
    }
}

/// The members of a visitor.
template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

RunController::RunController(QObject* parent)
    : QObject(parent), m_mailbox(std::make_shared<Mailbox>()), m_stop(std::make_shared<JobStop>()) {
    m_delivery.setSingleShot(true);
    m_delivery.setInterval(deliveryMilliseconds);
    connect(m_mailbox.get(), &Mailbox::newsArrived, this, &RunController::scheduleDelivery,
            Qt::QueuedConnection);
    connect(&m_delivery, &QTimer::timeout, this, &RunController::deliver);
}

RunController::~RunController() {
    cancel();
    if (m_thread)
        m_thread->wait();
}

void RunController::generate(const Project& project) {
    start([request = RunRequest{project, {}, studioOptions()}](RunObserver& observer, const StopToken& stop) {
        if (request.project.hosts.empty())
            return runProject(request, observer, stop);
        return launchProject(request, expandTilde(request.project.hosts), observer, stop);
    });
}

void RunController::resume(const std::filesystem::path& folder, bool allowDifferentMachine) {
    RunOptions options = studioOptions();
    options.allowDifferentMachine = allowDifferentMachine;
    start([folder, options, mailbox = m_mailbox](RunObserver& observer, const StopToken& stop) {
        const std::string hosts = takeUp(folder, *mailbox).hosts;
        if (hosts.empty())
            return resumeRun(folder, options, observer, stop);
        return launchResumed(folder, options, expandTilde(hosts), observer, stop);
    });
}

void RunController::decodeAgain(const std::filesystem::path& folder) {
    start([folder, options = studioOptions(), mailbox = m_mailbox](RunObserver& observer,
                                                                   const StopToken& stop) {
        takeUp(folder, *mailbox);
        return meshreel::decodeAgain(folder, options, observer, stop);
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
    m_thread.reset(QThread::create([job = std::move(job), mailbox = m_mailbox, stop = m_stop]() mutable {
        RunEnd outcome = perform(job, *mailbox, *stop);
        mailbox->post([&outcome](RunNews& news) { news.end = std::move(outcome); });
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
    const RunNews news = m_mailbox->take();
    if (news.takenUp)
        emit takenUp(*news.takenUp);
    if (news.folder)
        emit folderReady(*news.folder);
    if (!news.steps.empty())
        emit stepsFinished(news.steps);
    if (!news.devices.empty())
        emit devicesWorked(news.devices);
    if (!news.stages.empty())
        emit stagesChanged(news.stages);
    if (news.progress)
        emit progressed(*news.progress);
    if (news.preview)
        emit previewReady(*news.preview);
    for (const ClipPart& part : news.decoded)
        emit framesDecoded(part);
    if (news.frames)
        emit framesReady(*news.frames);
    if (!news.log.empty())
        emit logged(news.log);
    for (const QString& warning : news.warnings)
        emit warned(warning);
    if (news.end)
        end(*news.end);
}

void RunController::end(const RunEnd& outcome) {
    m_thread->wait();
    m_thread.reset();
    std::visit(Overloaded{[this](const RunFinished& done) { emit finished(done); },
                          [this](const RunCancelled& news) { emit cancelled(news.paused); },
                          [this](const Trouble& trouble) { emit failed(trouble); }},
               outcome);
}

}  // namespace meshreel
