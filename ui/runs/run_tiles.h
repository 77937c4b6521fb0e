// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QListView>
#include <QPersistentModelIndex>
#include <QPixmap>
#include <QSize>
#include <QStyledItemDelegate>
#include <QTimer>

#include "ui/player/playback.h"
#include "ui/values/background.h"
#include "ui/values/clip.h"

namespace meshreel {

class RunTiles;

/// A run as a tile: its picture, or the frame that plays in it, its prompt in two lines, and its facts.
class TileDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    explicit TileDelegate(RunTiles& tiles);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    /// Returns where the star of a tile is clicked.
    [[nodiscard]] static QRect starIn(const QRect& tile, Qt::LayoutDirection direction);

  private:
    RunTiles& m_tiles;
    QPixmap m_star;    ///< of runs that have one
    QPixmap m_noStar;  ///< offered where the pointer is
};

/// The runs of a table as tiles, in the same order and with the same selection. The tile under the pointer
/// plays its clip.
class RunTiles : public QListView {
    Q_OBJECT

  public:
    explicit RunTiles(QWidget* parent = nullptr);

    /// Returns the size of a tile with the room around it: the columns fill the view.
    [[nodiscard]] QSize cell() const { return m_cell; }
    /// Returns the frame that plays in this tile now; null in all but one.
    [[nodiscard]] QImage frameAt(const QModelIndex& index) const;
    [[nodiscard]] const Playback& playback() const { return m_playback; }

  signals:
    void starRequested(const QModelIndex& index);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    [[nodiscard]] QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                                       const QEvent* event) const override;

  private:
    void fit();
    void hover(const QModelIndex& index);
    void play();
    void stop();
    [[nodiscard]] bool isOnStar(const QPoint& place) const;

    QSize m_cell;
    QPersistentModelIndex m_hovered;
    QTimer m_patience;  ///< before a tile plays: the pointer crosses many
    Clip m_clip;        ///< of m_hovered
    Playback m_playback;
    LatestOnly m_reading;
    bool m_pressedStar = false;
};

}  // namespace meshreel
