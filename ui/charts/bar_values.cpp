// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/bar_values.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QHorizontalStackedBarSeries>
#include <QLocale>

#include "ui/charts/chart_style.h"
#include "ui/charts/name_axis.h"

namespace meshreel {

namespace {

int categoriesOf(const QAbstractBarSeries& series) {
    const QList<QBarSet*> sets = series.barSets();
    return sets.isEmpty() ? 0 : sets.constFirst()->count();
}

/// Of bars beside each other, from the middle of their category to that of a bar, in categories.
double besideMiddle(const QAbstractBarSeries& series, int set) {
    return series.barWidth() * ((set + categoryMiddle) / series.count() - categoryMiddle);
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

}  // namespace

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

std::vector<ChartValue> barValues(QChart& chart) {
    std::vector<ChartValue> values;
    const QList<QAbstractSeries*> all = chart.series();
    for (QAbstractSeries* each : all) {
        auto* series = qobject_cast<QAbstractBarSeries*>(each);
        if (series == nullptr)
            continue;
        // The first category of lying bars is at the bottom.
        const bool isLying = series->type() == QAbstractSeries::SeriesTypeHorizontalStackedBar;
        const int count = categoriesOf(*series);
        for (int place = 0; place < count; ++place)
            addCategory(values, *series, isLying ? count - 1 - place : place, chart);
    }
    return values;
}

}  // namespace meshreel
