// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/charts/shown_chart.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "ui/charts/chart_legend.h"
#include "ui/charts/run_charts.h"

namespace meshreel::testing {

RunRecord runPrefix(const std::string& name, int steps, int devices) {
    RunRecord run{.name = name,
                  .attention = "ulysses",
                  .width = 64,
                  .height = 64,
                  .frames = 17,
                  .devices = devices,
                  .steps = {},
                  .timings = TimingSummary{.hasTrace = true},
                  .trace = {}};
    for (int step = 0; step < steps; ++step)
        run.steps.push_back({.step = step, .seconds = 1 + (step % 7) / 6.0});
    run.timings->load = 3;
    run.timings->denoiseTotal = 5;
    return run;
}

void show(ChartView& view, std::unique_ptr<QChart> chart, ChartZoom* zoom) {
    view.resize(800, 400);
    view.draw(std::move(chart), zoom);
    view.show();
    (void)view.grab();
}

void showSteps(ChartView& view, int steps, ChartZoom* zoom) {
    show(view, runChart(ChartKind::Steps, {runPrefix("run", steps)}).draw(), zoom);
}

void wheel(ChartView& view, const QPointF& position, int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(position, view.viewport()->mapToGlobal(position), {}, {0, 120 * notches}, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.viewport(), &event);
}

void pointAt(ChartView& view, const QPointF& position) {
    QMouseEvent move(QEvent::MouseMove, position, view.viewport()->mapToGlobal(position), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(view.viewport(), &move);
}

QLegendMarker* entryAt(const ChartView& view, const QString& label) {
    const QList<QLegendMarker*> entries = view.legend()->entries();
    const auto found = std::ranges::find(entries, label, &QLegendMarker::label);
    return found == entries.end() ? nullptr : *found;
}

}  // namespace meshreel::testing
