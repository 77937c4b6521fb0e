// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/step_marks.h"

#include <QAbstractAxis>
#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QXYSeries>
#include <algorithm>

namespace meshreel {

namespace {

constexpr double marksOverSeries = 50;  ///< height in the stack; Qt's series and axes stand below 10
constexpr double wordsGap = 4;          ///< pixels between a line and its words
constexpr double between = 0.5;         ///< from one step to the next

}  // namespace

std::vector<StepMark> expertSwitches(std::span<const StepRecord> steps, QXYSeries& line) {
    std::vector<StepMark> marks;
    for (std::size_t index = 1; index < steps.size(); ++index)
        if (steps[index].expert != steps[index - 1].expert)
            marks.push_back(
                {.place = steps[index].step + between,
                 .words = QCoreApplication::translate("RunCharts", "Expert %1").arg(steps[index].expert),
                 .line = &line});
    return marks;
}

StepMarks::StepMarks(QChart* chart) : QGraphicsItem(chart), m_chart(chart), m_area(chart->plotArea()) {
    setZValue(marksOverSeries);
    setAcceptedMouseButtons(Qt::NoButton);
    QObject::connect(chart, &QChart::plotAreaChanged, chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
}

void StepMarks::setMarks(std::vector<StepMark> marks) {
    m_marks = std::move(marks);
    std::ranges::stable_sort(m_marks, {}, &StepMark::place);
    update();
}

void StepMarks::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/, QWidget* /*widget*/) {
    const QAbstractAxis* axis = m_chart->axes(Qt::Horizontal).constFirst();
    const QFontMetricsF metrics(axis->labelsFont());
    painter->setFont(axis->labelsFont());
    double occupied = m_area.left();  // by words, in the first row
    double row = 0;
    for (auto mark = m_marks.begin(); mark != m_marks.end();) {
        const auto end = std::find_if(mark, m_marks.end(),
                                      [mark](const StepMark& other) { return other.place > mark->place; });
        const auto shown = [](const StepMark& one) { return one.line->isVisible(); };
        const auto count = std::count_if(mark, end, shown);
        const StepMark& first = *std::find_if(mark, end, shown);
        mark = end;
        if (count == 0)
            continue;
        const double x = m_chart->mapToPosition({first.place, 0}, first.line).x();
        if (x < m_area.left() || x > m_area.right())
            continue;
        painter->setPen(QPen(count == 1 ? first.line->pen().color() : axis->labelsColor(), 1, Qt::DashLine));
        painter->drawLine(QPointF(x, m_area.top()), QPointF(x, m_area.bottom()));
        const double width = metrics.horizontalAdvance(first.words);
        const bool fits = x + wordsGap + width <= m_area.right();
        const double left = fits ? x + wordsGap : x - wordsGap - width;
        row = left < occupied ? row + 1 : 0;
        occupied = std::max(occupied, left + width);
        const double baseline = m_area.top() + metrics.ascent() + row * metrics.height();
        if (baseline > m_area.bottom() || left < m_area.left())
            continue;
        painter->setPen(axis->labelsColor());
        painter->drawText(QPointF(left, baseline), first.words);
    }
}

}  // namespace meshreel
