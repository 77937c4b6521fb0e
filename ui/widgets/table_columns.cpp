// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <algorithm>

namespace meshreel {

void makeRoomForHeadings(QHeaderView& header) {
    for (int column = 0; column < header.count(); ++column)
        if (header.sectionSize(column) < header.sectionSizeHint(column))
            header.resizeSection(column, header.sectionSizeHint(column));
}

LastColumn::LastColumn(QHeaderView& header) : QObject(&header), m_header(header) {
    header.setStretchLastSection(false);
    header.viewport()->installEventFilter(this);
    connect(&header, &QHeaderView::sectionResized, this, &LastColumn::fit);
    connect(&header, &QHeaderView::sectionCountChanged, this, &LastColumn::fit);
    fit();
}

bool LastColumn::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() == QEvent::Resize)
        fit();
    return false;
}

void LastColumn::fit() {
    const int last = m_header.logicalIndex(m_header.count() - 1);
    if (last < 0)
        return;
    const int others = m_header.length() - m_header.sectionSize(last);
    const int wanted = std::max(m_header.viewport()->width() - others, m_header.sectionSizeHint(last));
    if (wanted != m_header.sectionSize(last))
        m_header.resizeSection(last, wanted);  // comes here again, and finds it done
}

}  // namespace meshreel
