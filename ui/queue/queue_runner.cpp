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
    connect(&runs, &RunPresenter::busyChanged, this, &QueueRunner::startNext, Qt::QueuedConnection);
}

void QueueRunner::hearRuns() {
    RunController& controller = m_runs.controller();
    connect(&controller, &RunController::folderReady, &m_queue, &RunQueue::setFolder);
    connect(&controller, &RunController::finished, this, [this] { m_queue.end(QueuedRun::State::Done, {}); });
    connect(&controller, &RunController::cancelled, this, [this](bool paused) {
        m_panel.setGoing(false);
        m_queue.end(paused ? QueuedRun::State::Waiting : QueuedRun::State::Cancelled, {});
    });
    connect(&controller, &RunController::failed, this, [this](const Trouble& trouble) {
        m_queue.end(QueuedRun::State::Failed, trouble.message + QLatin1Char('\n') + trouble.hint);
    });
}

void QueueRunner::startNext() {
    if (!m_panel.isGoing() || m_runs.isBusy())
        return;
    const std::optional<QueuedRun> next = m_queue.start();
    if (!next)
        m_panel.setGoing(false);
    else if (next->folder.isEmpty() || !RunFolder::isRun(next->folder.toStdString()))
        m_runs.generate(next->project);
    else
        m_runs.resume(next->folder, false);
}

}  // namespace meshreel
