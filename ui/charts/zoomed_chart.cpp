// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/zoomed_chart.h"

#include <QAbstractAxis>
#include <algorithm>

#include "ui/charts/readable_chart.h"
#include "ui/charts/scaled_axis.h"
#include "ui/charts/zoomed_axis.h"

namespace meshreel {

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
