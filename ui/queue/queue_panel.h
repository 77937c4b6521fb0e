// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "engine/project/project.h"
#include "engine/queue/queued_run.h"

class QAction;
class QLabel;
class QModelIndex;
class QTreeView;

namespace meshreel {

class EmptyState;
class RunPresenter;
class RunQueue;

/// The queue with its actions: going on, or pausing after the current run; order, removing, resuming and
/// running again of the selected rows; opening a row's run or project. Files, folders and tables that are
/// dropped here are to be queued.
class QueuePanel : public QWidget {
    Q_OBJECT

  public:
    explicit QueuePanel(RunQueue& queue, QWidget* parent = nullptr);

    /// Returns whether the next run may start by itself.
    [[nodiscard]] bool isGoing() const;
    void setGoing(bool going);
    [[nodiscard]] QTreeView& table() const { return *m_table; }
    /// Sets the seconds of all waiting runs; nothing when they are not predicted.
    void setTotal(std::optional<double> seconds);
    /// Returns the queue's remark; empty when there is none.
    [[nodiscard]] QString remark() const;

    struct Actions {
        QAction *add, *addGrid, *addFiles, *go, *open, *project, *up, *down, *resume, *retry, *onCpu,
            *shorter, *remove, *clear;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    void goingChanged(bool going);
    void addRequested();
    void gridRequested();
    void openRequested(const QString& folder);
    /// The run in progress.
    void liveRunRequested();
    void projectRequested(const meshreel::Project& project);
    /// Files and folders were dropped here, or files chosen.
    void pathsGiven(const QStringList& paths);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    using Rows = std::vector<int>;

    QAction* rowsAction(const char* icon, const QString& text, void (RunQueue::*act)(const Rows&),
                        bool (*suits)(const QueuedRun&));
    QAction* rowAction(const char* icon, const QString& text, const QString& help,
                       void (QueuePanel::*act)(const QueuedRun&));
    void makeActions();
    QWidget* makeTools();
    void setUpTable();
    /// Returns those selected rows that suit, in order.
    [[nodiscard]] Rows chosenRows(bool (*suits)(const QueuedRun&)) const;
    void removeChosen();
    void askForFiles();
    void open(const QueuedRun& run);
    void useProject(const QueuedRun& run);
    void activate(const QModelIndex& cell);
    void updateActions();

    RunQueue& m_queue;
    QTreeView* m_table;
    EmptyState* m_empty;
    QLabel* m_remark;
    QLabel* m_waiting;  ///< how many wait, and how long they will take
    std::optional<double> m_total;
    Actions m_actions{};
};

/// Starts the queue's runs one after the other while the panel allows it, and reports to the queue how each
/// ended, also those that were resumed elsewhere. Pausing or cancelling a run pauses the queue; resuming the
/// paused run resumes it.
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
    QTimer m_again;        ///< while another program runs a run of the queue
    QString m_pausedWith;  ///< folder of the run whose pause stopped the queue; empty when something else did
};

}  // namespace meshreel
