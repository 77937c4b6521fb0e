// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QMenu>

class QAbstractItemView;
class QHeaderView;

namespace meshreel {

/// The columns of a view: their widths, their order where it can be changed, and which are shown where that
/// can be chosen; in the view's menu, which the keyboard reaches, and over the header. The first column
/// always stands.
class ColumnMenu : public QMenu {
    Q_OBJECT

  public:
    enum class Choice { None, Shown };

    /// Adds itself to the menu of `view`. Where columns can be chosen, as they are now they are at first;
    /// else as they are before they are changed here.
    ColumnMenu(QAbstractItemView& view, QHeaderView& header, Choice choice = Choice::None);

  private:
    void fill();
    void addChoices();
    void addColumn(QMenu& menu, int column);
    void rememberFirst();
    void showColumn(int column, bool shown);
    void setWidth(int column, int width);
    void fitToContents(int column);
    /// By places to the right, as the columns are seen.
    void move(int column, int places);
    [[nodiscard]] int placeBeside(int column, int places) const;
    void restoreFirst();
    [[nodiscard]] QString titleOf(int column) const;

    QAbstractItemView& m_view;
    QHeaderView& m_header;
    Choice m_choice;
    QByteArray m_first;
};

}  // namespace meshreel
