// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/bar_totals.h"

#include <QBarSet>
#include <QChart>
#include <QFontMetricsF>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLocale>
#include <QPainter>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr double totalGap = 5;      ///< pixels behind the bar
constexpr double leastShare = 0.9;  ///< of a line's height that a bar has to leave for a total

}  // namespace

BarTotals::BarTotals(QChart& chart, QHorizontalStackedBarSeries& bars)
    : QGraphicsItem(&chart), m_chart(chart), m_bars(bars), m_area(chart.plotArea()) {
    QObject::connect(&chart, &QChart::plotAreaChanged, &chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
}

double BarTotals::totalOf(int category) const {
    double total = 0;
    const QList<QBarSet*> sets = m_bars.barSets();
    for (const QBarSet* set : sets)
        if (category < set->count())
            total += set->at(category);
    return total;
}

void BarTotals::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    if (m_bars.barSets().isEmpty() || !m_bars.isVisible())
        return;
    painter->setClipRect(m_area);
    painter->setFont(m_chart.legend()->font());
    painter->setPen(m_chart.legend()->labelColor());
    const QFontMetricsF letters(painter->font());
    const int bars = m_bars.barSets().constFirst()->count();
    if (bars == 0 || m_area.height() / bars < leastShare * letters.height())
        return;  // bars are thinner than a line of text
    for (int bar = 0; bar < bars; ++bar) {
        const QPointF end = m_chart.mapToPosition({totalOf(bar), static_cast<double>(bar)}, &m_bars);
        const QRectF place(end.x() + totalGap, end.y() - letters.height() / 2, m_area.width(),
                           letters.height());
        painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                          QLocale().toString(totalOf(bar), 'g', significantDigits - 2));
    }
}

}  // namespace meshreel
