// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/bar_outlines.h"

#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QPainter>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr double overBars = 40;  ///< height in the stack; Qt's series and axes stand below 10

}  // namespace

BarOutlines::BarOutlines(QChart* chart, QBarSeries* bars, std::vector<BarOutline> outlines)
    : QGraphicsItem(chart),
      m_chart(chart),
      m_bars(bars),
      m_outlines(std::move(outlines)),
      m_area(chart->plotArea()) {
    setZValue(overBars);
    setAcceptedMouseButtons(Qt::NoButton);
    QObject::connect(chart, &QChart::plotAreaChanged, chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
    const QList<QBarSet*> sets = bars->barSets();
    for (QBarSet* set : sets) {
        m_hasBars.push_back(set->sum() > 0);
        QObject::connect(set, &QBarSet::valueChanged, chart, [this] { update(); });
    }
}

double BarOutlines::lengthOf(int set, int category) const {
    if (!isVisible() || isHidden(set))
        return 0;
    return m_outlines[static_cast<std::size_t>(set)].lengths[static_cast<std::size_t>(category)];
}

// LegendToggles hides a set by making its bars 0 long.
bool BarOutlines::isHidden(int set) const {
    return m_hasBars[static_cast<std::size_t>(set)] && m_bars->barSets().at(set)->sum() == 0;
}

void BarOutlines::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    painter->setBrush(Qt::NoBrush);
    const double width = m_bars->barWidth() / m_bars->count();
    for (int set = 0; set < m_bars->count(); ++set) {
        const QPen pen = m_outlines[static_cast<std::size_t>(set)].pen;
        const double inset = pen.widthF() / 2;  // beside its neighbours
        const QPen inside(m_chart->backgroundBrush().color(), pen.widthF());
        const double left = m_bars->barWidth() * -categoryMiddle + set * width;
        for (int category = 0; category < m_bars->barSets().at(set)->count(); ++category) {
            const double length = lengthOf(set, category);
            painter->setPen(length < m_bars->barSets().at(set)->at(category) ? inside : pen);
            const QPointF foot = m_chart->mapToPosition({category + left, 0}, m_bars);
            const QPointF end = m_chart->mapToPosition({category + left + width, length}, m_bars);
            const QRectF outline = QRectF(QPointF(foot.x(), end.y()), QPointF(end.x(), foot.y()));
            if (length > 0 && outline.top() < m_area.bottom())
                painter->drawRect(outline.intersected(m_area).adjusted(inset, inset, -inset, 0));
        }
    }
}

}  // namespace meshreel
