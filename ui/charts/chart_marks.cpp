// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_marks.h"

#include <QAbstractAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLocale>
#include <QPainter>
#include <QPen>
#include <QXYSeries>
#include <algorithm>
#include <array>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

namespace {

constexpr double overSeries = 40;  ///< height in the stack; Qt's series and axes stand below 10

}  // namespace

BarOutlines::BarOutlines(QChart* chart, QBarSeries* bars, std::vector<BarOutline> outlines)
    : QGraphicsItem(chart),
      m_chart(chart),
      m_bars(bars),
      m_outlines(std::move(outlines)),
      m_area(chart->plotArea()) {
    setZValue(overSeries);
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

double BarOutlines::lengthFor(int set, int category) const {
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
            const double length = lengthFor(set, category);
            painter->setPen(length < m_bars->barSets().at(set)->at(category) ? inside : pen);
            const QPointF foot = m_chart->mapToPosition({category + left, 0}, m_bars);
            const QPointF end = m_chart->mapToPosition({category + left + width, length}, m_bars);
            const QRectF outline = QRectF(QPointF(foot.x(), end.y()), QPointF(end.x(), foot.y()));
            if (length > 0 && outline.top() < m_area.bottom())
                painter->drawRect(outline.intersected(m_area).adjusted(inset, inset, -inset, 0));
        }
    }
}

namespace {

constexpr double capWidth = 8;  ///< pixels
constexpr double mostWidth = 1.5;
constexpr double leastValue = 1e-9;  ///< that a logarithmic axis is asked for

}  // namespace

ErrorBars::ErrorBars(QChart* chart, QXYSeries* line, std::vector<ErrorBar> bars)
    : QGraphicsItem(chart), m_chart(chart), m_line(line), m_bars(std::move(bars)), m_area(chart->plotArea()) {
    setZValue(overSeries);
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

namespace {

constexpr double marksOverSeries = 50;  ///< as above
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

namespace {

constexpr double totalGap = 5;      ///< pixels behind the bar
constexpr double leastShare = 0.9;  ///< part of a line's height that a bar has to leave for a total

}  // namespace

BarTotals::BarTotals(QChart& chart, QHorizontalStackedBarSeries& bars)
    : QGraphicsItem(&chart), m_chart(chart), m_bars(bars), m_area(chart.plotArea()) {
    QObject::connect(&chart, &QChart::plotAreaChanged, &chart, [this](const QRectF& area) {
        prepareGeometryChange();
        m_area = area;
    });
}

double BarTotals::totalFor(int category) const {
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
        const QPointF end = m_chart.mapToPosition({totalFor(bar), static_cast<double>(bar)}, &m_bars);
        const QRectF place(end.x() + totalGap, end.y() - letters.height() / 2, m_area.width(),
                           letters.height());
        painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter, threeDigits(totalFor(bar)));
    }
}

}  // namespace meshreel
