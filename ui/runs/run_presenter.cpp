// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_presenter.h"

#include <QFileInfo>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/problem.h"
#include "engine/events/run_event.h"
#include "engine/planning/run_plan.h"
#include "ui/running/event_queue.h"
#include "ui/running/run_bar.h"
#include "ui/runs/results_view.h"
#include "ui/values/engine_texts.h"
#include "ui/values/opened_run.h"
#include "ui/widgets/message_banner.h"

namespace meshreel {

RunPresenter::RunPresenter(RunBar& bar, ResultsView& results, MessageBanner& banner, QObject* parent)
    : QObject(parent), m_bar(bar), m_results(results), m_banner(banner) {
    connectController();
}

void RunPresenter::connectController() {
    connect(&m_controller, &RunController::started, this, &RunPresenter::begin);
    connect(&m_controller, &RunController::takenUp, this, &RunPresenter::takeUp);
    connect(&m_controller, &RunController::happened, this, &RunPresenter::follow);
    connect(&m_controller, &RunController::finished, this, &RunPresenter::showFinished);
    connect(&m_controller, &RunController::cancelled, this, [this](bool paused) {
        const QString sentence = paused ? tr("Paused") : tr("Cancelled");
        const bool resumable = m_denoises && !m_makesFilm && !m_folder.isEmpty();
        m_results.setCaption(!resumable     ? sentence
                             : m_steps == 0 ? tr("%1. Resume begins again.", "state").arg(sentence)
                                            : tr("%1 at step %2 of %3. Resume goes on from there.", "state")
                                                  .arg(sentence)
                                                  .arg(m_stepsDone)
                                                  .arg(m_steps));
        end(sentence, resumable);
    });
    connect(&m_controller, &RunController::failed, this, [this](const Problem& problem) {
        m_banner.showProblem(problem);
        end(tr("Failed"), m_denoises && !m_makesFilm && !m_folder.isEmpty());
    });
}

void RunPresenter::follow(const std::vector<StudioEvent>& events) {
    for (const StudioEvent& happened : events) {
        m_bar.follow(happened.event);
        if (const QString warning = warningText(happened.event); !warning.isEmpty())
            m_banner.showNote(warning);
        handle(
            happened.event,
            [this](const FolderReady& ready) {
                m_folder = QString::fromStdString(ready.folder.string());
                emit runsChanged();
            },
            [this](const Progress& progress) {
                m_stepsDone = progress.stepsDone;
                m_steps = progress.steps;
                if (m_pausable && progress.steps > 0 && progress.stepsDone == progress.steps)
                    setPausable(false);
            });
    }
    if (m_makesFilm)
        followShots(events);
    else
        m_results.follow(events);
}

/// What is planned is the next shot: what comes before it belongs to the one before.
void RunPresenter::followShots(const std::vector<StudioEvent>& events) {
    std::vector<StudioEvent> ofShot;
    for (const StudioEvent& happened : events) {
        handle(happened.event, [&](const Planned& planned) {
            m_results.follow(std::exchange(ofShot, {}));
            const bool isOfThisProcess = planned.plan != nullptr;
            m_results.beginLive(isOfThisProcess
                                    ? visibleText(QString::fromStdString(planned.plan->project.prompt))
                                    : QString(),
                                planned.steps);
            setPausable(!m_controller.pauseAsked());
        });
        ofShot.push_back(happened);
    }
    m_results.follow(ofShot);
}

void RunPresenter::generate(const Project& project) {
    if (!mayBegin())
        return;
    m_folder.clear();
    m_denoises = true;
    m_makesFilm = false;
    m_results.beginLive(visibleText(QString::fromStdString(project.prompt)),
                        static_cast<int>(project.numInferenceSteps));
    m_controller.generate(project);
}

void RunPresenter::resume(const QString& folder, bool allowDifferentMachine) {
    if (!mayBegin())
        return;
    const std::filesystem::path path = folder.toStdString();
    m_folder.clear();
    m_denoises = true;
    m_makesFilm = false;
    m_controller.resume(path, allowDifferentMachine);
}

void RunPresenter::resumeStopped() {
    resume(m_folder, false);
}

void RunPresenter::decodeAgain(const QString& folder) {
    if (!mayBegin())
        return;
    m_denoises = false;
    m_makesFilm = false;
    m_controller.decodeAgain(folder.toStdString());
}

void RunPresenter::makeFilm(const Storyboard& storyboard, const std::filesystem::path& folder,
                            const std::shared_ptr<const PredictionBasis>& basis) {
    if (!mayBegin())
        return;
    m_folder.clear();
    m_denoises = true;
    m_makesFilm = true;
    m_controller.makeFilm(storyboard, folder, basis);
}

void RunPresenter::takeUp(const OpenedRun& run) {
    m_folder = QString::fromStdString(run.folder.string());
    if (m_denoises)
        m_results.continueLive(run);
    else
        m_results.decodeLive(run);
}

void RunPresenter::cancel() {
    if (!isBusy())
        return;
    m_bar.showStopping(tr("Stopping"));
    m_controller.cancel();
    setPausable(false);
}

void RunPresenter::pause() {
    if (!m_pausable)
        return;
    m_bar.showStopping(tr("Pausing after this step"));
    m_controller.pauseAfterStep();
    setPausable(false);
}

void RunPresenter::begin() {
    m_stepsDone = m_steps = 0;
    m_bar.showBusy();
    emit busyChanged(true);
    emit mayBeginChanged(false);
    setPausable(m_denoises);
}

void RunPresenter::setObstacle(const QString& reason) {
    m_obstacle = reason;
    m_bar.setEngineObstacle(reason);
    emit mayBeginChanged(mayBegin());
}

void RunPresenter::setPausable(bool pausable) {
    m_pausable = pausable;
    m_bar.setPausable(pausable);
    emit pausableChanged(pausable);
}

void RunPresenter::showFinished(const RunFinished& outcome) {
    if (!outcome.note.isEmpty())
        m_banner.showNote(outcome.note);
    const QString run = m_makesFilm ? m_folder : outcome.folder;  // of a film, its last run
    if (!run.isEmpty()) {  // else another run is shown: shots were joined
        m_results.setSummary(outcome.summary);
        m_results.setCaption(
            tr("Done: %1").arg(QString::fromStdString(withTilde(outcome.folder.toStdString()))));
        m_results.setLiveFolder(run);
        emit runShown(run);
    }
    end(tr("Done"));
}

void RunPresenter::end(const QString& sentence, bool resumable) {
    if (resumable)
        m_bar.nameStopped(QFileInfo(m_folder).fileName());
    m_bar.showIdle(sentence, resumable);
    setPausable(false);
    emit busyChanged(false);
    emit mayBeginChanged(mayBegin());
    emit runsChanged();
}

}  // namespace meshreel

#include "moc_run_presenter.cpp"
