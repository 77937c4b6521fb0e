// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/row_table.h"

#include <QHeaderView>
#include <QTableView>

#include "ui/theme/look.h"
#include "ui/widgets/cell_tips.h"

namespace meshreel {

void setUpRowTable(QTableView& table, ColumnMenu::Choice columns) {
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + spacing);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeading | Qt::AlignVCenter);
    new CellTips(table);
    new ColumnMenu(table, *table.horizontalHeader(), columns);
}

}  // namespace meshreel
