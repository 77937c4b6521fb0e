// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>
#include <QString>
#include <utility>

#include "ui/runs/use_menu.h"

namespace meshreel {

class RunHistoryModel;

/// The latest runs as pictures in a row. Clicking one shows it; dragging one drags its video, or its folder
/// without one, for inputs, Compare and other programs; the menu takes its settings over.
class RecentStrip : public QListView {
    Q_OBJECT

  public:
    explicit RecentStrip(RunHistoryModel& history, QWidget* parent = nullptr);

    void setTasks(TaskSource tasks) { m_tasks = std::move(tasks); }
    /// Marks the run in this folder, or whose video this is, as the one that is shown; none for what is no
    /// run.
    void markShown(const QString& path);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void openRequested(const QString& folder);
    /// The run's settings are to be the project's.
    void projectRequested(const QString& folder);
    /// Only these of its settings.
    void partRequested(const QString& folder, meshreel::RunPart part);
    void useRequested(const meshreel::UseRequest& request);
    void allRequested();

  protected:
    void startDrag(Qt::DropActions actions) override;

  private:
    void mark();
    [[nodiscard]] QString folderOf(const QModelIndex& index) const;
    /// Returns an empty string when there is none.
    [[nodiscard]] QString videoOf(const QModelIndex& index) const;
    void showMenu(const QPoint& place);

    RunHistoryModel& m_history;
    TaskSource m_tasks;
    QString m_shown;
};

}  // namespace meshreel
