// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

class QHeaderView;

namespace meshreel {

/// Sorts a view by its columns as clicks on its header do, for the view's menu, which the keyboard reaches.
class SortMenu : public QMenu {
    Q_OBJECT

  public:
    /// Of a view that is sorted by its header.
    explicit SortMenu(QHeaderView& header);

  private:
    void fill();
    void addColumn(int column);
    void addOrder(const QString& title, Qt::SortOrder order);

    QHeaderView& m_header;
};

}  // namespace meshreel
