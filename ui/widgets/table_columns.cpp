// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_columns.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QHeaderView>
#include <algorithm>
#include <utility>

namespace meshreel {

void makeRoomForHeadings(QHeaderView& header) {
    for (int column = 0; column < header.count(); ++column)
        if (header.sectionSize(column) < header.sectionSizeHint(column))
            header.resizeSection(column, header.sectionSizeHint(column));
}

void makeRoomForCells(const QAbstractItemView& view, QHeaderView& header) {
    for (int column = 0; column < header.count(); ++column)
        if (header.sectionSize(column) < view.sizeHintForColumn(column))
            header.resizeSection(column, view.sizeHintForColumn(column));
}

FillingColumn::FillingColumn(QHeaderView& header, int column, int least)
    : QObject(&header), m_header(header), m_column(column), m_firstLeast(least), m_least(least) {
    header.setStretchLastSection(false);
    header.viewport()->installEventFilter(this);
    connect(&header, &QHeaderView::sectionResized, this, [this] {
        fit();
        fitLater();
    });
    connect(&header, &QHeaderView::sectionCountChanged, this, &FillingColumn::fit);
    fit();
}

FillingColumn* FillingColumn::of(const QHeaderView& header, int column) {
    for (auto* filling : header.findChildren<FillingColumn*>(QString(), Qt::FindDirectChildrenOnly))
        if (filling->m_column == column)
            return filling;
    return nullptr;
}

void FillingColumn::setLeast(int least) {
    m_least = least;
    fit();
}

void FillingColumn::resetLeast() {
    setLeast(m_firstLeast);
}

bool FillingColumn::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() == QEvent::Resize)
        fit();
    return false;
}

/// QHeaderView::resizeSections() tells of every section first and sets the sizes of all afterwards.
void FillingColumn::fitLater() {
    if (std::exchange(m_isFitting, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            fit();
            m_isFitting = false;
        },
        Qt::QueuedConnection);
}

void FillingColumn::fit() {
    if (m_column >= m_header.count())
        return;
    const int others = m_header.length() - m_header.sectionSize(m_column);
    const int wanted =
        std::max({m_header.viewport()->width() - others, m_header.sectionSizeHint(m_column), m_least});
    if (wanted != m_header.sectionSize(m_column))
        m_header.resizeSection(m_column, wanted);  // comes here again, and finds it done
}

}  // namespace meshreel
