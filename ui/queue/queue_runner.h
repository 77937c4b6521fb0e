// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace meshreel {

class QueuePanel;
class RunPresenter;
class RunQueue;

/// Starts the queue's runs one after the other while the panel lets it go, and tells the queue how each
/// ended.
class QueueRunner : public QObject {
    Q_OBJECT

  public:
    QueueRunner(RunQueue& queue, QueuePanel& panel, RunPresenter& runs, QObject* parent);

  private:
    void hearRuns();
    void startNext();

    RunQueue& m_queue;
    QueuePanel& m_panel;
    RunPresenter& m_runs;
};

}  // namespace meshreel
