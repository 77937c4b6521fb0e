// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/value_tip.h"

#include <QAbstractBarSeries>
#include <QBarSet>
#include <QChartView>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "ui/charts/bar_values.h"

namespace meshreel {

namespace {

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
            m_value->words, port);
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
    QToolTip::showText(QCursor::pos(), barWords(*series, index, *bars), m_view.viewport());
}

void ValueTip::paint(QPainter& painter) const {
    if (!m_value)
        return;
    painter.setPen(QPen(m_view.palette().color(QPalette::Highlight), ringWidth));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(m_view.chart()->mapToScene(m_value->position), ringRadius, ringRadius);
}

}  // namespace meshreel
