// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/cold_mark.h"

#include <QAbstractAxis>
#include <QChart>
#include <QPen>
#include <QXYSeries>
#include <array>

#include "engine/runs/records/run_record.h"
#include "ui/charts/hollow_marks.h"
#include "ui/charts/series_groups.h"
#include "ui/charts/step_numbers.h"

namespace meshreel {

QScatterSeries* addColdMark(QChart& chart, QXYSeries& line, std::size_t round) {
    static constexpr std::array shapes{
        QScatterSeries::MarkerShapeCircle, QScatterSeries::MarkerShapeRectangle,
        QScatterSeries::MarkerShapeRotatedRectangle, QScatterSeries::MarkerShapeTriangle,
        QScatterSeries::MarkerShapePentagon};
    constexpr double size = 9.0;
    auto* mark = new HollowMarks(&chart);
    mark->setMarkerShape(shapes.at(round % shapes.size()));
    mark->setMarkerSize(size);
    mark->setBorderColor(line.pen().color());
    chart.addSeries(mark);
    const QList<QAbstractAxis*> axes = line.attachedAxes();
    for (QAbstractAxis* axis : axes)
        mark->attachAxis(axis);
    showWith(*mark, {&line});
    return mark;
}

QList<QPointF> coldPoints(std::span<const StepRecord> steps, std::span<const int> resumedFrom) {
    QList<QPointF> points;
    const std::vector<bool> cold = coldSteps(steps, resumedFrom);
    for (std::size_t index = 0; index < steps.size(); ++index)
        if (cold[index])
            points.append({static_cast<double>(steps[index].step + firstShownStep), steps[index].seconds});
    return points;
}

}  // namespace meshreel
