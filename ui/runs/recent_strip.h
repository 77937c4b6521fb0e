// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>

namespace meshreel {

class RunHistoryModel;

/// The latest runs as pictures in a row. One that is clicked is shown; one that is dragged is its video, or
/// its folder where it has none, for inputs, Compare and other programs; the menu takes its settings over.
class RecentStrip : public QListView {
    Q_OBJECT

  public:
    explicit RecentStrip(RunHistoryModel& history, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void openRequested(const QString& folder);
    /// The run's settings are to be the project's.
    void projectRequested(const QString& folder);
    /// Its video is to be the project's input.
    void inputRequested(const QString& video);
    void allRequested();

  protected:
    void startDrag(Qt::DropActions actions) override;

  private:
    [[nodiscard]] QString folderOf(const QModelIndex& index) const;
    /// Empty where there is none.
    [[nodiscard]] QString videoOf(const QModelIndex& index) const;
    void showMenu(const QPoint& place);

    RunHistoryModel& m_history;
};

}  // namespace meshreel
