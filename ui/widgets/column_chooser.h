// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>

class QHeaderView;
class QMenu;

namespace meshreel {

/// Shows and hides the columns of a view, by a menu over its header. The first column always stands.
class ColumnChooser : public QObject {
    Q_OBJECT

  public:
    /// As the columns are now they are at first.
    explicit ColumnChooser(QHeaderView& header);

    /// For menus of other places, which the keyboard reaches.
    [[nodiscard]] QMenu& menu() const { return *m_menu; }

  private:
    void fill();

    QHeaderView& m_header;
    QMenu* m_menu;
    QByteArray m_first;
};

}  // namespace meshreel
