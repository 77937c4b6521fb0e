// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAbstractItemView;
class QHeaderView;

namespace meshreel {

/// Widens every column that is narrower than its heading.
void makeRoomForHeadings(QHeaderView& header);

/// Widens every column that is narrower than one of its cells in sight.
void makeRoomForCells(const QAbstractItemView& view, QHeaderView& header);

/// Gives a column what the others leave of the view, and its heading's width at least: the view scrolls where
/// that is more. Belongs to the header.
class FillingColumn : public QObject {
    Q_OBJECT

  public:
    /// `least`: a width in pixels, if it is more than that of the heading.
    FillingColumn(QHeaderView& header, int column, int least = 0);

    /// Null where a column has a width of its own.
    [[nodiscard]] static FillingColumn* of(const QHeaderView& header, int column);
    void setLeast(int least);
    /// The least width that it was made with.
    void resetLeast();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit();
    void fitLater();

    QHeaderView& m_header;
    int m_column;
    int m_firstLeast;
    int m_least;
    bool m_isFitting = false;
};

}  // namespace meshreel
