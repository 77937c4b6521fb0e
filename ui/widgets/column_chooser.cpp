// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/column_chooser.h"

#include <QHeaderView>
#include <QMenu>

#include "ui/widgets/table_columns.h"

namespace meshreel {

ColumnChooser::ColumnChooser(QHeaderView& header)
    : QObject(&header),
      m_header(header),
      m_menu(new QMenu(tr("Columns"), &header)),
      m_first(header.saveState()) {
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&header, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { m_menu->popup(m_header.viewport()->mapToGlobal(place)); });
    connect(m_menu, &QMenu::aboutToShow, this, &ColumnChooser::fill);
}

void ColumnChooser::fill() {
    m_menu->clear();
    for (int column = 1; column < m_header.count(); ++column) {
        const QString title = m_header.model()->headerData(column, Qt::Horizontal).toString();
        QAction* shown = m_menu->addAction(title);
        shown->setCheckable(true);
        shown->setChecked(!m_header.isSectionHidden(column));
        connect(shown, &QAction::toggled, this, [this, column](bool show) {
            m_header.setSectionHidden(column, !show);
            makeRoomForHeadings(m_header);
        });
    }
    m_menu->addSeparator();
    m_menu->addAction(tr("Columns as at first"), this, [this] { m_header.restoreState(m_first); });
}

}  // namespace meshreel
