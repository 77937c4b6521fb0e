// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QHash>
#include <QMenu>
#include <QObject>
#include <QSet>
#include <QTimer>
#include <vector>

class QAbstractItemView;
class QHeaderView;
class QHelpEvent;
class QPoint;
class QTableView;

namespace meshreel {

/// Shows the whole text of a cut-off cell or heading when the user points at it, before the tip of its model.
/// Belongs to the view.
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

/// Widens every column that is narrower than its heading.
void makeRoomForHeadings(QHeaderView& header);

/// Widens every column that is narrower than one of its cells in sight.
void makeRoomForCells(const QAbstractItemView& view, QHeaderView& header);

/// Gives a column what the others leave of the view, and its heading's width at least: the view scrolls if
/// that is more. Belongs to the header.
class FillingColumn : public QObject {
    Q_OBJECT

  public:
    /// `least`: a width in pixels, if it is more than that of the heading.
    FillingColumn(QHeaderView& header, int column, int least = 0);

    /// Null when a column has a width of its own.
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

/// The columns of a view: their widths, their order if it can be changed, and which are shown if that can be
/// chosen; in the view's menu, which the keyboard reaches, and over the header. The first column always
/// stays.
class ColumnMenu : public QMenu {
    Q_OBJECT

  public:
    enum class Choice { None, Shown };

    /// Adds itself to the menu of `view`. If columns can be chosen, the present ones are the default;
    /// otherwise those before they are changed here.
    ColumnMenu(QAbstractItemView& view, QHeaderView& header, Choice choice = Choice::None);

  private:
    void fill();
    void addChoices();
    void addColumn(QMenu& menu, int column);
    void rememberFirst();
    void showColumn(int column, bool shown);
    void setWidth(int column, int width);
    void fitToContents(int column);
    /// Moves by places to the right, as the columns are seen.
    void move(int column, int places);
    [[nodiscard]] int placeBeside(int column, int places) const;
    void restoreFirst();
    [[nodiscard]] QString titleOf(int column) const;

    QAbstractItemView& m_view;
    QHeaderView& m_header;
    Choice m_choice;
    QByteArray m_first;
};

/// Widens columns to their contents as long as the column that fills the view has more room than it needs. A
/// width that somebody sets stays.
class GrowingColumns : public QObject {
    Q_OBJECT

  public:
    /// For a view with its model; the filling column keeps `least` pixels.
    GrowingColumns(QAbstractItemView& view, QHeaderView& header, std::vector<int> columns, int filling,
                   int least);

    /// Takes the widths as they are for its own, as after those of another session came back.
    void takeOver();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void grow();

    QAbstractItemView& m_view;
    QHeaderView& m_header;
    std::vector<int> m_columns;
    int m_filling;
    int m_least;
    QHash<int, int> m_widths;  ///< by column, as they were left
    QSet<int> m_theirs;        ///< columns that somebody gave a width
    QTimer m_soon;
};

/// Sorts a view by its columns as clicks on its header do, for the view's menu, which the keyboard reaches.
class SortMenu : public QMenu {
    Q_OBJECT

  public:
    /// For a view that is sorted by its header.
    explicit SortMenu(QHeaderView& header);

  private:
    void fill();
    void addColumn(int column);
    void addOrder(const QString& title, Qt::SortOrder order);

    QHeaderView& m_header;
};

/// Sets how every table of the Studio looks and acts: selection picks whole rows, a row is one line, Tab
/// leaves the table, a cut-off cell shows its whole text in a tip, and the last entry of the menu is about
/// the columns.
void setUpRowTable(QTableView& table, ColumnMenu::Choice columns = ColumnMenu::Choice::None);

}  // namespace meshreel
