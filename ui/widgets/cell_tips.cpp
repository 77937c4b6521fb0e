// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cell_tips.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QTableView>
#include <QTextDocument>
#include <QToolTip>
#include <QTreeView>

namespace meshreel {

namespace {

QHeaderView* headerOf(const QAbstractItemView& view) {
    if (const auto* table = qobject_cast<const QTableView*>(&view))
        return table->horizontalHeader();
    const auto* tree = qobject_cast<const QTreeView*>(&view);
    return tree == nullptr ? nullptr : tree->header();
}

/// As rich text, which is broken into lines.
QString wrapped(const QString& text) {
    return Qt::mightBeRichText(text) ? text : Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal);
}

/// False where `tip` says it already.
bool tell(const QHelpEvent& event, QWidget* where, const QString& text, const QString& tip) {
    if (text.isEmpty() || tip.contains(text))
        return false;
    const QString words = Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal);
    QToolTip::showText(event.globalPos(), tip.isEmpty() ? words : words + wrapped(tip), where);
    return true;
}

}  // namespace

CellTips::CellTips(QAbstractItemView& view) : QObject(&view), m_view(view), m_header(headerOf(view)) {
    view.viewport()->installEventFilter(this);
    if (m_header != nullptr)
        m_header->viewport()->installEventFilter(this);
}

bool CellTips::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return false;
    const auto& help = *static_cast<const QHelpEvent*>(event);
    return watched == m_view.viewport() ? tellCell(help) : tellHeading(help);
}

bool CellTips::tellCell(const QHelpEvent& event) const {
    const QModelIndex cell = m_view.indexAt(event.pos());
    return cell.isValid() && m_view.sizeHintForIndex(cell).width() > m_view.visualRect(cell).width() &&
           tell(event, m_view.viewport(), cell.data().toString(), cell.data(Qt::ToolTipRole).toString());
}

bool CellTips::tellHeading(const QHelpEvent& event) const {
    const int section = m_header->logicalIndexAt(event.pos());
    const auto text = [&](int role) {
        return m_header->model()->headerData(section, m_header->orientation(), role).toString();
    };
    return section >= 0 && m_header->sectionSizeHint(section) > m_header->sectionSize(section) &&
           tell(event, m_header->viewport(), text(Qt::DisplayRole), text(Qt::ToolTipRole));
}

}  // namespace meshreel
