// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAbstractItemView;
class QHeaderView;
class QHelpEvent;
class QPoint;

namespace meshreel {

/// Tells the whole of a cell or heading that is cut off when somebody points at it, before what its model has
/// to say there. Belongs to the view.
class CellTips : public QObject {
    Q_OBJECT

  public:
    explicit CellTips(QAbstractItemView& view);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    [[nodiscard]] bool tellCell(const QHelpEvent& event) const;
    [[nodiscard]] bool tellHeading(const QHelpEvent& event) const;

    QAbstractItemView& m_view;
    QHeaderView* m_header;  ///< null for views without one
};

}  // namespace meshreel
