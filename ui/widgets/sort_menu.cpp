// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/sort_menu.h"

#include <QHeaderView>

namespace meshreel {

SortMenu::SortMenu(QHeaderView& header) : QMenu(tr("Sort by"), &header), m_header(header) {
    connect(this, &QMenu::aboutToShow, this, &SortMenu::fill);
}

void SortMenu::fill() {
    clear();
    for (int place = 0; place < m_header.count(); ++place)
        if (const int column = m_header.logicalIndex(place); !m_header.isSectionHidden(column))
            addColumn(column);
    addSeparator();
    addOrder(tr("Ascending"), Qt::AscendingOrder);
    addOrder(tr("Descending"), Qt::DescendingOrder);
    if (m_header.isSortIndicatorClearable())
        addAction(tr("Not sorted"), this, [this] { m_header.setSortIndicator(-1, Qt::AscendingOrder); });
}

void SortMenu::addColumn(int column) {
    const QString title = m_header.model()->headerData(column, Qt::Horizontal).toString();
    QAction* action = addAction(
        title, this, [this, column] { m_header.setSortIndicator(column, m_header.sortIndicatorOrder()); });
    action->setCheckable(true);
    action->setChecked(m_header.sortIndicatorSection() == column);
}

void SortMenu::addOrder(const QString& title, Qt::SortOrder order) {
    QAction* action = addAction(
        title, this, [this, order] { m_header.setSortIndicator(m_header.sortIndicatorSection(), order); });
    action->setCheckable(true);
    action->setChecked(m_header.sortIndicatorOrder() == order);
    action->setEnabled(m_header.sortIndicatorSection() >= 0);
}

}  // namespace meshreel
