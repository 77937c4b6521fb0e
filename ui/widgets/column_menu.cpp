// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/column_menu.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

#include "ui/widgets/table_columns.h"

namespace meshreel {

namespace {

constexpr int widthStep = 16;  ///< device-independent pixels

/// Stays open, as a width is found in several steps.
class StayingMenu : public QMenu {
  public:
    using QMenu::QMenu;

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        const bool chooses =
            event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
        if (!chooses || !act(activeAction()))
            QMenu::keyPressEvent(event);
    }

    void mouseReleaseEvent(QMouseEvent* event) override {
        if (!act(actionAt(event->position().toPoint())))
            QMenu::mouseReleaseEvent(event);
    }

  private:
    static bool act(QAction* action) {
        if (action == nullptr)
            return false;
        action->trigger();
        return true;
    }
};

}  // namespace

ColumnMenu::ColumnMenu(QAbstractItemView& view, QHeaderView& header, Choice choice)
    : QMenu(tr("Columns"), &header), m_view(view), m_header(header), m_choice(choice) {
    if (choice == Choice::Shown)
        rememberFirst();
    else
        connect(&header, &QHeaderView::sectionCountChanged, this, [this] { m_first.clear(); });
    view.addAction(menuAction());
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&header, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { popup(m_header.viewport()->mapToGlobal(place)); });
    connect(this, &QMenu::aboutToShow, this, &ColumnMenu::fill);
}

void ColumnMenu::fill() {
    clear();
    qDeleteAll(findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    QMenu* widths = this;
    if (m_choice == Choice::Shown) {
        addChoices();
        addSeparator();
        widths = addMenu(m_header.sectionsMovable() ? tr("Widths and order") : tr("Widths"));
    }
    for (int place = 0; place < m_header.count(); ++place)
        if (const int column = m_header.logicalIndex(place); !m_header.isSectionHidden(column))
            addColumn(*widths, column);
    addSeparator();
    addAction(tr("All as wide as their contents"), this, [this] {
        for (int column = 0; column < m_header.count(); ++column)
            fitToContents(column);
    });
    addAction(tr("Columns as at first"), this, &ColumnMenu::restoreFirst)->setEnabled(!m_first.isEmpty());
}

void ColumnMenu::addChoices() {
    for (int column = 1; column < m_header.count(); ++column) {
        QAction* shown = addAction(titleOf(column));
        shown->setCheckable(true);
        shown->setChecked(!m_header.isSectionHidden(column));
        connect(shown, &QAction::toggled, this, [this, column](bool show) { showColumn(column, show); });
    }
}

void ColumnMenu::addColumn(QMenu& menu, int column) {
    auto* steps = new StayingMenu(titleOf(column), &menu);
    menu.addMenu(steps);
    steps->addAction(tr("&Wider"), this,
                     [this, column] { setWidth(column, m_header.sectionSize(column) + widthStep); });
    steps->addAction(tr("&Narrower"), this,
                     [this, column] { setWidth(column, m_header.sectionSize(column) - widthStep); });
    steps->addAction(tr("As wide as its &contents"), this, [this, column] { fitToContents(column); });
    if (!m_header.sectionsMovable())
        return;
    steps->addSeparator();
    QAction* left = steps->addAction(tr("To the &left"), this, [this, column] { move(column, -1); });
    QAction* right = steps->addAction(tr("To the &right"), this, [this, column] { move(column, 1); });
    const auto refresh = [this, column, left, right] {
        left->setEnabled(placeBeside(column, -1) >= 0);
        right->setEnabled(placeBeside(column, 1) >= 0);
    };
    connect(&m_header, &QHeaderView::sectionMoved, steps, refresh);
    refresh();
}

void ColumnMenu::rememberFirst() {
    if (m_first.isEmpty())
        m_first = m_header.saveState();
}

void ColumnMenu::showColumn(int column, bool shown) {
    rememberFirst();
    m_header.setSectionHidden(column, !shown);
    makeRoomForHeadings(m_header);
}

void ColumnMenu::setWidth(int column, int width) {
    rememberFirst();
    if (FillingColumn* filling = FillingColumn::of(m_header, column))
        return filling->setLeast(width);
    m_header.setSectionResizeMode(column, QHeaderView::Interactive);
    if (m_header.stretchLastSection() && placeBeside(column, m_header.isRightToLeft() ? -1 : 1) < 0)
        m_header.setStretchLastSection(false);
    m_header.resizeSection(column, std::max(width, m_header.minimumSectionSize()));
}

void ColumnMenu::fitToContents(int column) {
    if (!m_header.isSectionHidden(column))
        setWidth(column, std::max(m_header.sectionSizeHint(column), m_view.sizeHintForColumn(column)));
}

void ColumnMenu::move(int column, int places) {
    rememberFirst();
    if (const int place = placeBeside(column, places); place >= 0)
        m_header.moveSection(m_header.visualIndex(column), place);
}

/// That of the next column in sight; -1 at the end.
int ColumnMenu::placeBeside(int column, int places) const {
    const int step = m_header.isRightToLeft() ? -places : places;
    int place = m_header.visualIndex(column) + step;
    while (place >= 0 && place < m_header.count() && m_header.isSectionHidden(m_header.logicalIndex(place)))
        place += step;
    return place < m_header.count() ? place : -1;
}

void ColumnMenu::restoreFirst() {
    m_header.restoreState(m_first);
    for (int column = 0; column < m_header.count(); ++column)
        if (FillingColumn* filling = FillingColumn::of(m_header, column))
            filling->resetLeast();
}

QString ColumnMenu::titleOf(int column) const {
    QString title = m_header.model()->headerData(column, Qt::Horizontal).toString();
    return title.replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace meshreel
