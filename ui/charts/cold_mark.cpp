// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/cold_mark.h"

#include <QAbstractAxis>
#include <QChart>
#include <QPen>
#include <QXYSeries>
#include <array>

#include "ui/charts/series_groups.h"

namespace meshreel {

QScatterSeries* addColdMark(QChart& chart, QXYSeries& line, std::size_t round) {
    static constexpr std::array shapes{
        QScatterSeries::MarkerShapeCircle, QScatterSeries::MarkerShapeRectangle,
        QScatterSeries::MarkerShapeRotatedRectangle, QScatterSeries::MarkerShapeTriangle,
        QScatterSeries::MarkerShapePentagon};
    constexpr double size = 9.0;
    auto* mark = new QScatterSeries(&chart);
    mark->setMarkerShape(shapes.at(round % shapes.size()));
    mark->setMarkerSize(size);
    mark->setColor(Qt::white);
    mark->setBorderColor(line.pen().color());
    chart.addSeries(mark);
    const QList<QAbstractAxis*> axes = line.attachedAxes();
    for (QAbstractAxis* axis : axes)
        mark->attachAxis(axis);
    showWith(*mark, {&line});
    return mark;
}

}  // namespace meshreel
