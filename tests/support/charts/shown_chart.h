// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QLegendMarker>
#include <QPointF>
#include <QString>
#include <memory>
#include <string>

#include "engine/runs/records/run_record.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/zoomed_chart.h"

namespace meshreel::testing {

/// A run whose seconds go up and down between one and two with a period of seven steps.
RunRecord runPrefix(const std::string& name, int steps, int devices = 1);

/// Draws the chart in the view, in which it is seen at once.
void show(ChartView& view, std::unique_ptr<QChart> chart, ChartZoom* zoom = nullptr);

/// Shows the steps of runPrefix().
void showSteps(ChartView& view, int steps, ChartZoom* zoom = nullptr);

void wheel(ChartView& view, const QPointF& position, int notches, Qt::KeyboardModifiers modifiers = {});
void pointAt(ChartView& view, const QPointF& position);

/// The legend's entry of that name; null where there is none.
QLegendMarker* entryAt(const ChartView& view, const QString& label);

/// The first item of a kind; null where there is none.
template <typename Item>
Item* itemOf(const QChart& chart) {
    const QList<QGraphicsItem*> items = chart.childItems();
    for (QGraphicsItem* item : items)
        if (auto* found = dynamic_cast<Item*>(item))
            return found;
    return nullptr;
}

}  // namespace meshreel::testing
