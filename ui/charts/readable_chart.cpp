// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/readable_chart.h"

#include <QAbstractAxis>
#include <QAreaSeries>
#include <QLineSeries>
#include <QLocale>
#include <QXYSeries>
#include <algorithm>

#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

QString titleOf(QAbstractSeries& series, Qt::Orientation orientation) {
    const QList<QAbstractAxis*> axes = series.attachedAxes();
    const auto found = std::ranges::find(axes, orientation, &QAbstractAxis::orientation);
    return found == axes.end() ? QString() : (*found)->titleText();
}

QString titled(const QString& title, double value) {
    return QStringLiteral("%1: %2").arg(title, QLocale().toString(value, 'g', significantDigits));
}

}  // namespace

QString pointWords(QAbstractSeries& series, const QPointF& point) {
    return QStringLiteral("%1\n%2\n%3")
        .arg(series.name(), titled(titleOf(series, Qt::Horizontal), point.x()),
             titled(titleOf(series, Qt::Vertical), point.y()));
}

std::optional<ChartValue> nearestPoint(QChart& chart, const QPointF& position) {
    std::optional<ChartValue> nearest;
    double distance = pointingReach;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all) {
        auto* line = qobject_cast<QXYSeries*>(series);
        if (line == nullptr || !line->isVisible() || line->attachedAxes().isEmpty())
            continue;
        const QList<QPointF> points = line->points();
        for (const QPointF& point : points) {
            const QPointF at = chart.mapToPosition(point, series);
            const double away = QLineF(at, position).length();
            if (away >= distance || !chart.plotArea().contains(at))
                continue;
            distance = away;
            nearest = {at, point, pointWords(*series, point)};
        }
    }
    return nearest;
}

QList<QPointF> pointPlaces(QChart& chart) {
    QList<QPointF> places;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* series : all) {
        if (!series->isVisible() || series->attachedAxes().isEmpty())
            continue;
        const auto* area = qobject_cast<QAreaSeries*>(series);
        const auto* line = area == nullptr ? qobject_cast<QXYSeries*>(series) : area->upperSeries();
        const QList<QPointF> points = line == nullptr ? QList<QPointF>() : line->points();
        for (const QPointF& point : points)
            if (const QPointF at = chart.mapToPosition(point, series); chart.plotArea().contains(at))
                places.append(at);
    }
    return places;
}

std::optional<ChartValue> ReadableChart::valueNear(const QPointF& position) {
    return nearestPoint(*this, position);
}

}  // namespace meshreel
