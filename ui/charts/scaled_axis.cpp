// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/scaled_axis.h"

#include <QAbstractSeries>
#include <QChart>
#include <QLogValueAxis>
#include <QValueAxis>
#include <cmath>

#include "ui/charts/chart_axes.h"

namespace meshreel {

namespace {

constexpr double headroom = 1.08;    ///< share of the axis kept above the highest value
constexpr double decadesFrom = 100;  ///< ratio of most and least from which ticks are powers of ten
constexpr double decade = 10;
constexpr double octave = 2;

void copyLook(const QAbstractAxis& from, QAbstractAxis& to) {
    to.setTitleText(from.titleText());
    to.setTitleFont(from.titleFont());
    to.setTitleBrush(from.titleBrush());
    to.setLabelsFont(from.labelsFont());
    to.setLabelsBrush(from.labelsBrush());
    to.setLinePen(from.linePen());
    to.setGridLinePen(from.gridLinePen());
}

}  // namespace

ScaledAxis::ScaledAxis(QChart* chart)
    : QObject(chart), m_chart(chart), m_linear(new QValueAxis(this)), m_logarithmic(new QLogValueAxis(this)) {
    m_logarithmic->setLabelFormat(QStringLiteral("%g"));
    m_logarithmic->setTruncateLabels(false);
    m_linear->setTruncateLabels(false);
    chart->addAxis(m_linear, Qt::AlignLeft);
    connect(chart, &QChart::plotAreaChanged, this, &ScaledAxis::fit);
}

ScaledAxis::~ScaledAxis() = default;

QAbstractAxis* ScaledAxis::axis() const {
    return m_isLogarithmic ? static_cast<QAbstractAxis*>(m_logarithmic) : m_linear;
}

void ScaledAxis::setTitle(const QString& title) {
    axis()->setTitleText(title);
}

void ScaledAxis::setExtent(const ValueExtent& extent) {
    const bool could = canBeLogarithmic();
    m_extent = extent;
    if (could != canBeLogarithmic())
        emit possibilityChanged();
    if (m_isLogarithmic != (m_wanted && canBeLogarithmic()))
        replaceAxis();
    else
        place();
}

bool ScaledAxis::canBeLogarithmic() const {
    return m_extent.least > 0 && m_extent.most >= m_extent.least;
}

void ScaledAxis::setLogarithmic(bool logarithmic) {
    m_wanted = logarithmic;
    if (m_isLogarithmic != (m_wanted && canBeLogarithmic()))
        replaceAxis();
}

void ScaledAxis::replaceAxis() {
    QAbstractAxis* former = axis();
    m_isLogarithmic = !m_isLogarithmic;
    QAbstractAxis* next = axis();
    copyLook(*former, *next);
    QList<QAbstractSeries*> moved;
    const QList<QAbstractSeries*> all = m_chart->series();
    for (QAbstractSeries* series : all)
        if (series->attachedAxes().contains(former))
            moved.append(series);
    place();
    if (m_isLogarithmic)
        m_linear->setRange(m_extent.least, m_extent.most);  // which series take along: without zero
    m_chart->removeAxis(former);
    former->setParent(this);
    m_chart->addAxis(next, Qt::AlignLeft);
    for (QAbstractSeries* series : moved)
        series->attachAxis(next);
    place();
    emit replaced();
}

void ScaledAxis::fit() {
    if (!m_isLogarithmic)
        placeTicks();
}

void ScaledAxis::placeTicks() {
    const double height = m_chart->plotArea().height();
    const int ticks = height > 0 ? ticksInHeight(*m_linear, height) : usualTicks;
    if (ticks == m_ticks)
        return;  // the reader may have zoomed
    m_ticks = ticks;
    setTicks(m_linear, m_extent.from, m_extent.most * headroom, ticks);
}

void ScaledAxis::place() {
    if (!m_isLogarithmic) {
        m_ticks = 0;
        placeTicks();
        return;
    }
    const double base = m_extent.most / m_extent.least < decadesFrom ? octave : decade;
    const auto power = [base](double value) { return std::log(value) / std::log(base); };
    const double low = std::floor(power(m_extent.least));
    const double high = std::max(low + 1, std::ceil(power(m_extent.most)));
    m_logarithmic->setBase(base);
    m_logarithmic->setRange(std::pow(base, low), std::pow(base, high));
}

}  // namespace meshreel
