// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_axes.h"

#include <QChart>
#include <QFontMetricsF>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

namespace meshreel {

namespace {

constexpr int fewestTicks = 1;
constexpr double labelPitch = 2.2;  ///< of tick labels, in heights of their letters: closer ones are left out
constexpr double titledHeight = 11;  ///< of a chart whose axis has a title, in heights of its letters
constexpr int emptyCount = 10;       ///< length of a count axis before anything is known
constexpr const char* countFormat = "%d";
constexpr double endMargin = 0.02;  ///< share of a count axis kept free behind its last value

QString decimalFormat(double interval) {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(interval))));
    return QStringLiteral("%.%1f").arg(decimals);
}

}  // namespace

double niceInterval(double span, int ticks) {
    const double raw = span / ticks;
    const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
    const double share = raw / magnitude;
    return magnitude * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

int ticksInHeight(const QValueAxis& axis, double pixels) {
    const double pitch = labelPitch * QFontMetricsF(axis.labelsFont()).height();
    return std::clamp(static_cast<int>(pixels / pitch), fewestTicks, usualTicks);
}

void setTicks(QValueAxis* axis, double low, double high, int ticks) {
    const bool drawable = std::isfinite(low) && std::isfinite(high) && high > low;
    if (!drawable) {
        low = 0;
        high = 1;
    }
    const double interval = niceInterval(high - low, ticks);
    showTicks(axis, std::floor(low / interval) * interval, std::ceil(high / interval) * interval, interval,
              decimalFormat(interval));
}

void setFittedTicks(QChart* chart, QValueAxis* axis, double high) {
    axis->setTruncateLabels(false);
    const auto fit = [chart, axis, high, placed = 0]() mutable {
        const double height = chart->plotArea().height();
        const int ticks = height > 0 ? ticksInHeight(*axis, height) : usualTicks;
        if (ticks == placed)
            return;  // the reader may have zoomed
        placed = ticks;
        setTicks(axis, 0, high, ticks);
    };
    QObject::connect(chart, &QChart::plotAreaChanged, axis, fit);
    setTicks(axis, 0, high);
}

void keepTitleOfHighChart(QChart* chart, QAbstractAxis* axis) {
    axis->setTruncateLabels(false);
    const auto fit = [chart, axis] {
        axis->setTitleVisible(chart->size().height() >
                              titledHeight * QFontMetricsF(axis->labelsFont()).height());
    };
    QObject::connect(chart, &QGraphicsWidget::geometryChanged, axis, fit);
    fit();
}

void setCountTicks(QValueAxis* axis, int last) {
    const double end = last > 0 ? last : emptyCount;
    showTicks(axis, 0, end + std::max(end * endMargin, 0.2), std::max(1.0, niceInterval(end)),
              QLatin1StringView(countFormat));
}

bool countsWholeNumbers(const QValueAxis& axis) {
    return axis.labelFormat() == QLatin1StringView(countFormat);
}

void showTicks(QValueAxis* axis, double low, double high, double interval, const QString& labelFormat) {
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setLabelFormat(labelFormat);
    // Qt Charts counts the ticks at once: never those of a long range at a short distance.
    if (interval >= axis->tickInterval()) {
        axis->setTickInterval(interval);
        axis->setRange(low, high);
    } else {
        axis->setRange(low, high);
        axis->setTickInterval(interval);
    }
}

void showPart(QValueAxis* axis, double low, double high, int ticks) {
    const double interval = niceInterval(high - low, ticks);
    if (countsWholeNumbers(*axis))
        showTicks(axis, low, high, std::max(1.0, interval), axis->labelFormat());
    else
        showTicks(axis, low, high, interval, decimalFormat(interval));
}

}  // namespace meshreel
