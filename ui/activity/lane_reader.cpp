// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/lane_reader.h"

#include <QKeyEvent>
#include <QToolTip>
#include <QTreeView>
#include <algorithm>
#include <cmath>

#include "ui/activity/device_lane_model.h"
#include "ui/activity/lane_delegate.h"

namespace meshreel {

LaneReader::LaneReader(const DeviceLaneModel& model, QTreeView& view)
    : QObject(&view), m_model(model), m_view(view) {
    view.installEventFilter(this);
    view.setWhatsThis(tr("Comma and full stop go from step to step in the lane of the current row."));
    connect(&model, &QAbstractItemModel::modelReset, this, [this] { m_told = -1; });
}

bool LaneReader::eventFilter(QObject* /*watched*/, QEvent* event) {
    return event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent*>(event)->key());
}

bool LaneReader::takeKey(int key) {
    const bool isBack = key == Qt::Key_Comma;
    const auto count = static_cast<int>(m_model.history().stretches().size());
    if ((!isBack && key != Qt::Key_Period) || count == 0)
        return false;
    if (!m_view.currentIndex().isValid())
        m_view.setCurrentIndex(m_model.index(0, 0));
    tell(std::clamp(m_told + (isBack ? -1 : 1), 0, count - 1));
    return true;
}

void LaneReader::tell(int stretch) {
    m_told = stretch;
    const LaneStretch& told = m_model.history().stretches()[static_cast<std::size_t>(stretch)];
    const QModelIndex cell = m_view.currentIndex().siblingAtColumn(DeviceLaneModel::Lane);
    const QString words = m_model.stretchText(told, cell.row());
    const QRect lane = LaneDelegate::laneOf(m_view.visualRect(cell));
    const double share = (told.start + told.seconds / 2) / m_model.expectedSeconds();
    const QPoint place(lane.left() + static_cast<int>(std::lround(share * lane.width())), lane.center().y());
    QToolTip::showText(m_view.viewport()->mapToGlobal(place), words, m_view.viewport());
    m_view.setAccessibleDescription(words);
}

}  // namespace meshreel
