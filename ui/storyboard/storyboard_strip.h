// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>
#include <optional>

namespace meshreel {

class StoryboardModel;

/// The shots in a row, each with its picture, number, name, length and state. A shot is dragged to another
/// place; with the keyboard, Left and Right choose one, Alt and an arrow key moves it, Delete removes it, and
/// Space plays. Left is the beginning of the film, whatever the language. The strip changes nothing by
/// itself.
class StoryboardStrip : public QListView {
    Q_OBJECT

  public:
    explicit StoryboardStrip(StoryboardModel& model, QWidget* parent);

    /// Scrolls to it. -1: none.
    void choose(int shot);
    [[nodiscard]] int chosen() const;
    /// Returns before which shot something would be dropped at a place of the viewport: 0 to the number of
    /// shots.
    [[nodiscard]] int gapAt(const QPoint& place) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void chosenChanged(int shot);
    /// A shot is to be number `to`.
    void moveRequested(int shot, int to);
    void removeRequested(int shot);
    void duplicateRequested(int shot);
    void playRequested();
    /// Its prompt is to be written.
    void editRequested();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void startDrag(Qt::DropActions actions) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    [[nodiscard]] int count() const;
    void showGap(std::optional<int> gap);

    StoryboardModel& m_shots;
    std::optional<int> m_gap;  ///< where the dragged shot would go
};

}  // namespace meshreel
