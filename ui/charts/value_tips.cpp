// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/value_tips.h"

#include <QAbstractBarSeries>
#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QChart>
#include <QChartView>
#include <QHelpEvent>
#include <QHorizontalStackedBarSeries>
#include <QLocale>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"
#include "ui/theme/plain_text.h"

namespace meshreel {

namespace {

int countCategories(const QAbstractBarSeries& series) {
    const QList<QBarSet*> sets = series.barSets();
    return sets.isEmpty() ? 0 : sets.constFirst()->count();
}

/// Returns the distance from the middle of a category of grouped bars to the middle of one bar, in
/// categories.
double besideMiddle(const QAbstractBarSeries& series, int set) {
    return series.barWidth() * ((set + categoryMiddle) / series.count() - categoryMiddle);
}

/// The bar's category, its name, and its length by the title of its axis, on a line each.
QString barWords(QAbstractBarSeries& series, int index, const QBarSet& bars) {
    QString category;
    QString title;
    const QList<QAbstractAxis*> axes = series.attachedAxes();
    for (QAbstractAxis* axis : axes) {
        if (auto* categories = qobject_cast<QBarCategoryAxis*>(axis))
            category = categoryName(*categories, index);
        else
            title = axis->titleText();
    }
    return QStringLiteral("%1\n%2\n%3: %4")
        .arg(category, bars.label(), title, QLocale().toString(bars.at(index), 'g', significantDigits));
}

void addCategory(std::vector<ChartValue>& values, QAbstractBarSeries& series, int category, QChart& chart) {
    const bool isStacked = series.type() == QAbstractSeries::SeriesTypeHorizontalStackedBar;
    const QList<QBarSet*> sets = series.barSets();
    double end = 0;
    for (int set = 0; set < sets.size(); ++set) {
        const double length = sets[set]->at(category);
        end += length;
        if (length == 0)
            continue;
        const QPointF point = isStacked ? QPointF(end - length * categoryMiddle, category)
                                        : QPointF(category + besideMiddle(series, set), length);
        values.push_back(
            {chart.mapToPosition(point, &series), point, barWords(series, category, *sets[set])});
    }
}

/// The bars of a chart in the order of reading: category by category, those without length left out. Empty
/// for charts without bars.
std::vector<ChartValue> barValues(QChart& chart) {
    std::vector<ChartValue> values;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* each : all) {
        auto* series = qobject_cast<QAbstractBarSeries*>(each);
        if (series == nullptr)
            continue;
        // The first category of lying bars is at the bottom.
        const bool isLying = series->type() == QAbstractSeries::SeriesTypeHorizontalStackedBar;
        const int count = countCategories(*series);
        for (int place = 0; place < count; ++place)
            addCategory(values, *series, isLying ? count - 1 - place : place, chart);
    }
    return values;
}

constexpr double ringRadius = 5;
constexpr double ringWidth = 2;

bool isBefore(const QPointF& one, const QPointF& other) {
    return one.x() != other.x() ? one.x() < other.x() : one.y() < other.y();
}

}  // namespace

ValueTip::ValueTip(QChartView* view) : QObject(view), m_view(*view) {}

void ValueTip::beginChart() {
    m_value.reset();
    m_place.reset();
    if (qobject_cast<ReadableChart*>(m_view.chart()) != nullptr)
        return;
    const QList<QAbstractSeries*> all = m_view.chart()->series();
    for (QAbstractSeries* series : all)
        if (auto* bars = qobject_cast<QAbstractBarSeries*>(series))
            connect(bars, &QAbstractBarSeries::hovered, this, &ValueTip::tellBar);
}

void ValueTip::pointAt(const QPointF& position) {
    if (!m_view.chart()->plotArea().contains(position))
        return hide();
    if (auto* readable = qobject_cast<ReadableChart*>(m_view.chart())) {
        m_place = position;
        tell(readable->valueNear(position));
    }
}

void ValueTip::tellNext() {
    step(Direction::Forward);
}

void ValueTip::tellPrevious() {
    step(Direction::Back);
}

void ValueTip::step(Direction direction) {
    if (auto* readable = qobject_cast<ReadableChart*>(m_view.chart()))
        stepOverPlaces(*readable, direction);
    else
        stepOverBars(direction);
}

void ValueTip::stepOverPlaces(ReadableChart& chart, Direction direction) {
    QList<QPointF> places = chart.valuePlaces();
    std::ranges::sort(places, isBefore);
    if (direction == Direction::Back)
        std::ranges::reverse(places);
    for (const QPointF& place : std::as_const(places)) {
        const bool isBehind = !m_value || (direction == Direction::Forward ? isBefore(*m_place, place)
                                                                           : isBefore(place, *m_place));
        if (!isBehind)
            continue;
        const std::optional<ChartValue> value = chart.valueNear(place);
        if (!value || (m_value && value->words == m_value->words))
            continue;
        m_place = place;
        return tell(value);
    }
}

void ValueTip::stepOverBars(Direction direction) {
    std::vector<ChartValue> values = barValues(*m_view.chart());
    if (direction == Direction::Back)
        std::ranges::reverse(values);
    auto next = values.begin();
    if (m_value) {
        next = std::ranges::find(values, m_value->words, &ChartValue::words);
        if (next != values.end())
            ++next;
    }
    if (next != values.end())
        tell(*next);
}

void ValueTip::tell(std::optional<ChartValue> value) {
    if (!value && !m_value)
        return;
    const bool same =
        value && m_value && value->words == m_value->words && value->position == m_value->position;
    m_value = std::move(value);
    if (same)
        return;
    emit told(m_value ? m_value->words : QString());
    QWidget* port = m_view.viewport();
    if (m_value)
        QToolTip::showText(
            port->mapToGlobal(m_view.mapFromScene(m_view.chart()->mapToScene(m_value->position))),
            asPlainText(m_value->words), port);
    else
        QToolTip::hideText();
    port->update();
}

void ValueTip::tellBar(bool entered, int index, QBarSet* bars) {
    if (!entered) {
        QToolTip::hideText();
        return;
    }
    auto* series = qobject_cast<QAbstractBarSeries*>(sender());
    QToolTip::showText(QCursor::pos(), asPlainText(barWords(*series, index, *bars)), m_view.viewport());
}

void ValueTip::paint(QPainter& painter) const {
    if (!m_value)
        return;
    painter.setPen(QPen(m_view.palette().color(QPalette::Highlight), ringWidth));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(m_view.chart()->mapToScene(m_value->position), ringRadius, ringRadius);
}

namespace {

/// Null when the series has none.
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
    QToolTip::showText(help.globalPos(), asPlainText(category), m_view.viewport());
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

#include "moc_value_tips.cpp"
