// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/error_bars.h"

#include <QChart>
#include <QPainter>
#include <QXYSeries>
#include <algorithm>

namespace meshreel {

namespace {

constexpr double barsOverSeries = 40;  ///< height in the stack; Qt's series and axes stand below 10
constexpr double capWidth = 8;         ///< pixels
constexpr double mostWidth = 1.5;
constexpr double leastValue = 1e-9;  ///< that a logarithmic axis is asked for

}  // namespace

ErrorBars::ErrorBars(QChart* chart, QXYSeries* line, std::vector<ErrorBar> bars)
    : QGraphicsItem(chart), m_chart(chart), m_line(line), m_bars(std::move(bars)), m_area(chart->plotArea()) {
    setZValue(barsOverSeries);
    setAcceptedMouseButtons(Qt::NoButton);
    QObject::connect(chart, &QChart::plotAreaChanged, chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
    QObject::connect(line, &QAbstractSeries::visibleChanged, chart, [this] { update(); });
}

void ErrorBars::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    if (!m_line->isVisible())
        return;
    const QPen line = m_line->pen();
    painter->setPen(QPen(line.color(), std::min(line.widthF(), mostWidth), line.style()));
    const double half = capWidth / 2;
    for (const ErrorBar& bar : m_bars) {
        const QPointF low = m_chart->mapToPosition({bar.place, std::max(bar.low, leastValue)}, m_line);
        const QPointF high = m_chart->mapToPosition({bar.place, std::max(bar.high, leastValue)}, m_line);
        if (low.x() < m_area.left() || low.x() > m_area.right())
            continue;
        const double left = std::max(m_area.left(), low.x() - half);
        const double right = std::min(m_area.right(), low.x() + half);
        const double bottom = std::clamp(low.y(), m_area.top(), m_area.bottom());
        const double top = std::clamp(high.y(), m_area.top(), m_area.bottom());
        painter->drawLine(QPointF(low.x(), bottom), QPointF(low.x(), top));
        for (const QPointF& end : {low, high})
            if (end.y() >= m_area.top() && end.y() <= m_area.bottom())
                painter->drawLine(QPointF(left, end.y()), QPointF(right, end.y()));
    }
}

}  // namespace meshreel
