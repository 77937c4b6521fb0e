// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/queue/queued_run.h"

namespace meshreel {

class QueuePanel;
class RunPresenter;
class RunQueue;

/// Starts the queue's runs one after the other while the panel lets it go, and tells the queue how each
/// ended, also of those that were resumed elsewhere. Whoever pauses or cancels a run pauses the queue;
/// resuming the paused one lets it go on.
class QueueRunner : public QObject {
    Q_OBJECT

  public:
    QueueRunner(RunQueue& queue, QueuePanel& panel, RunPresenter& runs, QObject* parent);

  private:
    void hearRuns();
    void takeUp(const QString& folder);
    void end(QueuedRun::State state, const QString& remark = {});
    void startNext();

    RunQueue& m_queue;
    QueuePanel& m_panel;
    RunPresenter& m_runs;
    QString m_pausedWith;  ///< folder of the run whose pause stopped the queue; empty when something else did
};

}  // namespace meshreel
