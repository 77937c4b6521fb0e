// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/run_history_model.h"

class QAction;
class QListView;
class QLabel;

namespace meshreel {

/// The runs of the past and what can be done with one.
class HistoryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit HistoryPanel(RunHistoryModel& runs, QWidget* parent = nullptr);

    /// While the engine works, runs can be looked at but not resumed or decoded.
    void setEngineBusy(bool busy);
    void select(const QString& folder);
    /// Empty when none is selected.
    [[nodiscard]] QString selectedFolder() const;

  signals:
    void openRequested(const QString& folder);
    void projectRequested(const QString& folder);
    void resumeRequested(const QString& folder);
    /// Also where the result may differ in its last bits.
    void resumeElsewhereRequested(const QString& folder);
    void decodeRequested(const QString& folder);
    void revealRequested(const QString& folder);
    void refreshRequested();

  private:
    QAction* addAction(const char* icon, const QString& text, const QString& help,
                       void (HistoryPanel::*request)(const QString&));
    void updateActions();

    RunHistoryModel& m_runs;
    QListView* m_list;
    QLabel* m_empty;
    QAction* m_open;
    QAction* m_project;
    QAction* m_resume;
    QAction* m_resumeElsewhere;
    QAction* m_decode;
    QAction* m_reveal;
    bool m_engineBusy = false;
};

}  // namespace meshreel
