// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/category_tips.h"

#include <QBarCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QHelpEvent>
#include <QToolTip>
#include <cmath>

#include "ui/charts/name_axis.h"

namespace meshreel {

namespace {

/// Null where the series has none.
QBarCategoryAxis* categoryAxis(QAbstractSeries& series) {
    const QList<QAbstractAxis*> axes = series.attachedAxes();
    for (QAbstractAxis* axis : axes)
        if (auto* categories = qobject_cast<QBarCategoryAxis*>(axis))
            return categories;
    return nullptr;
}

}  // namespace

CategoryTips::CategoryTips(QChartView& view) : QObject(&view), m_view(view) {
    view.viewport()->installEventFilter(this);
}

bool CategoryTips::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return false;
    const auto& help = *static_cast<const QHelpEvent*>(event);
    const QString category = categoryAt(help.pos());
    if (category.isEmpty())
        return false;
    QToolTip::showText(help.globalPos(), category, m_view.viewport());
    return true;
}

QString CategoryTips::categoryAt(const QPoint& place) const {
    const QChart& chart = *m_view.chart();
    const QPointF position = chart.mapFromScene(m_view.mapToScene(place));
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all) {
        QBarCategoryAxis* axis = categoryAxis(*series);
        if (axis == nullptr)
            continue;
        const QRectF plot = chart.plotArea();
        const bool isBelow = axis->orientation() == Qt::Horizontal && position.y() > plot.bottom();
        const bool isBeside = axis->orientation() == Qt::Vertical && position.x() < plot.left();
        if (!isBelow && !isBeside)
            continue;
        const QPointF value = m_view.chart()->mapToValue(position, series);
        return categoryName(*axis, static_cast<int>(std::lround(isBelow ? value.x() : value.y())));
    }
    return {};
}

}  // namespace meshreel
