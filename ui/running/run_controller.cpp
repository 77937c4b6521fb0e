// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/running/run_controller.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/paths.h"
#include "engine/project/project_file.h"
#include "engine/runs/launch/launched_run.h"
#include "ui/values/clip.h"
#include "ui/values/engine_texts.h"
#include "ui/values/run_texts.h"

namespace meshreel {

namespace {

QString phaseTitle(Phase phase) {
    switch (phase) {
        case Phase::Load:
            return RunReporter::tr("Loading the model");
        case Phase::Compile:
            return RunReporter::tr("Preparing weights");
        case Phase::Conditioning:
            return RunReporter::tr("Reading the prompt");
        case Phase::Denoise:
            return RunReporter::tr("Denoising");
        case Phase::Decode:
            return RunReporter::tr("Decoding the video");
        case Phase::Format:
            return RunReporter::tr("Writing the video");
    }
    return {};
}

/// Small enough that a whole video of them, which no plan counts, does not matter.
QImage forLiveView(const QImage& picture) {
    constexpr int longestSide = 832;  // that of 480p: shown as it is
    if (std::max(picture.width(), picture.height()) <= longestSide)
        return picture;
    return picture.scaled(longestSide, longestSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

}  // namespace

void RunReporter::planned(const RunPlan& plan) {
    m_project = resolvedYaml(plan.project);
    m_framesPerSecond = plan.project.fps;
    m_videoSeconds = static_cast<double>(plan.project.numFrames) / plan.project.fps;
}

void RunReporter::log(const QString& words, bool isWarning) {
    m_mailbox.post([&](RunNews& news) { news.log.push_back({QTime::currentTime(), words, isWarning}); });
}

void RunReporter::tell(const StageNews& stage) {
    m_mailbox.post([&stage](RunNews& news) { news.stages.push_back(stage); });
}

void RunReporter::phaseStarted(Phase phase) {
    tell({.phase = phase, .kind = StageNews::Kind::Started});
    log(phaseTitle(phase));
}

void RunReporter::foundInCache(Phase phase) {
    tell({.phase = phase, .kind = StageNews::Kind::FoundInCache});
}

void RunReporter::phaseFinished(Phase phase, double seconds) {
    tell({.phase = phase, .kind = StageNews::Kind::Finished, .seconds = seconds});
    log(tr("%1: done in %2", "phase, duration").arg(phaseTitle(phase), durationText(seconds)));
}

void RunReporter::folderReady(const std::filesystem::path& folder) {
    log(tr("Run folder: %1").arg(QString::fromStdString(withTilde(folder))));
    m_mailbox.post([&folder](RunNews& news) { news.folder = QString::fromStdString(folder.string()); });
}

void RunReporter::progressed(const Progress& progress) {
    RunProgress values{.phase = progress.phase,
                       .phaseTitle = phaseTitle(progress.phase),
                       .stepsDone = progress.stepsDone,
                       .steps = progress.steps,
                       .fraction = progress.fraction,
                       .secondsLeft = progress.secondsLeft,
                       .decoded = progress.decoded};
    m_mailbox.post([&values](RunNews& news) { news.progress = std::move(values); });
}

void RunReporter::stepFinished(const StepRecord& step, const SamplerSnapshot& /*snapshot*/) {
    m_mailbox.post([&step](RunNews& news) { news.steps.push_back(step); });
    log(tr("Step %1: %2", "number of a step, duration").arg(step.step + 1).arg(durationText(step.seconds)));
    if (m_stop.afterStep)
        m_stop.now.request_stop();
}

void RunReporter::devicesWorked(const StepDeviceTimes& times) {
    m_mailbox.post([&times](RunNews& news) { news.devices.push_back(times); });
}

void RunReporter::preview(int /*step*/, const Tensor& frames) {
    Clip clip = clipOf(frames, m_framesPerSecond);
    clip.framesPerSecond = static_cast<double>(clip.frames.size()) / m_videoSeconds;
    m_mailbox.post([&clip](RunNews& news) { news.preview = std::move(clip); });
}

void RunReporter::framesDecoded(const DecodedFrames& decoded) {
    ClipPart part{.clip = clipOf(decoded.frames, m_framesPerSecond),
                  .first = static_cast<int>(decoded.first),
                  .total = static_cast<int>(decoded.total)};
    for (QImage& picture : part.clip.frames)
        picture = forLiveView(picture);
    m_mailbox.post([&part](RunNews& news) { news.decoded.push_back(std::move(part)); });
}

void RunReporter::framesReady(const Tensor& frames) {
    Clip clip = clipOf(frames, m_framesPerSecond);
    clip.project = m_project;
    m_mailbox.post([&clip](RunNews& news) { news.frames = std::move(clip); });
}

void RunReporter::message(MessageLevel level, const Sentence& text) {
    log(QString::fromStdString(text.text()), level == MessageLevel::Warning);
    if (level == MessageLevel::Warning)
        m_mailbox.post([&text](RunNews& news) { news.warnings.append(sentenceText(text)); });
}

void RunReporter::videoWritten(const WrittenVideo& video) {
    if (!video.note.empty())
        message(MessageLevel::Warning, video.note);
}

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
        const QString words = wholeText(currentProblem());
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
        return currentProblem();
    } catch (...) {
        return currentProblem();
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
                          [this](const Problem& problem) { emit failed(problem); }},
               outcome);
}

}  // namespace meshreel
