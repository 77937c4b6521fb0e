// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/queue/queue_runner.h"

#include <optional>

#include "engine/runs/run_folder.h"
#include "ui/queue/queue_panel.h"
#include "ui/queue/run_queue.h"
#include "ui/window/run_presenter.h"

namespace meshreel {

QueueRunner::QueueRunner(RunQueue& queue, QueuePanel& panel, RunPresenter& runs, QObject* parent)
    : QObject(parent), m_queue(queue), m_panel(panel), m_runs(runs) {
    hearRuns();
    // Queued: a run that ended has told everybody before the next one begins.
    connect(&panel, &QueuePanel::goingChanged, this, &QueueRunner::startNext, Qt::QueuedConnection);
    connect(&queue, &RunQueue::changed, this, &QueueRunner::startNext, Qt::QueuedConnection);
    connect(&runs, &RunPresenter::mayBeginChanged, this, &QueueRunner::startNext, Qt::QueuedConnection);
}

void QueueRunner::hearRuns() {
    RunController& controller = m_runs.controller();
    connect(&controller, &RunController::takenUp, this,
            [this](const OpenedRun& run) { takeUp(QString::fromStdString(run.folder.string())); });
    connect(&controller, &RunController::folderReady, &m_queue, &RunQueue::setFolder);
    connect(&controller, &RunController::finished, this, [this] { end(QueuedRun::State::Done); });
    connect(&controller, &RunController::cancelled, this, [this](bool paused) {
        const bool wasGoing = m_panel.isGoing() && m_queue.isRunning();
        m_pausedWith = paused && wasGoing ? m_queue.runningFolder() : QString();
        m_panel.setGoing(false);
        end(paused ? QueuedRun::State::Waiting : QueuedRun::State::Cancelled);
    });
    connect(&controller, &RunController::failed, this, [this](const Trouble& trouble) {
        end(QueuedRun::State::Failed, trouble.message + QLatin1Char('\n') + trouble.hint);
    });
}

void QueueRunner::takeUp(const QString& folder) {
    if (m_queue.takeUp(folder) && folder == m_pausedWith)
        m_panel.setGoing(true);
}

void QueueRunner::end(QueuedRun::State state, const QString& remark) {
    if (m_runs.controller().pauseAsked())
        m_panel.setGoing(false);
    m_queue.end(state, remark);
}

void QueueRunner::startNext() {
    if (!m_panel.isGoing() || !m_runs.mayBegin())
        return;
    m_pausedWith.clear();
    const std::optional<QueuedRun> next = m_queue.start();
    if (!next)
        m_panel.setGoing(false);
    else if (next->folder.isEmpty() || !RunFolder::isRun(next->folder.toStdString()))
        m_runs.generate(next->project);
    else
        m_runs.resume(next->folder, false);
}

}  // namespace meshreel
