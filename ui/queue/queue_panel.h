// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QTreeView;

namespace meshreel {

class EmptyState;
class RunQueue;

/// The queue with what can be done to it: going on or pausing after the run at hand, order, removing,
/// resuming and running again.
class QueuePanel : public QWidget {
    Q_OBJECT

  public:
    explicit QueuePanel(RunQueue& queue, QWidget* parent = nullptr);

    /// Whether the next run may start by itself.
    [[nodiscard]] bool isGoing() const;
    void setGoing(bool going);
    [[nodiscard]] QTreeView& table() const { return *m_table; }
    /// The queue's remark; empty when there is none.
    [[nodiscard]] QString remark() const;

    struct Actions {
        QAction *add, *addGrid, *go, *up, *down, *resume, *retry, *remove, *clear;
    };
    [[nodiscard]] const Actions& actions() const { return m_actions; }

  signals:
    void goingChanged(bool going);
    void addRequested();
    void gridRequested();

  private:
    QAction* rowAction(const char* icon, const QString& text, void (RunQueue::*act)(int));
    void makeActions();
    QWidget* makeTools();
    void setUpTable();
    void actOnCurrent(void (RunQueue::*act)(int));
    void updateActions();

    RunQueue& m_queue;
    QTreeView* m_table;
    EmptyState* m_empty;
    QLabel* m_remark;
    Actions m_actions{};
};

}  // namespace meshreel
