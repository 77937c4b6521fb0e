// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/zoomed_chart.h"

#include <QAbstractAxis>
#include <QChart>
#include <QLogValueAxis>
#include <QScopedValueRollback>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_axes.h"
#include "ui/charts/chart_style.h"

namespace meshreel {

void ChartZoom::show(const std::optional<AxisSpan>& part) {
    if (part == m_part)
        return;
    m_part = part;
    emit partChanged();
}

void ChartZoom::setMark(const std::optional<double>& mark) {
    if (mark == m_mark)
        return;
    m_mark = mark;
    emit markChanged();
}

namespace {

constexpr double leastView = 1e-4;        ///< of the whole, that can be looked at
constexpr double leastCounts = 2;         ///< of an axis of whole numbers
constexpr double leastNames = 1;          ///< of an axis of names, whose places are one long
const double leastRatio = std::log10(2);  ///< of a logarithmic one: there would be no tick in less

bool isLogarithmic(const QAbstractAxis& axis) {
    return axis.type() == QAbstractAxis::AxisTypeLogValue;
}

bool hasNames(const QAbstractAxis& axis) {
    return axis.type() == QAbstractAxis::AxisTypeCategory;
}

}  // namespace

bool ZoomedAxis::canZoom(const QAbstractAxis& axis) {
    return axis.type() == QAbstractAxis::AxisTypeValue || isLogarithmic(axis) || hasNames(axis);
}

ZoomedAxis::ZoomedAxis(QAbstractAxis& axis, const QChart& chart, QObject* parent)
    : QObject(parent), m_axis(axis), m_chart(chart), m_whole(shown()) {
    if (auto* linear = qobject_cast<QValueAxis*>(&axis)) {
        connect(linear, &QValueAxis::rangeChanged, this, &ZoomedAxis::takeWhole);
        connect(linear, &QValueAxis::tickIntervalChanged, this, &ZoomedAxis::keepPart);
    }
    if (auto* logarithmic = qobject_cast<QLogValueAxis*>(&axis))
        connect(logarithmic, &QLogValueAxis::rangeChanged, this, &ZoomedAxis::takeWhole);
}

AxisSpan ZoomedAxis::shown() const {
    if (const auto* logarithmic = qobject_cast<const QLogValueAxis*>(&m_axis))
        return {logarithmic->min(), logarithmic->max()};
    const auto* linear = qobject_cast<const QValueAxis*>(&m_axis);
    return {linear->min(), linear->max()};
}

void ZoomedAxis::show(const std::optional<AxisSpan>& part) {
    if (part == m_part)
        return;
    m_part = part;
    apply();
}

void ZoomedAxis::takeWhole() {
    if (m_applying)
        return;
    m_whole = shown();
    keepPart();
}

void ZoomedAxis::keepPart() {
    if (m_part && !m_applying)
        apply();
}

int ZoomedAxis::ticks() const {
    const double height = m_chart.plotArea().height();
    const auto* linear = qobject_cast<const QValueAxis*>(&m_axis);
    return m_axis.orientation() == Qt::Vertical && height > 0 ? ticksInHeight(*linear, height) : usualTicks;
}

void ZoomedAxis::apply() {
    const QScopedValueRollback guard(m_applying, true);
    AxisSpan span = m_whole;
    if (m_part && m_part->low < m_whole.high && m_part->high > m_whole.low)
        span = {std::max(m_part->low, m_whole.low), std::min(m_part->high, m_whole.high)};
    if (auto* logarithmic = qobject_cast<QLogValueAxis*>(&m_axis))
        logarithmic->setRange(span.low, span.high);
    else if (hasNames(m_axis))
        m_axis.setRange(span.low, span.high);
    else
        showPart(qobject_cast<QValueAxis*>(&m_axis), span.low, span.high, ticks());
}

AxisSpan ZoomedAxis::onScale(const AxisSpan& span) const {
    return isLogarithmic(m_axis) ? AxisSpan{std::log10(span.low), std::log10(span.high)} : span;
}

double ZoomedAxis::leastLength() const {
    if (isLogarithmic(m_axis))
        return leastRatio;
    if (hasNames(m_axis))
        return leastNames;
    const auto* linear = qobject_cast<const QValueAxis*>(&m_axis);
    return countsWholeNumbers(*linear) ? leastCounts : m_whole.length() * leastView;
}

std::optional<AxisSpan> ZoomedAxis::withinWhole(AxisSpan span) const {
    const AxisSpan whole = onScale(m_whole);
    const double length = std::max(span.length(), leastLength());
    if (length >= whole.length())
        return std::nullopt;
    span.low = std::clamp((span.low + span.high - length) / 2, whole.low, whole.high - length);
    span.high = span.low + length;
    return isLogarithmic(m_axis) ? AxisSpan{std::pow(10, span.low), std::pow(10, span.high)} : span;
}

std::optional<AxisSpan> ZoomedAxis::zoomed(double factor, double share) const {
    const AxisSpan now = onScale(shown());
    const double about = now.low + share * now.length();
    const double length = std::max(now.length() * factor, std::min(now.length(), leastLength()));
    return withinWhole({about - share * length, about + (1 - share) * length});
}

std::optional<AxisSpan> ZoomedAxis::moved(double share) const {
    const AxisSpan now = onScale(shown());
    const double distance = share * now.length();
    return withinWhole({now.low + distance, now.high + distance});
}

std::optional<AxisSpan> ZoomedAxis::between(double from, double to) const {
    const AxisSpan now = onScale(shown());
    return withinWhole(
        {now.low + std::min(from, to) * now.length(), now.low + std::max(from, to) * now.length()});
}

ZoomedChart::ZoomedChart(QChart& chart, ChartZoom& zoom, QObject* parent)
    : QObject(parent), m_chart(chart), m_zoom(&zoom) {
    const QList<QAbstractAxis*> across = chart.axes(Qt::Horizontal);
    if (!across.isEmpty() && ZoomedAxis::canZoom(*across.constFirst()))
        m_across = new ZoomedAxis(*across.constFirst(), chart, this);
    if (auto* readable = qobject_cast<ReadableChart*>(&chart))
        if (const ScaledAxis* scaled = readable->scaledAxis())
            connect(scaled, &ScaledAxis::replaced, this, &ZoomedChart::followUpright);
    followUpright();
    connect(&zoom, &ChartZoom::partChanged, this, &ZoomedChart::showPart);
    showPart();
}

void ZoomedChart::followUpright() {
    delete m_upright;
    m_upright = nullptr;
    const QList<QAbstractAxis*> upright = m_chart.axes(Qt::Vertical);
    for (QAbstractAxis* axis : upright)
        if (axis->alignment() == Qt::AlignLeft && ZoomedAxis::canZoom(*axis))
            m_upright = new ZoomedAxis(*axis, m_chart, this);
}

void ZoomedChart::showPart() {
    if (m_across != nullptr)
        m_across->show(m_zoom->part());
    emit partChanged();
}

std::optional<double> ZoomedChart::shareOf(double place) const {
    if (m_across == nullptr)
        return std::nullopt;
    const AxisSpan shown = m_across->shown();
    return (place - shown.low) / shown.length();
}

void ZoomedChart::zoomAcross(double factor, double share) {
    constexpr double middle = 0.5;
    if (m_across == nullptr)
        zoomUpright(factor, middle);
    else
        m_zoom->show(m_across->zoomed(factor, std::clamp(share, 0.0, 1.0)));
}

void ZoomedChart::zoomUpright(double factor, double share) {
    if (m_upright != nullptr)
        m_upright->show(m_upright->zoomed(factor, std::clamp(share, 0.0, 1.0)));
}

void ZoomedChart::move(double right, double up) {
    if (m_across != nullptr && right != 0 && m_across->shown() != m_across->whole())
        m_zoom->show(m_across->moved(right));
    if (m_upright != nullptr && up != 0 && m_upright->shown() != m_upright->whole())
        m_upright->show(m_upright->moved(up));
}

void ZoomedChart::showBetween(double from, double to) {
    if (m_across != nullptr)
        m_zoom->show(m_across->between(std::clamp(from, 0.0, 1.0), std::clamp(to, 0.0, 1.0)));
}

void ZoomedChart::showEverything() {
    m_zoom->show(std::nullopt);
    if (m_upright != nullptr)
        m_upright->show(std::nullopt);
}

}  // namespace meshreel

#include "moc_zoomed_chart.cpp"
