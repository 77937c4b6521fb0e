// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/activity/lane_delegate.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "ui/activity/device_lane_model.h"
#include "ui/charts/chart_style.h"
#include "ui/theme/look.h"

namespace meshreel {

namespace {

constexpr int troughAlpha = 28;
constexpr int verticalMargin = 3;
constexpr int leastWidth = 160;

/// What was done between two pixels.
void fillColumn(QPainter& painter, const QRect& column, const DeviceTime& time, double seconds) {
    double below = 0;
    int bottom = column.bottom() + 1;
    for (const LaneActivityColumn& activity : DeviceLaneModel::activities()) {
        below += time.*activity.seconds;
        const int top =
            column.bottom() + 1 - static_cast<int>(std::lround(below / seconds * column.height()));
        painter.fillRect(QRect(column.left(), top, column.width(), bottom - top),
                         ChartStyle::series(activity.color));
        bottom = top;
    }
}

}  // namespace

LaneDelegate::LaneDelegate(const DeviceLaneModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

QRect LaneDelegate::laneOf(const QRect& cell) {
    return cell.adjusted(spacing, verticalMargin, -spacing, -verticalMargin);
}

void LaneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    const QRect lane = laneOf(option.rect);
    QColor trough = option.palette.color(QPalette::Text);
    trough.setAlpha(troughAlpha);
    painter->fillRect(lane, trough);
    const double end = m_model.expectedSeconds();
    if (end <= 0)
        return;
    const auto device = static_cast<std::size_t>(index.row());
    int left = lane.left();
    DeviceTime time;
    double seconds = 0;
    for (const LaneStretch& stretch : m_model.history().stretches()) {
        time += stretch.devices[device];
        seconds += stretch.seconds;
        const double share = (stretch.start + stretch.seconds) / end;
        const int right = lane.left() + static_cast<int>(std::lround(share * lane.width()));
        if (right == left || seconds <= 0)
            continue;
        fillColumn(*painter, QRect(left, lane.top(), right - left, lane.height()), time, seconds);
        left = right;
        time = {};
        seconds = 0;
    }
}

QSize LaneDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {leastWidth, option.fontMetrics.height() + 2 * verticalMargin};
}

bool LaneDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                             const QModelIndex& index) {
    const QRect lane = laneOf(option.rect);
    if (event->type() != QEvent::ToolTip || lane.width() <= 0)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    const double seconds =
        static_cast<double>(event->pos().x() - lane.left()) / lane.width() * m_model.expectedSeconds();
    const LaneStretch* stretch = m_model.history().stretchAt(seconds);
    if (stretch == nullptr)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    QToolTip::showText(event->globalPos(), m_model.stretchText(*stretch, index.row()), view);
    return true;
}

}  // namespace meshreel
