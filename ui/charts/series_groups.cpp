// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/series_groups.h"

#include <QAbstractSeries>
#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <algorithm>
#include <vector>

namespace meshreel {

void leaveOutOfLegend(QAbstractSeries& series) {
    const QList<QLegendMarker*> markers = series.chart()->legend()->markers(&series);
    for (QLegendMarker* marker : markers)
        marker->setVisible(false);
}

void setShown(QAbstractSeries& series, bool shown) {
    series.setVisible(shown);
    leaveOutOfLegend(series);
}

void showWith(QAbstractSeries& series, std::initializer_list<QAbstractSeries*> others) {
    leaveOutOfLegend(series);
    const std::vector<QAbstractSeries*> leaders(others);
    for (QAbstractSeries* leader : leaders)
        QObject::connect(leader, &QAbstractSeries::visibleChanged, &series, [&series, leaders] {
            setShown(series, std::ranges::all_of(leaders, &QAbstractSeries::isVisible));
        });
}

}  // namespace meshreel
